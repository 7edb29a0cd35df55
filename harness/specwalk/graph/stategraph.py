"""A spec's complete state graph, every edge labelled with its action and parameters.

Rule 1: states are numbered in the order in which TLC found them, which is breadth first.
Rule 2: edges are distinct labelled edges, sorted by source; those of a state are a range of numbers.
An edge that TLC generated more than once is there once, and `repeated` says how often it was.
Rule 3: what the graph says does not depend on how its labels were got; `level` says how, and `notes`
what the user should know about it.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from specwalk.label.actions import Action
from specwalk.sany.tree import Location
from specwalk.values import Value, show

if TYPE_CHECKING:
    import networkx

__all__ = ["Label", "LabelLevel", "StateGraph"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One action instance: the action, and its parameters with their values.

    Where the action stands in the spec does not count in comparisons.
    """

    action: str
    parameters: tuple[str, ...] = ()
    arguments: tuple[Value, ...] = ()
    location: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if not self.arguments:
            return self.action
        return f"{self.action}({', '.join(map(show, self.arguments))})"


class LabelLevel(Enum):
    """How the labels were got, best first."""

    PAIRED = "from the wrapper, paired with TLC's dump"
    RECORDED = "from the wrapper, which printed whole transitions"
    TLC = "TLC's own: the names of the disjuncts that it splits Next into"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateGraph:
    """States, labelled edges, and what is known about them.

    Attributes:
        variables: the spec's variables.
        states: their values, by state.
        initial: the initial states.
        labels: the labels that edges use, by number.
        source, target, label: for each edge its states and its label's number.
        first: for each state the number of its first edge; one more at the end.
        arrival: for each state the edge by which TLC found it, -1 for initial states.
        repeated: edges that TLC generated more than once, and how often.
        generated, distinct: TLC's own counts of generated and of distinct states.
        actions: the leaf actions of Next, whether or not any edge or any of the alphabet is theirs.
        alphabet: every action instance that Next speaks of, enabled anywhere or not.
        level: how the labels were got.
        notes: what the user should know, one sentence each.
    """

    variables: tuple[str, ...]
    states: list[tuple[Value, ...]]
    initial: tuple[int, ...]
    labels: list[Label]
    source: array[int]
    target: array[int]
    label: array[int]
    first: array[int]
    arrival: array[int]
    repeated: Mapping[int, int]
    generated: int
    distinct: int
    actions: tuple[Action, ...]
    alphabet: list[Label]
    level: LabelLevel
    notes: tuple[str, ...]

    def __len__(self) -> int:
        """The number of edges."""
        return len(self.source)

    def out(self, state: int) -> range:
        """The edges that leave a state."""
        return range(self.first[state], self.first[state + 1])

    def state_dict(self, state: int) -> dict[str, Value]:
        """A state as a mapping from variables to values."""
        return dict(zip(self.variables, self.states[state], strict=True))

    def successors(self, state: int, label: Label) -> list[int]:
        """The states that an action instance may lead to."""
        return [self.target[e] for e in self.out(state) if self.labels[self.label[e]] == label]

    def action_counts(self) -> Counter[str]:
        """How many distinct edges each action has."""
        return Counter(self.labels[number].action for number in self.label)

    def leaf_counts(self) -> Counter[str]:
        """How many distinct edges each leaf action has: `Up(n)` apart from `Up(k, n)`."""
        counts: Counter[str] = Counter()
        for number, count in Counter(self.label).items():
            label = self.labels[number]
            counts[str(Action(name=label.action, parameters=label.parameters))] += count
        return counts

    def generated_counts(self) -> Counter[str]:
        """How many edges TLC generated for each action."""
        counts = self.action_counts()
        for edge, times in self.repeated.items():
            counts[self.labels[self.label[edge]].action] += times - 1
        return counts

    def several_successors(self) -> Iterator[tuple[int, Label, list[int]]]:
        """Where the spec allows several outcomes of one event: (state, label, successors)."""
        for state in range(len(self.states)):
            found: dict[int, list[int]] = {}
            for edge in self.out(state):
                found.setdefault(self.label[edge], []).append(self.target[edge])
            for number, targets in found.items():
                if len(targets) > 1:
                    yield state, self.labels[number], targets

    def shortest_path(self, state: int) -> list[int]:
        """A shortest way to a state from an initial one, as edges."""
        path = []
        while (edge := self.arrival[state]) >= 0:
            path.append(edge)
            state = self.source[edge]
        return path[::-1]

    def to_networkx(self) -> networkx.MultiDiGraph[int]:
        """The graph for networkx: states with their `values`, edges with their `label`."""
        import networkx

        graph: Any = networkx.MultiDiGraph(variables=self.variables, initial=self.initial)
        graph.add_nodes_from((n, {"values": values}) for n, values in enumerate(self.states))
        graph.add_edges_from(
            (source, target, edge, {"label": self.labels[number]})
            for edge, (source, target, number) in enumerate(
                zip(self.source, self.target, self.label, strict=True)
            )
        )
        return graph
