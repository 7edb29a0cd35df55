"""Sequences on a governed key: what is older than the newest applied changes nothing."""

import pytest

from abhyasa import AckStatus, Conflict, Delivery, Receiver, Status
from tests.unit.rig import (
    CONSENT_KEY,
    DEFERRED,
    KINDS,
    ROUTING_KEY,
    TARGET,
    Rig,
    ack_of,
    at,
    consent,
    update,
)

OLD_REVOKE = consent("revoke", "old", sequence=1)
NEW_GRANT = consent("grant", "new", sequence=2)


@pytest.fixture
def rig():
    return Rig()


def receive(rig, obligation, seconds=0.0):
    rig.receiver.receive(Delivery(obligation=obligation, deadline=at(6), attempt=1), at(seconds))
    return rig.replies[-1].status.value, rig.replies[-1].reason


def confirm(rig, obligation):
    rig.accept(obligation)
    rig.custodian.receive_ack(ack_of(obligation), at(0))


def test_the_receiver_declines_what_is_older_than_the_newest_applied(rig):
    assert receive(rig, NEW_GRANT) == ("applied", "")
    assert receive(rig, OLD_REVOKE) == ("declined", "superseded")
    assert rig.receiver.state(CONSENT_KEY) == "permitted"
    assert rig.asked == ["new"]


def test_the_receiver_applies_in_order(rig):
    assert receive(rig, OLD_REVOKE) == ("applied", "")
    assert rig.receiver.state(CONSENT_KEY) == "withheld"
    assert receive(rig, NEW_GRANT) == ("applied", "")
    assert rig.receiver.state(CONSENT_KEY) == "permitted"


def test_a_redelivery_of_what_was_applied_is_acked_also_after_a_newer_one(rig):
    receive(rig, OLD_REVOKE)
    receive(rig, NEW_GRANT)
    assert receive(rig, OLD_REVOKE) == ("applied", "")
    assert rig.receiver.state(CONSENT_KEY) == "permitted"


def test_a_declined_decision_supersedes_nothing(rig):
    rig.decision = DEFERRED
    receive(rig, NEW_GRANT)
    assert rig.receiver_store.rows().sequences == ()


def test_what_was_deferred_is_superseded_when_it_is_resolved(rig):
    rig.decision = DEFERRED
    receive(rig, OLD_REVOKE)
    rig.decision = type(DEFERRED)(status=AckStatus.APPLIED)
    receive(rig, NEW_GRANT)
    rig.receiver.resolve("old", rig.decision, at(1))
    assert (rig.replies[-1].status, rig.replies[-1].reason) == (AckStatus.DECLINED, "superseded")
    assert rig.receiver.state(CONSENT_KEY) == "permitted"


def test_the_newest_sequence_is_durable_on_the_receiver(rig):
    receive(rig, NEW_GRANT)
    restarted = Rig(receiver_store=rig.receiver_store)
    assert receive(restarted, OLD_REVOKE) == ("declined", "superseded")


def test_keys_and_unordered_decisions_do_not_supersede_each_other(rig):
    receive(rig, update("high", sequence=9))
    elsewhere = {"weight_key": "other", "weight_delta": -0.125}
    assert receive(rig, update("low", payload=elsewhere, sequence=1)) == ("applied", "")
    assert receive(rig, update("unordered")) == ("applied", "")
    assert receive(rig, update("late", sequence=8)) == ("declined", "superseded")


def test_a_superseded_fail_safe_applies_nothing_but_the_escalation_still_fires(rig):
    rig.accept(OLD_REVOKE)
    confirm(rig, NEW_GRANT)
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"
    rig.advance(6, "old")
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"
    assert rig.record("old").status is Status.ESCALATED
    assert not rig.record("old").protected
    [escalation] = rig.custodian.escalations()
    assert not escalation.protected
    assert escalation.detail == "0 of 5 deliveries; no answer; safe(O) superseded by a newer decision"


