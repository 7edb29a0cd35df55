"""What TLC explores for the tests. Many runs on the same specs, as of the teeth, explore them once.

Such a run names a folder in the environment, in `KEPT`. A graph is kept there by the text of all that it
comes from, so a spec that differs in a sign is explored anew.
"""

import os
import pickle
from hashlib import sha256
from pathlib import Path

from specwalk.graph import StateGraph, explore

KEPT = "EXPLORED_GRAPHS"


def explored(spec: Path, config: Path) -> StateGraph:
    """The state graph of a spec under a configuration, explored or kept."""
    folder = os.environ.get(KEPT)
    return _kept(Path(folder), spec, config) if folder else explore(spec, config)


def _kept(folder: Path, spec: Path, config: Path) -> StateGraph:
    digest = sha256()
    for source in (*sorted(spec.parent.glob("*.tla")), config):
        digest.update(source.read_bytes() + b"\0")
    file = folder / f"{spec.stem}-{digest.hexdigest()}"
    if not file.exists():
        new = folder / f"{file.name}-{os.getpid()}"
        new.write_bytes(pickle.dumps(explore(spec, config)))
        new.replace(file)
    graph: StateGraph = pickle.loads(file.read_bytes())
    return graph
