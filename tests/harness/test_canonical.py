"""The canonical order of a graph depends on its content alone."""

from pathlib import Path

import pytest

from specwalk.graph import StateGraph
from specwalk.graph.canonical import canonical, shuffled
from specwalk.values import show
from tests.explored import explored
from tests.harness.exploring import Explored
from tests.harness.toy import build

SPEC = Path(__file__).parents[2] / "spec"


def content(graph: StateGraph) -> tuple[list[str], set[tuple[str, str, str]]]:
    """A graph without its numbers: its initial states, and its edges as texts."""
    texts = [", ".join(map(show, values)) for values in graph.states]
    edges = {
        (texts[graph.source[edge]], str(graph.labels[graph.label[edge]]), texts[graph.target[edge]])
        for edge in range(len(graph))
    }
    return sorted(texts[state] for state in graph.initial), edges


def depths(graph: StateGraph) -> list[int]:
    return [len(graph.shortest_path(state)) for state in range(len(graph.states))]


def test_states_and_edges_stand_in_the_order_of_their_texts() -> None:
    # From 0: Jump(2) leads to 2, Up to 1; from 2: Down to 1, Up to 3. Initial states come first, by text.
    graph = canonical(build(initial=(0, 3)))
    assert [values[0] for values in graph.states] == [0, 3, 2, 1]
    named = [(graph.source[e], str(graph.labels[graph.label[e]]), graph.target[e]) for e in range(len(graph))]
    assert named == [
        *[(0, "Jump(2)", 2), (0, "Up", 3)],
        *[(1, "Down", 2), (1, "Stay", 1)],
        *[(2, "Down", 3), (2, "Up", 1)],
        *[(3, "Down", 0), (3, "Up", 2)],
    ]
    assert list(graph.first) == [0, 2, 4, 6, 8]
    assert list(graph.arrival) == [-1, -1, 0, 1]
    assert list(map(str, graph.labels)) == ["Down", "Jump(2)", "Stay", "Up"]
    assert list(map(str, graph.alphabet)) == ["Down", "Jump(1)", "Jump(2)", "Stay", "Up"]


@pytest.mark.parametrize("instance", ["deadline", "mixed"])
def test_the_order_of_the_dump_makes_no_difference(instance: str) -> None:
    graph = explored(SPEC / "Custody.tla", SPEC / f"Custody_{instance}.cfg")
    once = canonical(graph)
    assert content(once) == content(graph)
    assert once.actions == graph.actions
    assert sorted(depths(once)) == sorted(depths(graph))
    for seed in range(20):
        other = shuffled(graph, seed)
        assert other.states != graph.states
        assert other.source != graph.source
        assert content(other) == content(graph)
        assert canonical(other) == once


def test_several_successors_and_edges_that_were_generated_more_than_once(explored: Explored) -> None:
    graph = explored(
        "EXTENDS Naturals\nVARIABLE x\nInit == x \\in {1, 2}\nGo == x' = 1\nAny == x' \\in {1, 2, 3}\n"
        "Next == Go \\/ Go \\/ Any"
    )
    once = canonical(graph)
    leaving = [(str(once.labels[once.label[edge]]), once.states[once.target[edge]]) for edge in once.out(0)]
    assert leaving == [("Any", (1,)), ("Any", (2,)), ("Any", (3,)), ("Go", (1,))]
    assert once.repeated == {3: 2, 7: 2, 11: 2}
    for seed in range(5):
        assert canonical(shuffled(graph, seed)) == once
