"""The study's checker grades a history to every state of Recovery.tla's graph, and agrees with TLC.

In each state the workers are killed, another one runs to its end, and what is pending commits.
"""

import json
from collections.abc import Iterator
from functools import cache

import pytest

from abhyasa.recovery import EffectEvidence, ReconcilePermit, Source
from abhyasa.recovery.checker import regrade
from model.refund import INSTANCE
from specwalk.graph import StateGraph
from specwalk.project import constants_of, load_binding
from specwalk.replay import Driver
from tests.explored import explored
from tests.model.witnessed import Witnessed
from tests.recovery.expected import CONTRACTS, FACTS, POLICIES, cell

Grades = dict[str, set[frozenset[str]]]


class Named(Witnessed):
    """Its workers have names of their own, so that it shows who was told of an effect (R14)."""

    def next_name(self) -> str:
        return f"worker {1 + len(self.store.records('leases', ('epoch',), INSTANCE.id))}"


@cache
def grades(instance: str) -> Grades:
    """Return, by contract, which rules are broken together in some state's history."""
    binding = load_binding("recovery")
    config = binding.instance(instance).config
    graph = explored(binding.spec, config)
    model = Named(constants_of(config))
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


def test_what_a_former_worker_was_told_is_no_evidence_of_the_next_one() -> None:
    model = Named({"Policy": "ledger", "MaxLosses": 1})
    model.start({"contract": "P2"})
    model.claim()
    model.admit("holder")
    model.send_request("holder")
    model.commit(1)
    model.claim()
    model.hear("former", True)
    told = model.provider.deliveries.answer(f"{INSTANCE.id}/1").receipt
    assert told
    seen = EffectEvidence(reference=f"{INSTANCE.id}/1", receipt=told, source=Source.ACK)
    permit = ReconcilePermit(lease=model.workers[-1].lease)
    model.store.observe(permit, seen, model.clock())
    assert regrade(json.loads(json.dumps(model.history()))).rules == {"R14"}


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
