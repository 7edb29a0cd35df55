"""Queries of a small graph, put together by hand.

    A(1), twice       B
0 -------------> 1 ------> 2        and A(1) leads from 0 to 2 as well; 2 stutters by Stop.
3 -- B --> 0     initial: 0 and 3
"""

import networkx
import pytest

from specwalk.graph import Action, Label, LabelLevel, StateGraph
from specwalk.graph.assemble import build
from specwalk.graph.transitions import Transitions
from specwalk.tlc import Counts

A, B, STOP = Label(action="A", parameters=("n",), arguments=(1,)), Label(action="B"), Label(action="Stop")


@pytest.fixture
def graph() -> StateGraph:
    read = Transitions(
        states=[(0, "a"), (1, "b"), (2, "c"), (0, "d")],
        initial=[0, 3],
        # Events 0 and 3 are the same label, from two places in the spec.
        edges=[(3, 1, 0), (0, 0, 1), (0, 3, 1), (0, 0, 2), (1, 1, 2), (2, 2, 2)],
    )
    return build(
        ("x", "name"),
        read,
        [A, B, STOP, A],
        Counts(generated=8, distinct=4, queue=0, depth=3),
        actions=(Action(name="A", parameters=("n",)), Action(name="B"), Action(name="Stop")),
        alphabet=[A, B, STOP],
        level=LabelLevel.PAIRED,
        notes=(),
    )


def edge(graph: StateGraph, number: int) -> tuple[int, str, int]:
    return graph.source[number], str(graph.labels[graph.label[number]]), graph.target[number]


def test_edges_are_distinct_and_sorted_by_source(graph: StateGraph) -> None:
    assert [edge(graph, number) for number in range(len(graph))] == [
        (0, "A(1)", 1),
        (0, "A(1)", 2),
        (1, "B", 2),
        (2, "Stop", 2),
        (3, "B", 0),
    ]
    assert [graph.out(state) for state in range(4)] == [range(2), range(2, 3), range(3, 4), range(4, 5)]


def test_repeated_edges_are_named_and_counted_as_generated(graph: StateGraph) -> None:
    assert graph.repeated == {0: 2}
    assert graph.action_counts() == {"A": 2, "B": 2, "Stop": 1}
    assert graph.generated_counts() == {"A": 3, "B": 2, "Stop": 1}


def test_successors_of_an_event(graph: StateGraph) -> None:
    assert graph.successors(0, A) == [1, 2]
    assert graph.successors(0, B) == []
    assert graph.successors(3, B) == [0]


def test_events_with_several_outcomes(graph: StateGraph) -> None:
    assert list(graph.several_successors()) == [(0, A, [1, 2])]


def test_shortest_paths(graph: StateGraph) -> None:
    assert [graph.shortest_path(state) for state in range(4)] == [[], [0], [1], []]


def test_a_state_by_its_variables(graph: StateGraph) -> None:
    assert graph.state_dict(2) == {"x": 2, "name": "c"}


def test_networkx_has_everything(graph: StateGraph) -> None:
    exported = graph.to_networkx()
    assert isinstance(exported, networkx.MultiDiGraph)
    assert exported.nodes[1]["values"] == (1, "b")
    assert exported.graph["initial"] == (0, 3)
    assert sorted((s, t, str(d["label"])) for s, t, d in exported.edges(data=True)) == [
        (0, 1, "A(1)"),
        (0, 2, "A(1)"),
        (1, 2, "B"),
        (2, 2, "Stop"),
        (3, 0, "B"),
    ]


def test_where_a_label_stands_does_not_tell_it_apart(graph: StateGraph) -> None:
    assert Label(action="B", location=None) == B
    assert Label(action="A", parameters=("n",), arguments=(2,)) != A
    assert len(graph.labels) == 3
