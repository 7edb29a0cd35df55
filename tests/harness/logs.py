"""Decides by brute force whether logs are a behaviour: every order, every choice, every behaviour by itself.

It shares nothing with specwalk.validate: it reads lines as the tests write them, and walks single states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specwalk.graph import Label, StateGraph

Line = Mapping[str, Any]
#: Whether a line may show a step (None: no step) from one state to another.
Shows = Callable[[Line, Label | None, int, int], bool]


class Silent:
    """A progress that nobody watches."""

    def phase(self, name: str, total: int | None = None) -> None: ...
    def counted(self, counts: object) -> None: ...
    def stepped(self, steps: int) -> None: ...


@dataclass(frozen=True)
class Oracle:
    """A graph, what lines show of it, and which steps from which states go unobserved."""

    graph: StateGraph
    shows: Shows
    unobserved: Callable[[Label, int], bool]

    def legal(self, logs: Sequence[Sequence[Line]], subject: str) -> bool:
        """Whether some behaviour explains the lines of a subject in some order that they may have had."""
        choices = [list(theirs(log, subject)) for log in logs]
        return any(
            self.is_behaviour(order)
            for chosen in combinations(choices)
            for order in interleavings(chosen)
            if in_causal_order(order)
        )

    def is_behaviour(self, order: Sequence[Line]) -> bool:
        return any(self.explained(state, order, frozenset()) for state in self.graph.initial)

    def explained(self, state: int, order: Sequence[Line], quiet: frozenset[int]) -> bool:
        """Whether the rest of an order is explained; ``quiet`` states were passed since the last line."""
        if not order:
            return True
        graph, line, rest = self.graph, order[0], order[1:]
        if self.shows(line, None, state, state) and self.explained(state, rest, frozenset()):
            return True
        for edge in graph.out(state):
            target, label = graph.target[edge], graph.labels[graph.label[edge]]
            if self.shows(line, label, state, target) and self.explained(target, rest, frozenset()):
                return True
            silent = self.unobserved(label, state) and target not in quiet
            if silent and self.explained(target, order, quiet | {state}):
                return True
        return False


def theirs(log: Sequence[Line], subject: str) -> Iterator[list[Line]]:
    """Each choice of the lines of a log that concern a subject: its own, those for everybody behind the
    first of them, and any of those for everybody before it."""
    own = [n for n, line in enumerate(log) if line["who"] == subject]
    if not own:
        yield []
        return
    common = [n for n in range(own[0]) if log[n]["who"] is None]
    sure = [line for n, line in enumerate(log) if n >= own[0] and line["who"] in (subject, None)]
    for bits in range(2 ** len(common)):
        yield [log[n] for k, n in enumerate(common) if bits >> k & 1] + sure


def combinations(choices: Sequence[Sequence[list[Line]]]) -> Iterator[list[list[Line]]]:
    if not choices:
        yield []
        return
    for rest in combinations(choices[1:]):
        for first in choices[0]:
            yield [first, *rest]


def interleavings(logs: Sequence[Sequence[Line]]) -> Iterator[list[Line]]:
    """Every order of some logs' lines that keeps the order of each."""
    if not any(logs):
        yield []
    for n, log in enumerate(logs):
        if log:
            for rest in interleavings([*logs[:n], log[1:], *logs[n + 1 :]]):
                yield [log[0], *rest]


def in_causal_order(order: Sequence[Line]) -> bool:
    """Whether each message that a line sends, or surely sent, is received only behind such a line."""
    sent = [line["sends"] for line in order]
    return all(
        line["receives"] is None
        or (line["receives"] not in sent and not line["surely"])
        or line["receives"] in sent[:n]
        for n, line in enumerate(order)
    )
