"""The walk of Recovery.tla: it sees what no scripted history shows, and its model holds no protocol state.

That the real application takes every edge is what `make check` shows.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from abhyasa.recovery import Denial, Lease, RecoveryStore, Request, Scope, ledger
from abhyasa.recovery.checker import regrade
from model.played import PlayedProvider
from model.providers import CONTRACTS, P2
from model.recovery import RecoveryModel
from model.refund import INSTANCE, SCOPE, STRANGER, Clock, WalkedStore
from model.tape import Worker
from specwalk.divergence import Divergence, Kind, Origin
from specwalk.graph import StateGraph
from specwalk.project import constants_of
from specwalk.replay import Driver
from specwalk.values import parse_step
from specwalk.walk import walk
from tests.explored import explored
from tests.model.witnessed import Witnessed
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.faults import races
from tests.recovery.rig import graded
from tests.recovery.stage import FailingStore

SPEC = Path(__file__).parents[2] / "spec"

#: Per fault: the contract and the loss of authority with which it shows, the step that shows it first, and
#: what the checker says of that history, if anything.
FAULTS = {
    races.ObservationUnfenced: ("P2", "revoked", 'Observe("former")', {"R6"}),
    races.SettlementUnfenced: ("P2", "revoked", 'Settle("former")', {"R6"}),
    races.ReportUnfenced: ("P2", "revoked", 'Report("former")', set()),
    races.NameIsLease: ("P2", "revoked", "Claim", set()),
    races.CancellationForgotten: ("P3", "cancelled", 'Admit("holder")', {"R2"}),
}
#: Steps of a worker, all of which are the application's to take.
WORK = {"Claim", "Admit", "Send", "Hear", "LookUp", "Observe", "Settle", "Report"}
#: How many edges of each are tried, evenly spread.
SAMPLE = 20


@cache
def narrowed(contract: str, loss: str) -> tuple[StateGraph, Mapping[str, Any]]:
    """Return graph and constants of ledger reconciliation: one contract, and one way to lose authority."""
    text = (SPEC / "Recovery_ledger.cfg").read_text()
    with TemporaryDirectory() as folder:
        config = Path(folder) / "Recovery.cfg"
        config.write_text(text.replace('{"P1", "P2", "P3"}', f'{{"{contract}"}}').replace("revoked", loss))
        return explored(SPEC / "Recovery.tla", config), constants_of(config)


def first_divergence(contract: str, loss: str, fault: type[RecoveryStore]) -> Divergence | None:
    graph, constants = narrowed(contract, loss)
    model = RecoveryModel(constants)
    model.store_type = with_fault(fault, WalkedStore)
    tally = walk(graph, model, Origin(model="recovery", config="narrowed"))
    return next((finding.divergence for finding in tally.findings.values()), None)


def with_fault(fault: type[RecoveryStore], store: type[RecoveryStore]) -> Any:
    return type(fault.__name__, (fault, store), {})


class Sound(RecoveryStore):
    """Has no fault."""


def test_the_walk_sees_no_fault_where_there_is_none() -> None:
    assert first_divergence("P2", "revoked", Sound) is None


@pytest.mark.parametrize("fault", FAULTS)
def test_the_walk_sees_a_fault_where_the_spec_has_another_step(fault: type[RecoveryStore]) -> None:
    contract, loss, step, rules = FAULTS[fault]
    found = first_divergence(contract, loss, fault)
    assert found
    assert (found.step, found.kind, found.enabled) == (step, Kind.WRONG_STATE, True)
    model = Witnessed(narrowed(contract, loss)[1])
    model.store_type = with_fault(fault, WalkedStore)
    driver = Driver(model, found.before)
    driver.start(found.way.start)
    for taken in found.steps:
        driver.perform(driver.bind(*parse_step(taken)))
    assert regrade(json.loads(json.dumps(model.history()))).rules == rules


@pytest.mark.parametrize("fault", FAULTS)
def test_no_scripted_history_shows_it(fault: type[RecoveryStore]) -> None:
    for schedule in (*SCHEDULES, *EXTENSIONS):
        for contract in CONTRACTS.values():
            sound = graded(schedule, contract, ledger)
            assert graded(schedule, contract, ledger, store=with_fault(fault, FailingStore)) == sound


@pytest.mark.parametrize("change", [{"scope": STRANGER}, {"action": '{"amount":4000}'}])
def test_a_request_of_another_scope_or_action_ends_the_walk_with_an_error(change: dict[str, Any]) -> None:
    sound = {"reference": f"{INSTANCE.id}/1", "key": "k", "participant": "w", "scope": SCOPE}
    provider = PlayedProvider(P2, Clock())
    provider.send(Request(**sound, action=INSTANCE.action_text))
    with pytest.raises(RuntimeError, match="R1: this is for another scope or action"):
        provider.send(Request(**{**sound, "action": INSTANCE.action_text, **change}))


class RunsAreOne(RecoveryStore):
    """Whoever is of the instance's principal may claim it, whatever the run."""

    def claim(self, instance_id: str, scope: Scope, *arguments: Any) -> Lease | Denial:
        return super().claim(instance_id, replace(scope, run=SCOPE.run), *arguments)


