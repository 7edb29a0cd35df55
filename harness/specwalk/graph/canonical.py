"""Numbers a graph's states and transitions by their content alone.

Rule 1: initial states are numbered in the order of their texts, all others breadth first, each state's
        transitions in the order of their labels' texts and then of their targets' texts.
Rule 2: so what is computed on the result is the same whatever numbers TLC gave: for every run, order of
        the dump, number of workers and version.

``shuffled`` is the other way round: the same graph as a dump in another order would have it.
"""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from random import Random

from specwalk.graph.assemble import arrivals, first_edges
from specwalk.graph.stategraph import Label, StateGraph
from specwalk.values import show

__all__ = ["canonical", "shuffled"]


def canonical(graph: StateGraph) -> StateGraph:
    """The graph in the order of Rule 1."""
    shown = cache(show)
    texts = [tuple(map(shown, values)) for values in graph.states]
    labels = sorted(range(len(graph.labels)), key=lambda number: _order(graph.labels[number]))
    rank = {number: place for place, number in enumerate(labels)}

    def order(edge: int) -> tuple[int, tuple[str, ...]]:
        return rank[graph.label[edge]], texts[graph.target[edge]]

    states = sorted(graph.initial, key=texts.__getitem__)
    known = set(states)
    edges: list[int] = []
    for state in states:  # grows while it is read
        leaving = sorted(graph.out(state), key=order)
        edges += leaving
        for edge in leaving:
            if (target := graph.target[edge]) not in known:
                known.add(target)
                states.append(target)
    found = _renumbered(graph, states, edges, labels, sorted(graph.alphabet, key=_order))
    return replace(found, arrival=arrivals(len(states), found.initial, found.target))


def shuffled(graph: StateGraph, seed: int) -> StateGraph:
    """The same graph in an order that depends on a seed."""
    random = Random(seed)
    states = _in_some_order(range(len(graph.states)), random)
    edges = [edge for state in states for edge in _in_some_order(graph.out(state), random)]
    labels = _in_some_order(range(len(graph.labels)), random)
    alphabet = [graph.alphabet[n] for n in _in_some_order(range(len(graph.alphabet)), random)]
    return _renumbered(graph, states, edges, labels, alphabet)


def _in_some_order(numbers: range, random: Random) -> list[int]:
    return random.sample(numbers, len(numbers))


def _order(label: Label) -> tuple[str, tuple[str, ...]]:
    return str(label), label.parameters


def _renumbered(
    graph: StateGraph,
    states: Sequence[int],
    edges: Sequence[int],
    labels: Sequence[int],
    alphabet: list[Label],
) -> StateGraph:
    """The graph with its states, edges and labels in this order; edges are in the order of their sources."""
    state_of = _places(states)
    edge_of = _places(edges)
    label_of = _places(labels)
    source = array("I", (state_of[graph.source[edge]] for edge in edges))
    arrived = (graph.arrival[state] for state in states)
    return replace(
        graph,
        states=[graph.states[state] for state in states],
        initial=tuple(sorted(state_of[state] for state in graph.initial)),
        labels=[graph.labels[label] for label in labels],
        source=source,
        target=array("I", (state_of[graph.target[edge]] for edge in edges)),
        label=array("I", (label_of[graph.label[edge]] for edge in edges)),
        first=first_edges(len(states), source),
        arrival=array("i", (edge_of[edge] if edge >= 0 else -1 for edge in arrived)),
        repeated={edge_of[edge]: times for edge, times in graph.repeated.items()},
        alphabet=alphabet,
    )


def _places(numbers: Sequence[int]) -> dict[int, int]:
    return {number: place for place, number in enumerate(numbers)}
