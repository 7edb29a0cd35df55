"""The models of DurableCustody and Supersession: they hold no protocol state of their own.

That the real endpoints take every edge is what `make check` shows; `make teeth` plants faults in them.
"""

from collections.abc import Callable
from typing import Any

import pytest

from specwalk.graph import StateGraph
from specwalk.project import constants_of, load_binding
from specwalk.replay import Driver
from tests.explored import explored

#: Steps of what surrounds the endpoints, which the models play themselves.
WORLD = {"Crash", "Resume", "Tick", "LoseCopy", "LoseAnswer"}
#: How many edges of each action are tried, evenly spread.
SAMPLE = 20


class DoNothing:
    """Takes the place of an endpoint: accepts every call and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_arguments, **_options: None

    def deferred(self) -> list[object]:
        return []


@pytest.mark.parametrize(("name", "instance"), [("durable", "brief"), ("supersession", "revoked")])
def test_with_do_nothing_endpoints_every_edge_but_a_stutter_diverges(name: str, instance: str) -> None:
    binding = load_binding(name)
    config = binding.spec.with_name(f"{binding.spec.stem}_{instance}.cfg")
    graph = explored(binding.spec, config)
    model: Any = binding.model(constants_of(config))
    driver = Driver(model, graph.variables)
    for edges in edges_of_endpoints(graph).values():
        for edge in edges[:: -(-len(edges) // SAMPLE)]:
            source, target = graph.source[edge], graph.target[edge]
            reach(driver, graph, source)
            for process in (model.custodian, model.receiver):
                process.endpoint = process.endpoint and DoNothing()
            if source != target:
                assert not lands(driver, model, graph, edge), graph.labels[graph.label[edge]]


def edges_of_endpoints(graph: StateGraph) -> dict[str, list[int]]:
    """The edges of each action that is the endpoints' to take."""
    found: dict[str, list[int]] = {action.name: [] for action in graph.actions if action.name not in WORLD}
    for edge in range(len(graph)):
        name = graph.labels[graph.label[edge]].action
        if name in found:
            found[name].append(edge)
    assert all(found.values())
    return found


def lands(driver: Driver, model: Any, graph: StateGraph, edge: int) -> bool:
    """Whether a step is offered, raises nothing, and ends where its edge does."""
    label = graph.labels[graph.label[edge]]
    try:
        refused = driver.perform(driver.bind(label.action, label.arguments))
    except RuntimeError:  # the model's word for a rival decision that was taken
        return False
    return refused is None and driver.read(model.observe()) == graph.state_dict(graph.target[edge])


def reach(driver: Driver, graph: StateGraph, state: int) -> None:
    """Lead the real endpoints to a state."""
    driver.start(graph.state_dict(graph.initial[0]))
    for step in graph.shortest_path(state):
        label = graph.labels[graph.label[step]]
        assert driver.perform(driver.bind(label.action, label.arguments)) is None
