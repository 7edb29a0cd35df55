"""The receiver: AB-3, and each answer that it gives."""

import pytest

from abhyasa import AckStatus, Decision, Delivery, Misdirected, Obligation, Receiver
from abhyasa.kinds.phala import weight_state_key
from tests.unit.rig import (
    APPLIED,
    CONSENT_KEY,
    DECLINED,
    DEFERRED,
    INSTANT,
    KINDS,
    TARGET,
    WEIGHT_KEY,
    Rig,
    at,
    consent,
    update,
)


@pytest.fixture
def rig():
    return Rig()


def delivery(obligation: Obligation | None = None, deadline: float = 6) -> Delivery:
    return Delivery(obligation=obligation or update(), deadline=at(deadline), attempt=1)


def receive(rig, seconds=0.0, obligation=None):
    """Bring a delivery and return the last answer as (status, reason)."""
    rig.receiver.receive(delivery(obligation), at(seconds))
    return rig.replies[-1].status.value, rig.replies[-1].reason


def test_ab3_a_new_obligation_is_applied_and_acknowledged(rig):
    assert receive(rig, 1) == ("applied", "")
    assert rig.receiver.state(WEIGHT_KEY) == 0.375
    ack = rig.replies[-1]
    assert (ack.obligation_id, ack.target, ack.acked_at) == ("o", TARGET, at(1))
    assert ack.digest == update().digest


@pytest.mark.parametrize("again", [0, 5, 6, 1e6])
def test_ab3_a_redelivery_is_acknowledged_at_any_time_without_reapplication(rig, again):
    receive(rig, 0)
    assert receive(rig, again) == ("applied", "")
    assert rig.receiver.state(WEIGHT_KEY) == 0.375
    assert rig.replies[0] == rig.replies[1]
    assert rig.asked == ["o"]


def test_ab3_entry_and_effect_are_durable_before_the_ack_leaves(rig):
    seen = []

    def reply(_ack):
        rig.receiver_store.image()  # refused inside a transaction
        seen.append((rig.receiver_store.entry("o").status, rig.receiver_store.state(WEIGHT_KEY)))

    receiver = Receiver(TARGET, rig.receiver_store, KINDS, reply, rig.decide)
    receiver.receive(delivery(), at(0))
    assert seen == [(AckStatus.APPLIED, 0.375)]


def test_at_the_deadline_an_obligation_is_expired_and_not_applied(rig):
    assert receive(rig, 6) == ("declined", "expired")
    assert rig.receiver.state(WEIGHT_KEY) is None
    assert rig.asked == []


def test_just_before_the_deadline_it_is_applied(rig):
    assert receive(rig, 6 - INSTANT) == ("applied", "")


@pytest.mark.parametrize(("decision", "reason"), [(DECLINED, "not now"), (None, "expired")])
def test_a_decline_is_remembered(rig, decision, reason):
    rig.decision = decision or APPLIED
    first = receive(rig, 0 if decision else 6)
    rig.decision = APPLIED
    assert first == receive(rig, 0) == ("declined", reason)
    assert rig.receiver.state(WEIGHT_KEY) is None
    assert rig.replies[0] == rig.replies[1]


def test_the_same_id_with_other_content_is_a_conflict_and_the_ledger_stands(rig):
    receive(rig)
    before = rig.receiver_store.rows()
    other = update("o", -0.25)
    assert receive(rig, 0, other) == ("declined", "conflict")
    assert rig.replies[-1].digest == other.digest
    assert receive(rig, 6, other) == ("declined", "conflict"), "also past its deadline"
    assert rig.receiver_store.rows() == before
    assert receive(rig) == ("applied", "")


def test_deferred_is_answered_so_until_it_is_resolved(rig):
    rig.decision = DEFERRED
    assert receive(rig) == ("deferred", "")
    assert receive(rig, 1) == ("deferred", "")
    assert rig.asked == ["o"]
    assert rig.receiver.state(WEIGHT_KEY) is None
    assert [entry.obligation.id for entry in rig.receiver.deferred()] == ["o"]
    rig.receiver.resolve("o", APPLIED, at(6 - INSTANT))
    assert rig.replies[-1].status is AckStatus.APPLIED
    assert rig.replies[-1].acked_at == at(6 - INSTANT)
    assert rig.receiver.state(WEIGHT_KEY) == 0.375
    assert rig.receiver.deferred() == []
    assert receive(rig, 7) == ("applied", "")


