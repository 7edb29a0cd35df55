"""Runs the wrapper, reads what it writes meanwhile, and finds the widest one that TLC takes.

Rule 1: an operator whose twin SANY rejects is demoted: taken whole, without the choices inside it.
Rule 2: an alphabet that cannot be evaluated is given up step by step before the labels are.
Rule 3: only a run that ended without error is used.
"""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from specwalk import tlc
from specwalk.config import Config
from specwalk.errors import EnvironmentProblem
from specwalk.label.actions import Actions, find_actions
from specwalk.label.behaviour import find_behaviour
from specwalk.label.spec import Names, Spec
from specwalk.label.wrapper import AlphabetMode, Wrapper, write_wrapper
from specwalk.sany.reader import parse_tree
from specwalk.sany.sources import read_sources

__all__ = ["DUMP", "DUMP_OPTIONS", "PRINTS", "Export", "Unlabelled", "export", "read_spec"]

DUMP = "graph.dot"
PRINTS = "prints.txt"
# With one worker, edges stand in the dump in the order of their making.
DUMP_OPTIONS = (
    *("-deadlock", "-workers", "1"),
    *("-dump", "dot,actionlabels", DUMP, "-userFile", PRINTS),
)
SANY_REJECTED = 150
_Read = TypeVar("_Read")
_PLACE = re.compile(r"line (\d+), col \d+ to line \d+, col \d+ of module (\w+)")


class Unlabelled(Exception):
    """No wrapper of this spec works; the message is TLC's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A completed run of the wrapper: its actions, how it got the alphabet, what was demoted."""

    actions: Actions
    alphabet: AlphabetMode
    demoted: frozenset[str]
    counts: tlc.Counts


def read_spec(workspace: tlc.Workspace, config: Config) -> Spec:
    """Read the spec in a workspace, making LOCAL operators visible there.

    Raises:
        BadInput: SANY rejects it, or the configuration names what it does not define.
    """
    sources = read_sources(workspace.folder, workspace.toolchain.encoding)
    xml = workspace.java("tla2sany.xml.XMLExporter", "-o", f"{workspace.root}.tla").stdout
    tree = parse_tree(xml)
    return Spec(
        tree=tree,
        sources=sources,
        config=config,
        behaviour=find_behaviour(tree, config),
        names=Names(tag=sources.fresh("sw")),
    )


def export(
    workspace: tlc.Workspace,
    spec: Spec,
    read: Callable[[tlc.Lines], _Read],
    sound: Callable[[], object],
    *,
    record: bool = False,
    timeout: float | None = None,
    on_progress: tlc.OnProgress | None = None,
) -> tuple[Export, _Read]:
    """Run wrappers until TLC takes one, and return what `read` makes of its dump and prints.

    Args:
        read: called for each run, in a thread beside it; what it raises counts if TLC took the wrapper.
        sound: called before anything is given up; raises if the fault is the spec's own.
        record: have whole transitions printed.

    Raises:
        Unlabelled: TLC takes no wrapper of this spec.
        EnvironmentProblem: TLC could not do its work.
    """
    encoding = workspace.toolchain.encoding
    demoted: frozenset[str] = frozenset()
    for alphabet in AlphabetMode:
        rejected: frozenset[str] | None = None
        while rejected is None or rejected:
            demoted |= rejected or frozenset()
            actions = find_actions(spec, demoted)
            wrapper = write_wrapper(workspace.folder, encoding, spec, actions, alphabet, record=record)
            with _reading(workspace.folder, read) as reading:
                result = tlc.run_tlc(
                    workspace,
                    wrapper.root,
                    f"{wrapper.root}.cfg",
                    *DUMP_OPTIONS,
                    timeout=timeout,
                    on_progress=on_progress,
                )
            if result.verdict is tlc.Verdict.OK:
                run = Export(actions=actions, alphabet=alphabet, demoted=demoted, counts=result.counts)
                return run, reading.result()
            sound()
            rejected = _rejected(workspace, result, wrapper) - demoted
    raise Unlabelled("; ".join(problem.text for problem in result.problems))


@contextmanager
def _reading(folder: Path, read: Callable[[tlc.Lines], _Read]) -> Iterator[Future[_Read]]:
    """Read what will be written in the block; nothing is left there of the run before."""
    for name in (DUMP, PRINTS):
        (folder / name).unlink(missing_ok=True)
    written = tlc.Written(folder)
    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(read, written.lines)
        finally:
            written.end()


def _rejected(workspace: tlc.Workspace, result: tlc.Result, wrapper: Wrapper) -> frozenset[str]:
    """The operators whose twins SANY would not take."""
    if result.verdict is tlc.Verdict.ENVIRONMENT:
        raise EnvironmentProblem("\n".join(map(str, result.problems)))
    if result.exit_code != SANY_REJECTED:
        return frozenset()
    complaints = workspace.java("tla2sany.SANY", f"{wrapper.root}.tla").stdout
    owners = (wrapper.owner(module, int(line)) for line, module in _PLACE.findall(complaints))
    return frozenset(owner for owner in owners if owner)
