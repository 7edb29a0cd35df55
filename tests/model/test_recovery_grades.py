"""The study's checker grades a history to every state of Recovery.tla's graph, and agrees with TLC.

In each state the workers are killed, another one runs to its end, and what is pending commits.
"""

import json
from collections.abc import Iterator
from functools import cache

import pytest

from abhyasa.recovery.checker import regrade
from specwalk.graph import StateGraph, explore
from specwalk.project import constants_of, load_binding
from specwalk.replay import Driver
from tests.model.witnessed import Witnessed
from tests.recovery.expected import CONTRACTS, FACTS, POLICIES, cell

Grades = dict[str, set[frozenset[str]]]


@cache
def grades(instance: str) -> Grades:
    """Return, by contract, which rules are broken together in some state's history."""
    binding = load_binding("recovery")
    config = binding.instance(instance).config
    graph = explore(binding.spec, config)
    model = Witnessed(constants_of(config))
    found: Grades = {contract: set() for contract in CONTRACTS}
    for _ in everywhere(graph, Driver(model, graph.variables)):
        contract = model.provider.deliveries.contract.name
        found[contract].add(regrade(json.loads(json.dumps(model.history()))).rules)
    return found


def everywhere(graph: StateGraph, driver: Driver) -> Iterator[None]:
    """Put the model into every state, each by its first arrival."""
    snapshots: list[object] = []
    for state, arrival in enumerate(graph.arrival):
        if arrival < 0:
            driver.start(graph.state_dict(state))
        else:
            driver.restore(snapshots[graph.source[arrival]])
            label = graph.labels[graph.label[arrival]]
            assert driver.perform(driver.bind(label.action, label.arguments)) is None
        snapshots.append(driver.snapshot())
        yield


@pytest.mark.parametrize("instance", ["ledger", pytest.param("ledger_any", marks=pytest.mark.deep)])
def test_ledger_reconciliation_breaks_no_rule_wherever_a_history_has_got_to(instance: str) -> None:
    assert grades(instance) == {contract: {frozenset()} for contract in CONTRACTS}


@pytest.mark.deep
@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "ledger"])
def test_every_other_policy_breaks_the_rules_of_the_closed_form_and_no_other(
    policy: str, contract: str
) -> None:
    broken = {rule for schedule in FACTS for rule in cell(schedule, contract, policy)[3]}
    found = grades(f"{policy}_any")[contract]
    assert frozenset[str]().union(*found) == broken


@pytest.mark.deep
def test_a_key_that_is_live_at_the_intent_may_be_dead_when_the_request_arrives() -> None:
    """What no schedule shows: two effects (R7) without a stale repetition (R5)."""
    assert frozenset({"R7"}) in grades("stable_key_any")["P1"]