def test_a_deferred_obligation_can_be_declined_later(rig):
    rig.decision = DEFERRED
    receive(rig)
    rig.receiver.resolve("o", DECLINED, at(1))
    assert (rig.replies[-1].status, rig.replies[-1].reason) == (AckStatus.DECLINED, "not now")
    assert rig.receiver.state(WEIGHT_KEY) is None


@pytest.mark.parametrize("how", ["resolve", "redelivery"])
def test_a_deferred_obligation_expires_at_its_deadline(rig, how):
    rig.decision = DEFERRED
    receive(rig)
    if how == "resolve":
        rig.receiver.resolve("o", APPLIED, at(6))
    else:
        receive(rig, 6)
    assert (rig.replies[-1].status, rig.replies[-1].reason) == (AckStatus.DECLINED, "expired")
    assert rig.receiver.state(WEIGHT_KEY) is None
    assert rig.receiver.deferred() == []


def test_a_redelivery_cannot_lengthen_the_window_of_what_was_deferred(rig):
    rig.decision = DEFERRED
    receive(rig)
    rig.receiver.receive(delivery(deadline=600), at(6))
    assert rig.replies[-1].reason == "expired"


@pytest.mark.parametrize("answered", [True, False])
def test_only_what_is_deferred_can_be_resolved(rig, answered):
    if answered:
        receive(rig)
    with pytest.raises(KeyError, match="deferred"):
        rig.receiver.resolve("o", DECLINED, at(0))
    assert len(rig.replies) == answered


def test_a_delivery_to_another_target_is_refused(rig):
    with pytest.raises(Misdirected, match="agent-c"):
        rig.receiver.receive(delivery(update(target="agent-c")), at(0))
    assert rig.receiver_store.rows().ledger == ()


@pytest.mark.parametrize(
    ("obligation", "reason"),
    [
        (update(kind="telemetry"), "unknown kind 'telemetry'"),
        (update(payload={"weight_key": "w"}), "missing ['weight_delta']"),
        (update(payload={"weight_key": "w", "weight_delta": True}), "weight_delta is a number"),
    ],
)
def test_what_the_receiver_cannot_honour_is_declined_with_the_reason(rig, obligation, reason):
    status, said = receive(rig, 0, obligation)
    assert status == "declined"
    assert reason in said
    assert rig.asked == []


@pytest.mark.parametrize("weight_key", [CONSENT_KEY, "consent", f"../{CONSENT_KEY}", "%63onsent/agent-b"])
@pytest.mark.parametrize("delta", [-1.0, 1.0])
def test_no_belief_update_reaches_a_consent(rig, weight_key, delta):
    assert receive(rig, 0, consent("revoke")) == ("applied", "")
    payload = {"weight_key": weight_key, "weight_delta": delta}
    assert receive(rig, 0, update(payload=payload)) == ("applied", "")
    assert rig.receiver.state(CONSENT_KEY) == "withheld"
    assert rig.receiver.state(weight_state_key(weight_key)) == (delta + 1) / 2


def test_a_raising_application_answers_nothing_and_is_asked_again(rig):
    def undecided(_obligation):
        raise RuntimeError("model overloaded")

    receiver = Receiver(TARGET, rig.receiver_store, KINDS, rig.replies.append, undecided)
    with pytest.raises(RuntimeError):
        receiver.receive(delivery(), at(0))
    assert rig.replies == []
    assert receive(rig, 1) == ("applied", "")


def test_a_lost_ack_leaves_the_application_and_the_redelivery_acks_again(rig, caplog):
    def unplugged(_ack):
        raise ConnectionError("unplugged")

    Receiver(TARGET, rig.receiver_store, KINDS, unplugged, rig.decide).receive(delivery(), at(0))
    assert rig.receiver.state(WEIGHT_KEY) == 0.375
    assert "unplugged" in caplog.text
    assert receive(rig, 1) == ("applied", "")
    assert rig.receiver.state(WEIGHT_KEY) == 0.375


def test_a_decision_takes_its_status_by_name(rig):
    rig.decision = Decision(status="applied")
    assert receive(rig) == ("applied", "")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"status": "perhaps"}, "perhaps"),
        ({"reason": None}, "^reason is a string, not None"),
        ({"reason": "\ud800"}, "surrogates not allowed"),
    ],
)
def test_a_decision_that_is_none_cannot_be_made(fields, said):
    with pytest.raises(ValueError, match=said):
        Decision(**{"status": AckStatus.DECLINED, **fields})


def test_a_reason_travels_with_a_deferral(rig):
    rig.decision = Decision(status=AckStatus.DEFERRED, reason="awaiting a human")
    assert receive(rig) == ("deferred", "awaiting a human")
