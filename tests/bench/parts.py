"""Where the time of a check and of an export goes: the same parts, one after another in this process."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from specwalk.config import read_config
from specwalk.divergence import Origin
from specwalk.graph import StateGraph, explore
from specwalk.graph.symmetry import orbits
from specwalk.graph.transitions import read_pairs
from specwalk.label.export import export, read_spec
from specwalk.project import Binding, constants_of, new_model
from specwalk.tally import Tally
from specwalk.tlc import Workspace, Written, find_toolchain
from specwalk.verify import verify
from specwalk.walk import walk_in_parallel
from tests.bench.timing import Timing, timed

_WORKERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of a command's work."""

    name: str
    timing: Timing


def parts_of_check(binding: Binding, config: Path, graph: StateGraph) -> Iterator[Part]:
    """Each part of a check, given the graph for those that need it."""
    constants = constants_of(config)
    alike = [constants[name] for name in binding.model.interchangeable]
    yield _part("TLC checks the spec", lambda: verify(binding.spec, config, workers=_WORKERS))
    yield _part("TLC lists every transition", lambda: explore(binding.spec, config))
    yield _part("size up to symmetry", lambda: orbits(graph, [a for a in alike if isinstance(a, frozenset)]))
    yield _part(f"walk, {_WORKERS} processes", lambda: walk(binding, config, graph, _WORKERS))


def parts_of_export(spec: Path, config: Path) -> Iterator[Part]:
    """Each part of an export that takes time; the plain run beside it is not among them."""
    with Workspace(find_toolchain(), spec) as workspace:
        read, timing = timed(lambda: read_spec(workspace, read_config(config)))
        yield Part(name="SANY", timing=timing)
        yield _part("wrapped run", lambda: export(workspace, read, lambda _: None, sound=lambda: None))
        names, variables = read.names, read.tree.root.variables
        lines = Written(workspace.folder, ended=True).lines
        yield _part(
            "reading, which a command does beside the run",
            lambda: read_pairs(lines, variables, names.of("event"), names.tag),
        )


def walk(binding: Binding, config: Path, graph: StateGraph, workers: int) -> Tally:
    """Walk an instance as a check does."""
    origin = Origin(model=binding.name, config=config.name)
    return walk_in_parallel(graph, partial(new_model, binding, config), origin, lambda _: None, workers)


def _part(name: str, work: Callable[[], object]) -> Part:
    return Part(name=name, timing=timed(work)[1])
