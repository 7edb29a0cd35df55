"""Tours: every transition from the initial states in the fewest steps, and the proof of it.

Optima come from the paper's instance, counted independently, and from networkx's network simplex.
"""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NoReturn

import networkx
import pytest

from specwalk.graph import StateGraph
from specwalk.tours import Tours, lower_bound, plan_tours
from tests.explored import explored
from tests.harness.toy import build

SPEC = Path(__file__).parents[2] / "spec"


def require_tours(graph: StateGraph, tours: Tours) -> None:
    """Each walk is one from an initial state, and together they take every edge."""
    taken = set()
    for walk in tours.walks:
        assert graph.source[walk[0]] in graph.initial
        assert [graph.target[edge] for edge in walk[:-1]] == [graph.source[edge] for edge in walk[1:]]
        taken.update(walk)
    assert taken == set(range(len(graph)))


def fewest_steps(graph: StateGraph) -> int:
    """The optimum by network simplex: each edge once, and again at the cost of a step as often as wanted."""
    network = networkx.DiGraph()
    balance = dict.fromkeys(range(len(graph.states)), 0)
    for source, target in zip(graph.source, graph.target, strict=True):
        balance[source] -= 1
        balance[target] += 1
        network.add_edge(source, target, weight=1)
    for state in graph.initial:
        network.add_edge("hub", state, weight=0)
    for state in balance:
        network.add_edge(state, "hub", weight=0)
    networkx.set_node_attributes(network, {state: -count for state, count in balance.items()}, "demand")
    cost, _ = networkx.network_simplex(network)
    return len(graph) + cost


def random_graph(random: Random) -> StateGraph:
    """States that all can be reached from the initial ones, with cycles, stutters and parallel edges."""
    count = random.randint(1, 9)
    initial = sorted({0, random.randrange(count)})
    edges = {(random.randrange(state), "Up", state) for state in range(1, count) if state not in initial}
    for _ in range(random.randint(0, 20)):
        edges.add((random.randrange(count), random.choice(["Up", "Down", "Stay"]), random.randrange(count)))
    return build(sorted(edges), initial=initial)


def tangled_graph(random: Random) -> StateGraph:
    """Long ways that meet, on which flow that was brought has to be taken back."""
    count = random.randint(5, 40)
    order = random.sample(range(count), count)
    initial = order[: random.randint(1, 2)]
    edges = set()
    for place in range(len(initial), count):
        edges.add((random.choice(order[max(0, place - 3) : place]), "Up", order[place]))
    for _ in range(random.randint(0, 2 * count)):
        edges.add((random.randrange(count), "Down", random.randrange(count)))
    return build(sorted(edges), initial=sorted(initial))


def _endless(*_: object) -> NoReturn:
    raise TimeoutError("what takes milliseconds runs without end")


@pytest.fixture
def ends() -> Iterator[None]:
    """A test that does not end fails; flow that is brought wrongly may go around forever."""
    before = signal.signal(signal.SIGALRM, _endless)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("make", "seed"), [*((random_graph, n) for n in range(200)), *((tangled_graph, n) for n in range(100))]
)
@pytest.mark.usefixtures("ends")
def test_tours_of_random_graphs_are_as_short_as_network_simplex_finds(
    make: Callable[[Random], StateGraph], seed: int
) -> None:
    graph = make(Random(seed))
    tours = plan_tours(graph)
    require_tours(graph, tours)
    assert tours.steps == lower_bound(graph, tours.potentials) == fewest_steps(graph)


@pytest.mark.parametrize("instance", ["single", "deadline"])
def test_tours_of_the_small_instances_are_as_short_as_network_simplex_finds(instance: str) -> None:
    graph = explored(SPEC / "Custody.tla", SPEC / f"Custody_{instance}.cfg")
    tours = plan_tours(graph)
    require_tours(graph, tours)
    assert tours.steps == lower_bound(graph, tours.potentials) == fewest_steps(graph)


def test_the_published_instance_takes_527240_steps_in_43362_walks(published_graph: StateGraph) -> None:
    tours = plan_tours(published_graph)
    require_tours(published_graph, tours)
    assert tours.steps == lower_bound(published_graph, tours.potentials) == 527_240
    assert len(tours.walks) == 43_362


def test_the_toy_by_hand() -> None:
    # 3 Up, 3 Down, Jump(2), Stay: from 0 on one walk can take each once and end in 2, which is entered
    # three times and left twice. With 2 as the start 0 lacks an arrival: from 2 two steps bring it.
    graph = build()
    tours = plan_tours(graph)
    require_tours(graph, tours)
    assert (tours.steps, len(tours.walks)) == (8, 1)
    assert plan_tours(build(initial=(2,))).steps == 10


def test_a_graph_without_transitions_has_no_tours() -> None:
    assert plan_tours(build([])).walks == []


def test_a_closed_trail_apart_from_all_others_is_a_walk() -> None:
    graph = build([(0, "Up", 1), (2, "Up", 3), (3, "Down", 2)], initial=(0, 2))
    assert sorted(plan_tours(graph).walks) == [[0], [1, 2]]


def test_walks_begin_in_the_initial_states_in_their_order() -> None:
    graph = build([(0, "Up", 1), (0, "Jump(2)", 2), (3, "Up", 4)], initial=(0, 3))
    assert plan_tours(graph).walks == [[0], [1], [2]]


CHAIN = build([(0, "Up", 1), (1, "Up", 2), (1, "Down", 0), (0, "Jump(2)", 2)])


@pytest.mark.parametrize(
    ("potentials", "problem"),
    [
        ([0, -1, 0], "below 0"),
        ([1, 1, 1], "initial state is not 0"),
        ([0, 1, 2], "rises by more than 1"),
    ],
)
def test_what_proves_nothing_is_refused(potentials: list[int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        lower_bound(CHAIN, potentials)


def test_poor_potentials_prove_a_lower_bound_only() -> None:
    tree = build([(0, "Up", 1), (1, "Up", 2), (1, "Jump(2)", 3)])
    assert [lower_bound(tree, potentials) for potentials in ([0, 0, 0, 0], [0, 1, 0, 0])] == [3, 4]
    assert plan_tours(tree).steps == 4
