"""Puts states, transitions and labels together into a StateGraph.

Rule 1: edges are sorted by source, which TLC's order nearly is.
Rule 2: edges that agree in source, label and target become one, with their number kept.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

from specwalk import tlc
from specwalk.graph.stategraph import Label, LabelLevel, StateGraph
from specwalk.graph.transitions import Transitions
from specwalk.label.actions import Action

__all__ = ["arrivals", "build", "first_edges"]


def build(
    variables: tuple[str, ...],
    read: Transitions,
    events: Sequence[Label],
    counts: tlc.Counts,
    *,
    actions: tuple[Action, ...],
    alphabet: list[Label],
    level: LabelLevel,
    notes: tuple[str, ...],
) -> StateGraph:
    """The graph of what a run wrote.

    Args:
        events: the label of each event; several events may have the same one.
    """
    numbers: dict[Label, int] = {}
    for label in events:
        numbers.setdefault(label, len(numbers))
    label_of = [numbers[label] for label in events]
    counted = Counter((source, label_of[event], target) for source, event, target in read.edges)
    edges = sorted(counted, key=lambda edge: edge[0])
    source = array("I", (edge[0] for edge in edges))
    target = array("I", (edge[2] for edge in edges))
    return StateGraph(
        variables=variables,
        states=read.states,
        initial=tuple(read.initial),
        labels=list(numbers),
        source=source,
        target=target,
        label=array("I", (edge[1] for edge in edges)),
        first=first_edges(len(read.states), source),
        arrival=arrivals(len(read.states), read.initial, target),
        repeated={n: counted[edge] for n, edge in enumerate(edges) if counted[edge] > 1},
        generated=counts.generated,
        distinct=counts.distinct,
        actions=actions,
        alphabet=alphabet,
        level=level,
        notes=notes,
    )


def first_edges(states: int, source: Iterable[int]) -> "array[int]":
    """For each state the number of its first edge, given the edges' sources in order; one more at the end."""
    first = array("I", bytes(4 * (states + 1)))
    for state in source:
        first[state + 1] += 1
    for state in range(states):
        first[state + 1] += first[state]
    return first


def arrivals(states: int, initial: Iterable[int], target: Iterable[int]) -> "array[int]":
    """The first edge to each state: where states are numbered breadth first, on a shortest path."""
    arrival = array("i", [-2]) * states
    for state in initial:
        arrival[state] = -1
    for edge, state in enumerate(target):
        if arrival[state] == -2:
            arrival[state] = edge
    return arrival
