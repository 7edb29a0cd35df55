"""Acknowledgments at the custodian: which one counts, what it does, and what is merely noted."""

import pytest

from abhyasa import AckStatus, Due, Status, Why
from tests.unit.rig import INSTANT, ROUTING_KEY, WEIGHT_KEY, Rig, ack_of, at, update


@pytest.fixture
def rig():
    return Rig()


@pytest.mark.parametrize(
    "wrong",
    [
        {"obligation_id": "stranger"},
        {"target": "agent-c"},
        {"digest": "0" * 64},
        {"digest": update("o", -0.25).digest},
    ],
)
def test_an_ack_counts_only_for_id_target_and_digest(rig, wrong):
    rig.accept(update())
    before = rig.custodian_store.rows().custody
    rig.custodian.receive_ack(ack_of(update(), **wrong), at(1))
    assert rig.custodian_store.rows().custody == before
    assert [note.why for note in rig.custodian.notes()] == [Why.FOREIGN]


def test_an_ack_for_an_id_never_accepted_is_noted(rig):
    ack = ack_of(update("stranger"))
    rig.custodian.receive_ack(ack, at(1))
    [note] = rig.custodian.notes()
    assert (note.ack, note.why, note.noted_at) == (ack, Why.FOREIGN, at(1))


@pytest.mark.parametrize("status", [AckStatus.APPLIED, AckStatus.DECLINED, AckStatus.DEFERRED])
def test_a_late_ack_is_kept_and_never_reopens_the_terminal_state(rig, status):
    rig.accept(update())
    rig.advance(6)
    before = rig.custodian_store.rows()
    rig.custodian.receive_ack(ack_of(update(), status), at(7))
    after = rig.custodian_store.rows()
    assert (after.custody, after.state, after.escalations) == (
        before.custody,
        before.state,
        before.escalations,
    )
    assert [(note.why, note.ack.status) for note in rig.custodian.notes()] == [(Why.LATE, status)]


@pytest.mark.parametrize("status", [AckStatus.APPLIED, AckStatus.DECLINED, AckStatus.DEFERRED])
def test_an_ack_at_the_deadline_finds_the_transfer_escalated(rig, status):
    rig.accept(update())
    rig.advance(0)
    rig.custodian.receive_ack(ack_of(update(), status), at(6))
    assert rig.record().status is Status.ESCALATED
    assert rig.custodian.principal(ROUTING_KEY) == 0.375
    assert [note.why for note in rig.custodian.notes()] == [Why.LATE]


def test_an_ack_just_before_the_deadline_discharges(rig):
    rig.accept(update())
    rig.advance(0)
    rig.custodian.receive_ack(ack_of(update()), at(6 - INSTANT))
    assert rig.record().status is Status.APPLIED
    assert rig.custodian.notes() == []
    assert rig.advance(6) is None


def test_clock_skew_can_let_an_application_follow_an_escalation_and_the_late_ack_says_so(rig):
    rig.accept(update())
    rig.advance(0)
    rig.advance(6)
    ack = rig.carry(5)  # the receiver's clock is behind
    rig.carry_back(7)
    assert rig.record().status is Status.ESCALATED
    assert rig.receiver.state(WEIGHT_KEY) == 0.375
    [note] = rig.custodian.notes()
    assert (note.ack, note.why, note.ack.status) == (ack, Why.LATE, AckStatus.APPLIED)


def test_a_repeated_ack_is_noted_once(rig):
    rig.accept(update())
    for moment in (1, 2, 3):
        rig.custodian.receive_ack(ack_of(update()), at(moment))
    assert rig.record().settled_at == at(1)
    assert [(note.why, note.noted_at) for note in rig.custodian.notes()] == [(Why.REPEATED, at(2))]


def test_an_ack_to_a_best_effort_obligation_changes_nothing(rig):
    rig.accept(update(delta=0.125))
    before = rig.custodian_store.rows().custody
    rig.custodian.receive_ack(ack_of(update(delta=0.125)), at(1))
    assert rig.custodian_store.rows().custody == before
    assert [note.why for note in rig.custodian.notes()] == [Why.BEST_EFFORT]


@pytest.mark.parametrize(("on_decline", "weight"), [("protect", 0.375), ("surface", None)])
def test_declined_is_delivered_and_protects_or_asks_the_principal(rig, on_decline, weight):
    rig.accept(update(), on_decline=on_decline)
    rig.advance(0)
    rig.custodian.receive_ack(ack_of(update(), AckStatus.DECLINED, reason="busy"), at(0))
    [record] = rig.custodian.records(Status.DECLINED)
    assert (record.reason, record.protected) == ("busy", weight is not None)
    assert rig.custodian.principal(ROUTING_KEY) == weight
    assert rig.custodian.escalations() == []
    assert rig.advance(6) is None
    assert len(rig.sent) == 1


def test_an_escalation_by_budget_says_deferring_only_of_a_receiver_that_did(rig):
    for name, answers in (("silent", False), ("slow", True)):
        rig.accept(update(name), max_retries=0)
        rig.advance(0, name)
        if answers:
            rig.custodian.receive_ack(ack_of(update(name), AckStatus.DEFERRED), at(0.5))
        assert rig.advance(1, name) is Due.BUDGET
    silent, slow = rig.custodian.escalations()
    assert silent.detail == "1 of 1 deliveries; no answer"
    assert slow.detail == "1 of 1 deliveries; responsive but deferring"
    assert [rig.record(name).reason for name in ("silent", "slow")] == ["budget", "budget"]


def test_an_ack_at_the_deadline_is_noted_only_once_the_escalation_stands(rig, monkeypatch):
    rig.accept(update())

    def torn(_command):
        raise OSError("no space")

    monkeypatch.setattr(rig.custodian_store, "note", torn)
    with pytest.raises(OSError, match="no space"):
        rig.custodian.receive_ack(ack_of(update()), at(6))
    assert rig.record().status is Status.ESCALATED


def test_deferred_leaves_the_schedule_and_the_escalation_says_so(rig):
    rig.accept(update())
    rig.advance(0)
    before = rig.record()
    rig.custodian.receive_ack(ack_of(update(), AckStatus.DEFERRED), at(0.5))
    after = rig.record()
    assert (after.status, after.due_at) == (Status.PENDING, before.due_at)
    assert rig.advance(1) is Due.DELIVERY
    assert rig.advance(6) is Due.DEADLINE
    [escalation] = rig.custodian.escalations()
    assert "responsive but deferring" in escalation.detail


def test_an_escalation_without_any_answer_does_not_say_deferring(rig):
    rig.accept(update())
    rig.advance(6)
    assert "deferring" not in rig.custodian.escalations()[0].detail


def test_a_deferred_obligation_is_discharged_by_the_later_ack(rig):
    rig.accept(update())
    for status in (AckStatus.DEFERRED, AckStatus.DEFERRED, AckStatus.APPLIED):
        rig.custodian.receive_ack(ack_of(update(), status), at(1))
    assert rig.record().status is Status.APPLIED
    assert [note.why for note in rig.custodian.notes()] == [Why.REPEATED]
