"""How costs grow with the graph: the same spec with 1 to 4 obligations."""

import gc
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FunctionType, ModuleType

from specwalk.config import config_text
from specwalk.graph import StateGraph, explore
from specwalk.project import Binding
from tests.bench.parts import walk
from tests.bench.timing import Timing, timed

#: How many obligations; the last one is inadmissible, but where there is only one.
OBLIGATIONS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """An instance, and what exploring it and walking it in one process takes."""

    obligations: int
    states: int
    edges: int
    refusals: int
    explored: Timing
    walked: Timing
    bytes: int

    @property
    def steps(self) -> int:
        """What the walk tries: edges and refusals."""
        return self.edges + self.refusals


def sizes(binding: Binding, published: Path) -> Iterator[Size]:
    """The instances by size, each measured once."""
    with TemporaryDirectory(prefix="bench-") as name:
        for count in OBLIGATIONS:
            config = Path(name) / f"{binding.spec.stem}_{count}.cfg"
            config.write_text(_with_obligations(config_text(published), count))
            yield _size(binding, config, count)


def _with_obligations(config: str, count: int) -> str:
    names = [f"o{number}" for number in range(1, count + 1)]
    for constant, elements in {"Obligations": names, "Admissible": names[: max(1, count - 1)]}.items():
        config = re.sub(rf"{constant} = {{.*}}", f"{constant} = {{{', '.join(elements)}}}", config)
    return config


def _size(binding: Binding, config: Path, count: int) -> Size:
    graph, explored = timed(lambda: explore(binding.spec, config))
    tally, walked = timed(lambda: walk(binding, config, graph, workers=1))
    return Size(
        obligations=count,
        states=len(graph.states),
        edges=len(graph),
        refusals=tally.refusals,
        explored=explored,
        walked=walked,
        bytes=bytes_of(graph),
    )


def bytes_of(graph: StateGraph) -> int:
    """The memory of everything that a graph holds, each object counted once."""
    known: set[int] = set()
    new: list[object] = [graph]
    size = 0
    while new:
        known.update(map(id, new))
        size += sum(map(sys.getsizeof, new))
        held = {id(thing): thing for thing in gc.get_referents(*new)}
        new = [
            thing
            for key, thing in held.items()
            if key not in known and not isinstance(thing, type | ModuleType | FunctionType)
        ]
    return size