def test_a_superseded_fail_safe_applies_nothing_when_an_ack_comes_at_the_deadline(rig):
    rig.accept(OLD_REVOKE)
    confirm(rig, NEW_GRANT)
    rig.custodian.receive_ack(ack_of(OLD_REVOKE), at(6))
    assert (rig.record("old").status, rig.record("old").protected) == (Status.ESCALATED, False)
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"


def test_a_decision_that_is_only_issued_supersedes_nothing_yet(rig):
    rig.accept(update("old", sequence=1))
    rig.accept(update("new", sequence=2))
    rig.advance(6, "old")
    assert rig.record("old").protected
    assert rig.custodian.principal(ROUTING_KEY) == 0.375


def test_a_superseded_decline_protects_nothing(rig):
    rig.accept(OLD_REVOKE)
    confirm(rig, NEW_GRANT)
    rig.custodian.receive_ack(ack_of(OLD_REVOKE, AckStatus.DECLINED), at(1))
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"


def test_the_principals_own_decision_passes_the_same_guard(rig):
    confirm(rig, NEW_GRANT)
    rig.accept(OLD_REVOKE)
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"


def test_an_older_grant_confirmed_late_does_not_lift_a_newer_revocation(rig):
    grant, revoke = consent("grant", sequence=1), consent("revoke", sequence=2)
    rig.accept(grant)
    rig.accept(revoke)
    rig.custodian.receive_ack(ack_of(grant), at(1))
    assert rig.record("grant").status is Status.APPLIED
    assert rig.custodian.principal(CONSENT_KEY) == "withheld"


def test_an_older_grant_confirmed_late_does_not_take_the_place_of_a_newer_one(rig):
    old, new = (consent("grant", f"grant-{n}", sequence=n) for n in (1, 2))
    rig.accept(old)
    confirm(rig, new)
    rig.custodian.receive_ack(ack_of(old), at(1))
    assert rig.record(old.id).status is Status.APPLIED
    [(_, newest)] = rig.custodian_store.rows().sequences
    assert newest == 2


def test_the_fail_safe_of_the_newest_decision_itself_is_applied(rig):
    rig.accept(consent("revoke", sequence=1))
    rig.advance(6, "revoke")
    assert rig.record("revoke").protected


def test_the_newest_sequence_is_durable_on_the_custodian(rig):
    rig.accept(OLD_REVOKE)
    confirm(rig, NEW_GRANT)
    restarted = Rig(rig.custodian_store)
    restarted.advance(6, "old")
    assert restarted.custodian.principal(CONSENT_KEY) == "permitted"


def test_a_confirmed_obligation_without_a_principal_side_change_still_counts_as_newest(rig):
    confirm(rig, update("new", sequence=2))
    rig.accept(update("old", sequence=1))
    rig.advance(6, "old")
    assert rig.custodian.principal(ROUTING_KEY) is None
    assert not rig.record("old").protected


def test_two_ids_with_one_sequence_on_one_key_are_refused_at_issue(rig):
    rig.accept(consent("revoke", "first", sequence=7))
    before = rig.custodian_store.rows()
    with pytest.raises(Conflict, match=r"sequence 7 .*'first'"):
        rig.accept(consent("grant", "second", sequence=7))
    assert rig.custodian_store.rows() == before
    rig.accept(consent("grant", "third", sequence=8))
    rig.accept(update("elsewhere", sequence=7))


def test_an_applications_own_effect_leaves_the_sequence_of_its_decision(rig):
    receiver = Receiver(TARGET, rig.receiver_store, KINDS, rig.replies.append, rig.decide, lambda *_: None)
    for decision, expected in ((NEW_GRANT, "applied"), (OLD_REVOKE, "declined")):
        receiver.receive(Delivery(obligation=decision, deadline=at(6), attempt=1), at(0))
        assert rig.replies[-1].status == expected
