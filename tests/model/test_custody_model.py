"""The model of custody: it holds no protocol state, and faults of the implementation diverge.

The faults are planted in the real classes, one at a time; each is caught by the kind of check that
the test names, on the instance `single` or `deadline`.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from abhyasa.core import custodian as custodian_core
from abhyasa.core import receiver as receiver_core
from abhyasa.core.custodian import Due, Status
from abhyasa.core.obligation import AckStatus
from abhyasa.endpoint import Custodian
from abhyasa.kinds.phala import BeliefUpdate
from abhyasa.store.custodian import CustodianStore
from abhyasa.store.receiver import ReceiverStore
from specwalk.divergence import Kind, Origin
from specwalk.graph import StateGraph, explore
from specwalk.project import Binding, constants_of, load_binding
from specwalk.replay import Driver
from specwalk.tally import Tally
from specwalk.walk import walk


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
    return {name: explore(binding.spec, config) for name, config in configs.items()}


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


# Faults: what is patched, where it shows, and as what.


def acknowledge_on_receipt(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReceiverStore, "_change", lambda _store, _change: None)


def reapply_on_redelivery(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ReceiverStore, "_write", lambda _store, _entry: None)


def decline_after_application(patch: pytest.MonkeyPatch) -> None:
    real = receiver_core.LedgerEntry.ack
    patch.setattr(
        receiver_core.LedgerEntry,
        "ack",
        lambda entry: replace(real(entry), status=AckStatus.DECLINED),
    )


def one_retry_too_many(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("abhyasa.core.terms.Terms.deliveries", property(lambda terms: terms.max_retries + 2))


def attempts_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CustodianStore, "attempt", lambda _store, _command: None)


def escalate_without_safe(patch: pytest.MonkeyPatch) -> None:
    real = CustodianStore.escalate
    patch.setattr(
        CustodianStore, "escalate", lambda store, command: real(store, replace(command, change=None))
    )


def escalate_without_a_report(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CustodianStore, "escalate", lambda store, command: store.discharge(command))


def never_expire(patch: pytest.MonkeyPatch) -> None:
    real = custodian_core.due

    def due(record: Any, now: datetime) -> Due | None:
        return real(replace(record, deadline=datetime.max.replace(tzinfo=now.tzinfo)), now)

    patch.setattr(custodian_core, "due", due)


def send_while_the_wait_runs(patch: pytest.MonkeyPatch) -> None:
    real = custodian_core.due

    def eager(record: Any, now: datetime) -> Due | None:
        idle = record.status is Status.PENDING and record.deliveries < record.terms.deliveries
        return real(record, now) or (Due.DELIVERY if idle else None)

    patch.setattr(custodian_core, "due", eager)


def best_effort_under_custody(patch: pytest.MonkeyPatch) -> None:
    protect = BeliefUpdate.effect
    patch.setattr(BeliefUpdate, "safe", lambda kind, obligation: protect(kind, obligation))


def send_before_the_commit(patch: pytest.MonkeyPatch) -> None:
    real = Custodian._execute
    patch.setattr(Custodian, "_execute", lambda endpoint, commands: real(endpoint, tuple(reversed(commands))))


def commit_after_sending(patch: pytest.MonkeyPatch) -> None:
    def attempt(store: Any, command: Any) -> None:
        store._db.execute("BEGIN IMMEDIATE")
        store._update(command.record)

    advance = Custodian.advance

    def advance_and_commit(endpoint: Any, *arguments: Any) -> None:
        advance(endpoint, *arguments)
        if endpoint._store._db.in_transaction:
            endpoint._store._db.execute("COMMIT")

    patch.setattr(CustodianStore, "attempt", attempt)
    patch.setattr(Custodian, "advance", advance_and_commit)


def count_in_a_hidden_place(patch: pytest.MonkeyPatch) -> None:
    """The receiver counts redeliveries in its state, where no variable of the spec looks."""
    real = ReceiverStore.entry

    def entry(store: Any, obligation_id: str) -> Any:
        count = len(store._rows("SELECT * FROM state WHERE key LIKE 'seen/%'"))
        store._db.execute("INSERT INTO state VALUES (?, '1')", (f"seen/{count}",))
        return real(store, obligation_id)

    patch.setattr(ReceiverStore, "entry", entry)


FAULTS = [
    (acknowledge_on_receipt, "single", Kind.WRONG_STATE, "Apply"),
    (reapply_on_redelivery, "single", Kind.WRONG_STATE, "LoseAck"),
    (decline_after_application, "single", Kind.WRONG_STATE, "Apply"),
    (one_retry_too_many, "single", Kind.NOT_REFUSED, "Lose"),
    (attempts_forgotten, "single", Kind.NOT_OFFERED, "Lose"),
    (escalate_without_safe, "single", Kind.WRONG_STATE, "EscalateByBudget"),
    (escalate_without_a_report, "deadline", Kind.WRONG_STATE, "EscalateByDeadline"),
    (never_expire, "deadline", Kind.NOT_REFUSED, "Apply"),
    (send_while_the_wait_runs, "single", Kind.WRONG_STATE, "Lose"),
    (best_effort_under_custody, "mixed", Kind.NOT_OFFERED, "SendBestEffort"),
    (send_before_the_commit, "single", Kind.NOT_OFFERED, "Lose"),
    (commit_after_sending, "single", Kind.NOT_OFFERED, "Lose"),
    (count_in_a_hidden_place, "single", Kind.HIDDEN_STATE, "Apply"),
]


@pytest.mark.parametrize(
    ("fault", "name", "kind", "action"), FAULTS, ids=[fault.__name__ for fault, *_ in FAULTS]
)
def test_a_planted_fault_diverges(
    fault: Callable[[pytest.MonkeyPatch], None],
    name: str,
    kind: Kind,
    action: str,
    walk_instance: Callable[[str], Tally],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fault(monkeypatch)
    found = {
        (finding.divergence.kind, finding.divergence.step.partition("(")[0])
        for finding in walk_instance(name).findings.values()
    }
    assert (kind, action) in found
