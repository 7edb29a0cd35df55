"""Sizes up to symmetry, against brute force over all permutations and against the published figures."""

import random
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product

import pytest

from specwalk.graph import StateGraph
from specwalk.graph.symmetry import Orbits, orbits
from specwalk.values import Function, ModelValue, Value
from tests.harness.toy import build

ELEMENTS = [ModelValue(name) for name in ("a", "b", "c", "d")]


def substitute(value: Value, swap: dict[Value, Value]) -> Value:
    """The definition of a permutation's effect, written out again."""
    if isinstance(value, tuple):
        return tuple(substitute(item, swap) for item in value)
    if isinstance(value, frozenset):
        return frozenset(substitute(item, swap) for item in value)
    if isinstance(value, Function):
        return Function({substitute(k, swap): substitute(v, swap) for k, v in value.items()})
    return swap.get(value, value)


Edge = tuple[Value, str, Value, Value]


def images(edge: Edge, elements: list[ModelValue]) -> Iterator[Edge]:
    for image in permutations(elements):
        swap: dict[Value, Value] = dict(zip(elements, image, strict=True))
        source, action, argument, target = edge
        yield (
            substitute(source, swap),
            action,
            substitute(argument, swap),
            substitute(target, swap),
        )


def graph_of(edges: set[Edge], start: Value) -> StateGraph:
    values = [start, *({value for edge in edges for value in (edge[0], edge[3])} - {start})]
    number = {value: n for n, value in enumerate(values)}
    return build(
        [(number[s], f"{action}({argument.name})", number[t]) for s, action, argument, t in edges],  # type: ignore[union-attr]
        alphabet=(),
        variables=("v",),
        values=lambda n: (values[n],),
    )


def random_value(rng: random.Random, elements: list[ModelValue]) -> Value:
    keys = rng.sample(elements, rng.randint(1, len(elements)))
    return rng.choice(
        [
            rng.choice(elements),
            (rng.choice(elements), rng.randint(0, 1)),
            frozenset(keys),
            Function({key: rng.randint(0, 1) for key in keys}),
            Function({key: frozenset(rng.sample(elements, 1)) for key in keys}),
        ]
    )


@pytest.mark.parametrize("seed", range(30))
def test_against_all_permutations(seed: int) -> None:
    rng = random.Random(seed)
    elements = ELEMENTS[: rng.randint(2, 4)]
    edges: set[Edge] = set()
    for _ in range(rng.randint(1, 5)):
        source, target = random_value(rng, elements), random_value(rng, elements)
        edge = (source, rng.choice("AB"), rng.choice(elements), rng.choice([source, target]))
        edges.update(images(edge, elements))
    states = {value for edge in edges for value in (edge[0], edge[3])} | {frozenset(elements)}
    state_orbits = {
        frozenset(substitute(s, dict(zip(elements, p, strict=True))) for p in permutations(elements))
        for s in states
    }
    edge_orbits = {frozenset(images(edge, elements)) for edge in edges}
    graph = graph_of(edges, frozenset(elements))
    assert orbits(graph, [frozenset(elements)]) == Orbits(
        states=len(state_orbits), transitions=len(edge_orbits)
    )
    # Without one edge of an orbit of several the elements are no longer alike.
    broken = next((edge for edge in sorted(edges, key=str) if len(set(images(edge, elements))) > 1), None)
    if broken:
        assert orbits(graph_of(edges - {broken}, frozenset(elements)), [frozenset(elements)]) is None


def test_two_sets_are_permuted_apart() -> None:
    left, right = ELEMENTS[:2], ELEMENTS[2:]
    start: Value = frozenset()
    edges: set[Edge] = {(start, "Go", x, (x, y)) for x, y in product(left, right)}
    # The start and one orbit of four pairs; four edges that are one.
    graph = graph_of(edges, start)
    assert orbits(graph, [frozenset(left), frozenset(right)]) == Orbits(states=2, transitions=1)
    # Were all four alike, (a, a) and (c, a) would be states too.
    assert orbits(graph, [frozenset(ELEMENTS)]) is None


def test_nothing_alike_counts_everything() -> None:
    graph = graph_of({(0, "Go", ELEMENTS[0], 1), (1, "Go", ELEMENTS[0], 1)}, 0)
    for alike in ([], [frozenset(ELEMENTS[:1])]):
        assert orbits(graph, alike) == Orbits(states=2, transitions=2)


def test_initial_states_must_be_alike_too() -> None:
    a, b = ELEMENTS[:2]
    edges = [(0, "Go(a)", 1), (1, "Go(b)", 0)]
    both = build(edges, initial=(0, 1), alphabet=(), variables=("v",), values=lambda n: ((a, b)[n],))
    one = build(edges, initial=(0,), alphabet=(), variables=("v",), values=lambda n: ((a, b)[n],))
    assert orbits(both, [frozenset((a, b))]) == Orbits(states=1, transitions=1)
    assert orbits(one, [frozenset((a, b))]) is None


def test_stutters_are_transitions() -> None:
    """Two like counters that stop at 1: as multisets 3 states, 2 steps and 1 stutter."""
    a, b = ELEMENTS[:2]

    def state(x: int, y: int) -> Value:
        return Function({a: x, b: y})

    edges: set[Edge] = {(state(0, y), "Up", a, state(1, y)) for y in (0, 1)}
    edges |= {(state(x, 0), "Up", b, state(x, 1)) for x in (0, 1)}
    edges |= {(state(1, 1), "Stay", e, state(1, 1)) for e in (a, b)}
    assert len(list(combinations_with_replacement((0, 1), 2))) == 3
    assert orbits(graph_of(edges, state(0, 0)), [frozenset((a, b))]) == Orbits(states=3, transitions=3)


def test_the_published_instance_has_its_published_size(published_graph: StateGraph) -> None:
    # The transitions are distinct labelled ones, 560 orbits of stutters among them: the multisets of
    # three out of the 14 terminal states of one obligation.
    admissible = frozenset(map(ModelValue, ("o1", "o2", "o3")))
    assert orbits(published_graph, [admissible]) == Orbits(states=5_850, transitions=27_535)