def test_the_walk_sees_that_a_worker_of_another_run_is_none() -> None:
    found = first_divergence("P2", "revoked", RunsAreOne)
    assert found
    assert found.step == "StrangerAsks"


State = Mapping[str, Any]
DOWN = {place: {"act": "down", "about": 0} for place in ("holder", "former")}
#: What ledger reconciliation may come to at P2 where the grant is revoked, and given again.
PROBES: dict[str, Callable[[State], bool]] = {
    "a completion": lambda s: s["reported"] == "success",
    "a completion after a revocation": lambda s: s["reported"] == "success" and s["lost"] == {"revoked"},
    "a denial": lambda s: s["reported"] == "revoked",
    "a denial whose reason has gone": lambda s: s["reported"] == "revoked" and not s["lost"],
    "unknown, and there is an effect": lambda s: s["reported"] == "unknown" and s["committed"] == {1},
    "unknown, and nothing was sent": lambda s: s["reported"] == "unknown" and s["origin"] == (0, 0),
    "a settlement that nobody is told of": lambda s: s["charged"] == 1 and s["worker"] == DOWN,
    "two that live": lambda s: all(worker["act"] != "down" for worker in s["worker"].values()),
    "a request of one who was replaced": lambda s: s["worker"]["former"]["act"] == "hear",
    "an observation of one who was replaced": lambda s: s["worker"]["former"]["act"] == "observe",
}


@pytest.mark.parametrize("name", PROBES)
def test_what_may_happen_does(name: str) -> None:
    graph, _ = narrowed("P2", "revoked")
    assert reaching(graph, PROBES[name])[graph.initial[0]]


def test_from_everywhere_there_is_a_way_to_an_end_and_what_was_sent_can_always_be_settled() -> None:
    graph, _ = narrowed("P2", "revoked")
    assert all(reaching(graph, lambda s: s["reported"] != "nothing" and s["worker"] == DOWN))
    settled = reaching(graph, lambda s: s["reported"] == "success")
    sent = [graph.state_dict(state)["origin"] != (0, 0) for state in range(len(graph.states))]
    assert any(sent)
    assert all(can for can, was in zip(settled, sent, strict=True) if was)


def test_what_an_opaque_provider_has_done_may_stay_unknown_for_ever() -> None:
    graph, _ = narrowed("P3", "cancelled")
    settled = reaching(graph, lambda s: s["reported"] == "success")
    lost = [not can and graph.state_dict(state)["committed"] == {1} for state, can in enumerate(settled)]
    assert any(lost)


def reaching(graph: StateGraph, there: Callable[[State], bool]) -> list[bool]:
    """Return, by state, whether some state like that can be reached from it."""
    found = [there(graph.state_dict(state)) for state in range(len(graph.states))]
    edges = list(zip(graph.source, graph.target, strict=True))
    while more := {source for source, target in edges if found[target] and not found[source]}:
        for state in more:
            found[state] = True
    return found


class Idle:
    """Takes the place of where workers run: whoever goes on stands where he stood."""

    def go_on(self, worker: Worker) -> list[Worker]:
        return [worker] if worker.answers else []


def test_with_idle_workers_every_edge_of_theirs_but_a_stutter_diverges() -> None:
    graph, constants = narrowed("P2", "revoked")
    model = RecoveryModel(constants)
    driver = Driver(model, graph.variables)
    for name in WORK:
        edges = [edge for edge in range(len(graph)) if graph.labels[graph.label[edge]].action == name]
        assert edges, name
        for edge in edges[:: -(-len(edges) // SAMPLE)]:
            reach(driver, graph, graph.source[edge])
            work, model.workplace = model.workplace, Idle()  # type: ignore[assignment]
            assert not lands(driver, graph, edge), graph.labels[graph.label[edge]]
            model.workplace = work


def reach(driver: Driver, graph: StateGraph, state: int) -> None:
    """Lead the real workers to a state."""
    driver.start(graph.state_dict(graph.initial[0]))
    for edge in graph.shortest_path(state):
        take(driver, graph, edge)


def lands(driver: Driver, graph: StateGraph, edge: int) -> bool:
    """Whether a step is offered, and ends where its edge does."""
    take(driver, graph, edge)
    return driver.read(driver.observe()) == graph.state_dict(graph.target[edge])


def take(driver: Driver, graph: StateGraph, edge: int) -> None:
    label = graph.labels[graph.label[edge]]
    assert driver.perform(driver.bind(label.action, label.arguments)) is None
