"""Random specs: the labelled graph is, edge by edge, the machine that Python computes by itself."""

from collections import Counter
from pathlib import Path

import pytest

from specwalk.graph import LabelLevel, StateGraph, explore
from tests.harness.random_specs import Event, Numbers, RandomSpec, State


def state(graph: StateGraph, number: int) -> State:
    x, s = graph.state_dict(number)["x"], graph.state_dict(number)["s"]
    assert isinstance(x, int)
    assert isinstance(s, frozenset)
    members: Numbers = frozenset(member for member in s if isinstance(member, int))
    return x, members


def event(graph: StateGraph, edge: int) -> Event:
    label = graph.labels[graph.label[edge]]
    return label.action, tuple(argument for argument in label.arguments if isinstance(argument, int))


@pytest.mark.parametrize(
    "seed", [*range(6), *(pytest.param(n, marks=pytest.mark.deep) for n in range(6, 12))]
)
def test_edges_and_alphabet_are_those_of_an_independent_computation(seed: int, tmp_path: Path) -> None:
    spec = RandomSpec(seed)
    states, steps = spec.explore()
    (tmp_path / "R.tla").write_text(spec.tla("R"))
    (tmp_path / "R.cfg").write_text("INIT Init\nNEXT Next\n")

    graph = explore(tmp_path / "R.tla", tmp_path / "R.cfg")

    edges = Counter(
        {
            (state(graph, graph.source[e]), event(graph, e), state(graph, graph.target[e])): (
                graph.repeated.get(e, 1)
            )
            for e in range(len(graph))
        }
    )
    assert edges == steps, spec.tla("R")
    assert {state(graph, n) for n in range(len(graph.states))} == set(states)
    assert graph.generated == steps.total() + 2
    offered = {
        (label.action, tuple(a for a in label.arguments if isinstance(a, int))) for label in graph.alphabet
    }
    assert offered == spec.alphabet(states), spec.tla("R")
    assert (graph.level, graph.notes) == (LabelLevel.PAIRED, ())
