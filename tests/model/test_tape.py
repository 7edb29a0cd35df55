"""A worker that is put back to where it stood goes on as one that was never put back."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from abhyasa.recovery import LeaseLost, application_events
from model.recovery import RecoveryModel
from model.refund import INSTANCE
from model.tape import TRANSACTIONS, Worker

NEW = Worker(name="worker")
CONSTANTS = {"Policy": "ledger", "MaxDispatches": 1, "MaxLosses": 1}


@pytest.fixture
def model() -> RecoveryModel:
    model = RecoveryModel(CONSTANTS)
    model.start({"contract": "P1"})
    return model


def acts(model: RecoveryModel, worker: Worker) -> Iterator[tuple[str, Worker]]:
    """Let a worker run to its end; yield each act before it is done, and the worker that stands there."""
    standing = [worker]
    while standing:
        (worker,) = standing
        yield worker.act, worker
        if worker.act == "hear":
            model.commit(1)
        standing = model.workplace.go_on(worker)


def test_a_worker_stops_before_each_act(model: RecoveryModel) -> None:
    assert [act for act, _ in acts(model, NEW)] == [
        *("claim", "admit", "send", "hear", "observe", "settle", "report")
    ]
    assert model.observe()["reported"] == "success"


def test_put_back_it_goes_on_as_it_did_and_its_past_is_not_done_again(model: RecoveryModel) -> None:
    places = [(worker, model.snapshot()) for _, worker in acts(model, NEW)]
    ended = application_events(model.store, INSTANCE.id)
    for worker, place in places:
        model.restore(place)
        assert list(acts(model, worker))
        assert application_events(model.store, INSTANCE.id) == ended


def test_a_worker_that_lost_its_lease_ends_and_writes_nothing(model: RecoveryModel) -> None:
    stale = next(worker for act, worker in acts(model, NEW) if act in TRANSACTIONS - {"claim"})
    model.claim()
    before = model.store.image()
    assert model.workplace.go_on(stale) == []
    assert model.store.image() == before
    with pytest.raises(LeaseLost):
        model.store.may_reconcile(stale.lease)


def test_a_worker_that_asks_for_something_else_than_before_is_no_replay(model: RecoveryModel) -> None:
    *_, (_, worker) = acts(model, NEW)
    swapped = replace(worker, answers=(*worker.answers[:1], worker.answers[2], *worker.answers[1:]))
    with pytest.raises(RuntimeError, match="the worker asks for row where it had asked for"):
        model.workplace.go_on(swapped)
