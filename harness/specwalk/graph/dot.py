r"""Reads TLC's state graph dumps (`-dump dot`), those of TLC 2.15 and of its successors.

    <id> [label="/\\ x = 0\n/\\ y = 1",style = filled]        an initial state
    <id> [label="..."];  <id> [label="...",tooltip="..."];    another state
    <id> -> <id> [label="Act",color="black",...];             an edge

Rule 1: only a dump that closes the braces it opened is complete.
Rule 2: lines come in the order in which TLC worked: an edge, then the state that it found, if new.
Rule 3: inside a label `\` and `"` are escaped and a line break is `\n`; TLC breaks long values at 80
columns, anywhere between two tokens.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from specwalk.errors import EnvironmentProblem
from specwalk.values import Value, parse

__all__ = ["DotEdge", "DotState", "StateTexts", "label_variables", "read_dot"]

# A graph and a cluster in it, each closed on a line of its own.
_BLOCKS = 2
_TEXT = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_EDGE = re.compile(rf"(-?\d+) -> (-?\d+) \[(?:label={_TEXT})?")
_STATE = re.compile(rf"(-?\d+) \[label={_TEXT}(,style = filled)?")


class DotEdge(NamedTuple):
    """One generated successor, with TLC's own label for it."""

    source: str
    target: str
    label: str


class DotState(NamedTuple):
    """One state, its label as it stands in the file."""

    id: str
    label: str
    initial: bool


def read_dot(lines: Iterable[str]) -> Iterator[DotEdge | DotState]:
    """The edges and states of a dump, in order; dashed self-loops, which TLC adds, are left out.

    Raises:
        EnvironmentProblem: the dump is cut short (after the last whole line was yielded).
    """
    closed = 0
    for line in lines:
        if " -> " in line and (edge := _EDGE.match(line)):
            if edge[3] is not None:
                yield DotEdge(edge[1], edge[2], edge[3])
        elif state := _STATE.match(line):
            yield DotState(state[1], state[2], state[3] is not None)
        elif line.strip() == "}":
            closed += 1
    if closed < _BLOCKS:
        raise EnvironmentProblem(
            "TLC's dump of the state graph is cut short. Check the space left in the temporary folder."
        )


class StateTexts:
    """Turns state labels into values, each distinct `variable = value` text read once."""

    def __init__(self, variables: Iterable[str]) -> None:
        self._places = {name: place for place, name in enumerate(variables)}
        self._known: dict[str, tuple[int, Value]] = {}

    def values(self, label: str) -> tuple[Value, ...]:
        """The values of a state in the order of the variables."""
        found: list[Value] = [()] * len(self._places)
        for part in _parts(label):
            known = self._known.get(part)
            if known is None:
                known = self._known[part] = self._read(part)
            found[known[0]] = known[1]
        return tuple(found)

    def _read(self, part: str) -> tuple[int, Value]:
        name, _, text = part.partition(" = ")
        return self._places[name], parse(_unescaped(text))


def label_variables(label: str) -> tuple[str, ...]:
    """The variables of a state, in the order of its label."""
    return tuple(part.partition(" = ")[0] for part in _parts(label))


def _parts(label: str) -> list[str]:
    # With a single variable there is no leading /\; inside a string no `/\ ` is left unescaped.
    return label.removeprefix("/\\\\ ").split("\\n/\\\\ ")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], text)
