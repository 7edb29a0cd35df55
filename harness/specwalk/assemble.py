"""Puts a dump and its labels together into arrays.

Rule 1: states get numbers as they come; edges are sorted by source, which TLC's order nearly is.
Rule 2: edges that agree in source, label and target become one, with their number kept.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Edges", "assemble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """The distinct edges of a graph as arrays; see StateGraph for their meaning."""

    source: array[int]
    target: array[int]
    label: array[int]
    first: array[int]
    arrival: array[int]
    repeated: dict[int, int]


def assemble(states: int, initial: Iterable[int], transitions: Sequence[tuple[int, int, int]]) -> Edges:
    """Sort and merge transitions.

    Args:
        states: the number of states.
        initial: the initial ones.
        transitions: (source, label, target) of each generated edge, in TLC's order.
    """
    counted = Counter(transitions)
    edges = sorted(counted, key=lambda edge: edge[0])
    repeated = {n: counted[edge] for n, edge in enumerate(edges) if counted[edge] > 1}
    source = array("I", (edge[0] for edge in edges))
    target = array("I", (edge[2] for edge in edges))
    return Edges(
        source=source,
        target=target,
        label=array("I", (edge[1] for edge in edges)),
        first=_first_edges(states, source),
        arrival=_arrivals(states, initial, target),
        repeated=repeated,
    )


def _first_edges(states: int, source: array[int]) -> array[int]:
    first = array("I", bytes(4 * (states + 1)))
    for state in source:
        first[state + 1] += 1
    for state in range(states):
        first[state + 1] += first[state]
    return first


def _arrivals(states: int, initial: Iterable[int], target: array[int]) -> array[int]:
    """The first edge to each state: from the lowest number, hence on a shortest path."""
    arrival = array("i", [-2]) * states
    for state in initial:
        arrival[state] = -1
    for edge, state in enumerate(target):
        if arrival[state] == -2:
            arrival[state] = edge
    return arrival
