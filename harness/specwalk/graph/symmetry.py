"""The size of a state graph up to symmetry: how many states there are when like elements are alike.

The elements of a constant are alike if every permutation of them maps the graph, its initial states
among it, onto itself. That is checked, edge by edge, for two permutations that generate all others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specwalk.graph.stategraph import StateGraph
from specwalk.values import Function, Value, in_order

if TYPE_CHECKING:
    from networkx.utils import UnionFind

__all__ = ["Orbits", "orbits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Orbits:
    """Numbers of orbits: of states, and of distinct labelled transitions, stutters among them."""

    states: int
    transitions: int


Permutation = dict[Value, Value]


def orbits(graph: StateGraph, alike: Sequence[frozenset[Value]]) -> Orbits | None:
    """Count the graph up to permutations of each set's elements; None if they are not alike in it."""
    from networkx.utils import UnionFind

    edges = {edge: n for n, edge in enumerate(zip(graph.source, graph.label, graph.target, strict=True))}
    states, transitions = UnionFind(range(len(graph.states))), UnionFind(range(len(edges)))
    numbers = {values: number for number, values in enumerate(graph.states)}
    label_numbers = {(label.action, label.arguments): n for n, label in enumerate(graph.labels)}
    for permutation in _generators(alike):
        swap = _substitution(permutation)
        image = [numbers.get(tuple(map(swap, values))) for values in graph.states]
        if {image[state] for state in graph.initial} != set(graph.initial):
            return None
        labels = [
            label_numbers.get((label.action, tuple(map(swap, label.arguments)))) for label in graph.labels
        ]
        for (source, label, target), edge in edges.items():
            mapped = edges.get((image[source], labels[label], image[target]))  # type: ignore[arg-type]
            if mapped is None:
                return None
            transitions.union(edge, mapped)
        for state, mapped in enumerate(image):
            states.union(state, mapped)
    return Orbits(states=_count(states), transitions=_count(transitions))


def _generators(alike: Sequence[frozenset[Value]]) -> list[Permutation]:
    """For each set a swap of two elements and a rotation of all, which generate every permutation."""
    found = []
    for elements in map(in_order, alike):
        if len(elements) > 1:
            found.append({elements[0]: elements[1], elements[1]: elements[0]})
        if len(elements) > 2:
            found.append(dict(zip(elements, elements[1:] + elements[:1], strict=True)))
    return found


def _substitution(permutation: Permutation) -> Callable[[Value], Value]:
    """Replace the permuted elements anywhere in a value; values recur, so results are kept."""
    known: dict[Value, Value] = dict(permutation)

    def substitute(value: Value) -> Value:
        if value not in known:
            known[value] = rebuild(value)
        return known[value]

    def rebuild(value: Value) -> Value:
        match value:
            case tuple():
                return tuple(map(substitute, value))
            case frozenset():
                return frozenset(map(substitute, value))
            case Function():
                return Function({substitute(key): substitute(item) for key, item in value.items()})
        return value

    return substitute


def _count(sets: "UnionFind") -> int:
    return sum(1 for _ in sets.to_sets())
