"""The application's own ways: its boundaries, what it says and when, and what it asks of others."""

import json
from dataclasses import replace
from functools import partial

import pytest

from abhyasa import StoreError
from abhyasa.recovery import (
    Answer,
    AnswerKind,
    Boundary,
    Denial,
    EffectEvidence,
    Lease,
    LeaseLost,
    Outcome,
    Report,
    Source,
    application_events,
    ledger,
    revalidate,
)
from abhyasa.recovery.checker import regrade
from tests.recovery.corpus import DELAYED, INSTANCE, LEASE_SPAN, LOST, PROMPT, SCOPE, Run
from tests.recovery.providers import P2
from tests.recovery.stage import Stage


@pytest.fixture
def application(database):
    """Makes an application, and the stage that it is on."""

    def made(policy=ledger, first=PROMPT, **changes):
        stage = Stage(policy, P2, first, store=partial(database.open, "failing"))
        return replace(stage._application, **changes), stage

    return made


def test_a_run_passes_its_boundaries_in_order(application):
    app, _ = application()
    assert list(app.steps(INSTANCE.id, SCOPE, "w1")) == [
        Boundary.PRE_ADMIT,
        Boundary.ADMITTED,
        Boundary.SENT,
        Boundary.ACK,
        Boundary.PERSISTED,
        Boundary.SETTLED,
        Boundary.HOST_ACK,
    ]


def test_a_run_that_gets_no_answer_says_that_it_does_not_know(application):
    app, stage = application(first=LOST)
    assert list(app.steps(INSTANCE.id, SCOPE, "w1"))[-2:] == [Boundary.NOACK, Boundary.HOST_ACK]
    assert stage.store.reservation(INSTANCE.id) == "held"
    assert app.run(INSTANCE.id, SCOPE, "w2") == Report(outcome=Outcome.SUCCESS)
    assert stage.store.reservation(INSTANCE.id) == "charged"


def test_a_settlement_that_cannot_be_written_is_not_reported_and_is_made_by_the_next_run(application):
    app, stage = application()
    stage.store.settle_fails = True
    with pytest.raises(StoreError, match="free space on"):
        app.run(INSTANCE.id, SCOPE, "w1")
    assert stage.store.records("reports", ("outcome",), INSTANCE.id) == []
    stage.store.settle_fails = False
    assert app.run(INSTANCE.id, SCOPE, "w2") == Report(outcome=Outcome.SUCCESS)


def test_a_lease_that_ran_out_meanwhile_is_no_denial_and_the_next_run_goes_on(application):
    app, stage = application(lease_span=60)
    slow = replace(app, dependency=lambda _: stage.clock.reach(stage.clock.now + 60) is None)
    with pytest.raises(LeaseLost, match="ran out first: run it again"):
        slow.run(INSTANCE.id, SCOPE, "w1")
    assert stage.store.records("reports", ("outcome",), INSTANCE.id) == []
    expired = Lease(instance_id=INSTANCE.id, epoch=1, worker="w1")
    assert not stage.store.heartbeat(expired, LEASE_SPAN, stage.clock())
    assert app.run(INSTANCE.id, SCOPE, "w2") == Report(outcome=Outcome.SUCCESS)
    assert regrade(json.loads(json.dumps(stage.finish()))).rules == set()


def test_a_denial_is_final_for_its_instance(application):
    app, stage = application(dependency=lambda _: False)
    denied = Report(outcome=Outcome.DENIED, reason=Denial.DEPENDENCY_REFUSED)
    assert app.run(INSTANCE.id, SCOPE, "w1") == denied
    assert replace(app, dependency=None).run(INSTANCE.id, SCOPE, "w2") == denied
    assert not stage.finish()["provider"]["requests"]


def test_the_dependency_s_answer_is_on_record_and_counts_for_its_instance_and_worker_alone(application):
    app, stage = application(dependency=lambda instance: instance.id == INSTANCE.id)
    store, clock = stage.store, stage.clock
    store.register(sibling := replace(INSTANCE, id="refund-19", approval=None))
    lease = store.claim(sibling.id, SCOPE, "w1", LEASE_SPAN, clock())
    refused = app.consult(lease)
    assert app.run(INSTANCE.id, SCOPE, "w2") == Report(outcome=Outcome.SUCCESS)
    assert store.admit(lease, clock(), refused) is Denial.DEPENDENCY_REFUSED
    store.register(third := replace(sibling, id="refund-20"))
    assert replace(app, dependency=None).run(third.id, SCOPE, "w3") == Report(outcome=Outcome.SUCCESS)
    said = {
        instance.id: [
            word["value"]
            for word in application_events(store, instance.id)["authority"]
            if word["fact"] == "dependency"
        ]
        for instance in (INSTANCE, sibling)
    }
    assert said == {INSTANCE.id: [1], sibling.id: [0]}


async def waiting(_):
    return True


@pytest.mark.parametrize("dependency", [waiting, lambda _: "no"], ids=["a coroutine", "a text"])
@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_what_is_not_true_is_a_dependency_s_no(application, dependency):
    app, _ = application(dependency=dependency)
    assert app.run(INSTANCE.id, SCOPE, "w1").reason is Denial.DEPENDENCY_REFUSED


def test_the_dependency_is_asked_again_before_a_retry_that_revalidates(application):
    app, stage = application(revalidate, DELAYED)
    stage.run(Run(worker="w1", to=Boundary.NOACK))
    refusing = replace(app, dependency=lambda _: False)
    assert refusing.run(INSTANCE.id, SCOPE, "w2") == Report(outcome=Outcome.UNKNOWN)
    assert len(stage.finish()["provider"]["requests"]) == 1


@pytest.mark.parametrize("receipt", ["", b"r1", {"id": "r1"}])
def test_a_receipt_is_a_text(receipt):
    with pytest.raises(ValueError, match="receipt is a"):
        Answer(kind=AnswerKind.ACK, receipt=receipt)
    with pytest.raises(ValueError, match="receipt is a"):
        EffectEvidence(reference="refund-17/1", receipt=receipt, source=Source.ACK)


@pytest.mark.parametrize(("kind", "receipt"), [(AnswerKind.ACK, None), (AnswerKind.EMPTY, "r1")])
def test_an_answer_has_a_receipt_exactly_where_it_shows_an_effect(kind, receipt):
    with pytest.raises(ValueError, match="a receipt goes with ack, duplicate, found"):
        Answer(kind=kind, receipt=receipt)
