"""The model of custody: it holds no protocol state, and the real endpoints take its every edge.

That faults of the implementation diverge is shown by `make teeth`, which plants them one at a time.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from specwalk.divergence import Origin
from specwalk.graph import StateGraph
from specwalk.project import Binding, constants_of, load_binding
from specwalk.replay import Driver
from specwalk.tally import Tally
from specwalk.walk import walk
from tests.explored import explored


@pytest.fixture(scope="module")
def binding() -> Binding:
    return load_binding("custody")


@pytest.fixture(scope="module")
def configs(binding: Binding, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The instances of one obligation, and one with an inadmissible obligation beside it."""
    found = {instance.name: instance.config for instance in binding.instances}
    mixed = tmp_path_factory.mktemp("mixed") / "Custody_mixed.cfg"
    mixed.write_text(found["single"].read_text().replace("Obligations = {o1}", "Obligations = {o1, o2}"))
    return {"single": found["single"], "deadline": found["deadline"], "mixed": mixed}


@pytest.fixture(scope="module")
def graphs(binding: Binding, configs: dict[str, Path]) -> dict[str, StateGraph]:
    return {name: explored(binding.spec, config) for name, config in configs.items()}


@pytest.fixture
def walk_instance(
    binding: Binding, configs: dict[str, Path], graphs: dict[str, StateGraph]
) -> Callable[[str], Tally]:
    def run(name: str) -> Tally:
        origin = Origin(model=binding.name, config=configs[name].name)
        return walk(graphs[name], binding.model(constants_of(configs[name])), origin)

    return run


class DoNothing:
    """Takes the place of an endpoint: accepts every call and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_arguments, **_options: None


@pytest.mark.parametrize("name", ["single", "deadline", "mixed"])
def test_with_do_nothing_endpoints_every_edge_but_a_stutter_diverges(
    name: str, binding: Binding, configs: dict[str, Path], graphs: dict[str, StateGraph]
) -> None:
    graph = graphs[name]
    model: Any = binding.model(constants_of(configs[name]))
    driver = Driver(model, graph.variables)
    for state in range(len(graph.states)):
        for edge in graph.out(state):
            model.start(graph.state_dict(graph.initial[0]))
            for step in graph.shortest_path(state):
                label = graph.labels[graph.label[step]]
                assert driver.perform(driver.bind(label.action, label.arguments)) is None
            model.custodian, model.receiver = DoNothing(), DoNothing()
            label = graph.labels[graph.label[edge]]
            refused = driver.perform(driver.bind(label.action, label.arguments))
            landed = driver.read(model.observe()) == graph.state_dict(graph.target[edge])
            assert (refused is None and landed) == (graph.target[edge] == state), label


@pytest.mark.parametrize(("name", "edges"), [("single", 51), ("deadline", 28), ("mixed", 113)])
def test_the_real_endpoints_take_every_edge_and_refuse_everything_else(
    name: str, edges: int, graphs: dict[str, StateGraph], walk_instance: Callable[[str], Tally]
) -> None:
    tally = walk_instance(name)
    assert not tally.findings
    assert (tally.states, tally.edges) == (len(graphs[name].states), edges)
    assert tally.refusals == tally.states * len(graphs[name].alphabet) - edges
    # Where a step ends in a state reached before, and where something allowed was done instead.
    assert tally.hidden_compared == edges - (tally.states - 1) + tally.did_instead
