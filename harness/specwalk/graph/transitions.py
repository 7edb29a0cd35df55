"""Reads what an exploring run writes, its dump and its prints, as numbered states and transitions.

Rule 1: states are numbered as the dump lists them, which is the order in which TLC found them.
Rule 2: the n-th print belongs to the n-th edge; where the dump goes on with a state that the edge
found, that state repeats the event, and must agree (`read_pairs`).
Rule 3: a recorded transition names its states itself and needs no order (`read_records`).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from specwalk.graph.dot import DotEdge, DotState, StateTexts, label_variables, read_dot
from specwalk.label.export import DUMP, PRINTS
from specwalk.tlc import Lines
from specwalk.values import Value, parse, unescape

__all__ = ["Mismatch", "Transitions", "read_pairs", "read_records", "read_tlc"]


class Mismatch(Exception):
    """Dump and prints do not fit together; the message says where."""


@dataclass(slots=True, kw_only=True)
class Transitions:
    """States by number; (source, event, target) per generated edge; events by number.

    `offered` are the events that the alphabet printed, whether or not an edge has them.
    """

    states: list[tuple[Value, ...]]
    initial: list[int]
    edges: list[tuple[int, int, int]]
    events: list[Value] = field(default_factory=list)
    offered: set[Value] = field(default_factory=set)


def read_pairs(lines: Lines, variables: tuple[str, ...], event: str, tag: str) -> Transitions:
    """Pair the prints with the dump's edges.

    Args:
        event: the wrapper's variable.
        tag: what its prints begin with.

    Raises:
        Mismatch: an edge without a print, a print without an edge, or a state with another event.
    """
    texts = StateTexts((*variables, event))
    events = _Numbered(lambda line: _printed(line, tag))
    offered: set[Value] = set()

    def checked(state: DotState, arrived: int) -> tuple[Value, ...]:
        *values, seen = texts.values(state.label)
        if not state.initial and seen != events.read[arrived]:
            raise Mismatch(f"{events.read[arrived]!r} was printed where {seen!r} was dumped")
        return tuple(values)

    prints = _event_lines(lines(PRINTS), tag, offered)
    read = _read_dump(lines(DUMP), lambda _: events[_next(prints)], checked)
    if next(prints, None) is not None:
        raise Mismatch("there are more prints than edges")
    read.events, read.offered = events.read, offered
    return read


def read_records(lines: Lines, variables: tuple[str, ...], event: str, tag: str) -> Transitions:
    """Read printed transitions; the dump serves for the states' order and for the initial ones.

    Raises:
        Mismatch: a transition of a state that is not in the dump.
    """
    texts = StateTexts((*variables, event))
    read = _read_dump(lines(DUMP), lambda _: 0, lambda state, _: texts.values(state.label)[:-1])
    numbers: dict[Value, int] = {values: number for number, values in enumerate(read.states)}
    events: dict[Value, int] = {}
    read.edges = []
    for line in _event_lines(lines(PRINTS), tag, read.offered):
        record = _printed(line, tag)
        if not isinstance(record, tuple) or {record[0], record[2]} - numbers.keys():
            raise Mismatch(f"the dump lacks a state of the transition {line.strip()}")
        number = events.setdefault(record[1], len(events))
        read.edges.append((numbers[record[0]], number, numbers[record[2]]))
    read.events = list(events)
    return read


def read_tlc(lines: Lines) -> tuple[tuple[str, ...], Transitions]:
    """Read a dump of the unmodified spec: the variables, and with TLC's labels, texts, as events."""
    first = next(item for item in read_dot(lines(DUMP)) if isinstance(item, DotState))
    variables = label_variables(first.label)
    texts = StateTexts(variables)
    events = _Numbered(unescape)
    read = _read_dump(
        lines(DUMP), lambda edge: events[edge.label], lambda state, _: texts.values(state.label)
    )
    read.events = events.read
    return variables, read


def _read_dump(
    dump: Iterable[str],
    event: Callable[[DotEdge], int],
    values: Callable[[DotState, int], tuple[Value, ...]],
) -> Transitions:
    """Read the dump; `values` is given each new state, and the event of the edge that found it."""
    numbers: dict[str, int] = {}
    states: list[tuple[Value, ...]] = []
    initial: list[int] = []
    edges: list[tuple[str, int, str]] = []
    arrived = 0
    for item in read_dot(dump):
        if isinstance(item, DotEdge):
            arrived = event(item)
            edges.append((item.source, arrived, item.target))
        elif item.id not in numbers:
            numbers[item.id] = len(states)
            if item.initial:
                initial.append(len(states))
            states.append(values(item, arrived))
    numbered = [(numbers[source], number, numbers[target]) for source, number, target in edges]
    return Transitions(states=states, initial=initial, edges=numbered)


class _Numbered(dict[str, int]):
    """Numbers distinct texts as they come; `read` are the values that they stand for."""

    def __init__(self, reader: Callable[[str], Value]) -> None:
        self.reader = reader
        self.read: list[Value] = []

    def __missing__(self, text: str) -> int:
        self[text] = len(self.read)
        self.read.append(self.reader(text))
        return self[text]


def _event_lines(lines: Iterable[str], tag: str, offered: set[Value]) -> Iterator[str]:
    """The printed lines that are events; those of the alphabet go to `offered`."""
    event, letters = f'"{tag} ', f'"set_{tag} '
    for line in lines:
        if line.startswith(event):
            yield line
        elif line.startswith(letters):
            texts = _printed(line, f"set_{tag}")
            assert isinstance(texts, frozenset), "the alphabet is printed as sets"
            offered.update(parse(text) for text in texts if isinstance(text, str))


def _next(prints: Iterator[str]) -> str:
    line = next(prints, None)
    if line is None:
        raise Mismatch("there are more edges than prints")
    return line


def _printed(line: str, tag: str) -> Value:
    """The value that the wrapper printed behind its tag, as a string."""
    return parse(unescape(line.strip()[1:-1]).removeprefix(f"{tag} "))
