"""The custodian: AB-1, AB-2, AB-4 and what its acknowledgments do."""

from dataclasses import replace

import pytest

from abhyasa import Conflict, Custodian, Due, Refused, Status, StoreError, UnknownKind
from tests.unit.rig import (
    INSTANT,
    KINDS,
    ROUTING_KEY,
    Rig,
    ack_of,
    at,
    consent,
    terms,
    update,
)


@pytest.fixture
def rig():
    return Rig()


def require_committed(rig, obligation_id):
    """Fail unless the record is on durable ground: an image cannot be taken mid-transaction."""
    rig.custodian_store.image()
    return rig.custodian_store.record(obligation_id)


def test_ab1_the_record_and_the_attempt_are_durable_before_anything_is_sent(rig):
    seen = []

    def send(delivery):
        record = require_committed(rig, delivery.obligation.id)
        seen.append((record.status, record.deliveries, delivery.attempt))

    custodian = Custodian(rig.custodian_store, KINDS, send)
    custodian.accept(update("o"), terms(), at(0))
    assert seen == []
    custodian.advance("o", at(0))
    custodian.advance("o", at(1))
    assert seen == [(Status.PENDING, 1, 1), (Status.PENDING, 2, 2)]
    custodian.accept(update("benign", 0.5), terms(), at(0))
    assert seen[2:] == [(Status.BEST_EFFORT, 1, 1)]


@pytest.mark.parametrize(
    ("delta", "deliveries", "settled_at", "attempted_at"), [(-0.125, 0, None, None), (0.125, 1, at(1), at(1))]
)
def test_the_record_of_an_acceptance(rig, delta, deliveries, settled_at, attempted_at):
    record = rig.accept(update(delta=delta), seconds=1, window=6)
    assert (record.accepted_at, record.deadline, record.due_at) == (at(1), at(7), at(1))
    assert (record.deliveries, record.settled_at) == (deliveries, settled_at)
    assert (record.attempted_at, record.reason) == (attempted_at, "")
    assert (record.protected, record.deferred) == (False, False)


def test_ab1_a_failed_accept_sends_nothing(rig, monkeypatch):
    def full(_command):
        raise StoreError("disk full")

    monkeypatch.setattr(rig.custodian_store, "accept", full)
    for obligation in (update(), update("benign", 0.5)):
        with pytest.raises(StoreError):
            rig.accept(obligation)
    assert rig.sent == []


def test_ab2_deliveries_follow_the_backoff_and_nothing_is_due_between(rig):
    rig.accept(update(), window=60, cap=4)
    moments = (0, 1, 3, 7)  # waits 1, 2, 4: doubled, then capped
    for moment in moments:
        assert rig.custodian.due("o", at(moment - INSTANT)) is None
        assert rig.custodian.next_due() == at(moment)
        assert rig.advance(moment) is Due.DELIVERY
    assert [delivery.attempt for delivery in rig.sent] == [1, 2, 3, 4]
    assert {delivery.deadline for delivery in rig.sent} == {at(60)}


def test_ab2_jitter_spreads_what_was_accepted_together(rig):
    names = [f"o{number}" for number in range(20)]
    for name in names:
        rig.accept(update(name), window=600, max_retries=64, jitter=7)
        rig.advance(0, name)
    assert len({rig.record(name).due_at for name in names}) > 10


@pytest.mark.parametrize("max_retries", [0, 1, 4])
def test_max_retries_permits_one_delivery_more_and_then_the_last_wait(rig, max_retries):
    rig.accept(update(), window=60, max_retries=max_retries)
    rig.advance_at(range(max_retries + 1))
    assert len(rig.sent) == max_retries + 1
    assert rig.advance(max_retries + 1 - INSTANT) is None
    assert rig.advance(max_retries + 1) is Due.BUDGET
    assert len(rig.sent) == max_retries + 1
    [escalation] = rig.custodian.escalations()
    assert (escalation.cause, escalation.escalated_at) == (Due.BUDGET, at(max_retries + 1))


def test_an_answer_to_the_last_delivery_still_counts_while_its_wait_runs(rig):
    rig.accept(update(), max_retries=0)
    rig.advance(0)
    rig.carry(0.5)
    rig.carry_back(1 - INSTANT)
    assert rig.record().status is Status.APPLIED


def test_ab4_at_the_deadline_the_fail_safe_is_due_whatever_was_planned(rig):
    rig.accept(update(), window=3, max_retries=100)
    rig.advance_at((0, 1, 2))
    assert rig.custodian.due("o", at(3 - INSTANT)) is None
    # At this moment the fourth delivery would be due as well: its wait ends here.
    assert rig.record().due_at == at(3)
    assert rig.advance(3) is Due.DEADLINE
    assert len(rig.sent) == 3
    assert rig.record().status is Status.ESCALATED


def test_ab4_safe_o_and_the_escalation_come_with_the_terminal_state(rig):
    rig.accept(update(delta=-0.125))
    assert rig.custodian.principal(ROUTING_KEY) is None
    rig.advance(6)
    assert rig.custodian.principal(ROUTING_KEY) == 0.375
    assert rig.record().protected
    [escalation] = rig.custodian.escalations()
    assert (escalation.obligation_id, escalation.target) == ("o", "agent-b")
    assert (escalation.cause, escalation.protected) == (Due.DEADLINE, True)


def test_safe_o_is_applied_at_most_once(rig):
    rig.accept(update(delta=-0.125))
    rig.advance_at((6, 7, 8))
    rig.custodian.receive_ack(ack_of(update(delta=-0.125)), at(9))
    assert rig.custodian.principal(ROUTING_KEY) == 0.375
    assert len(rig.custodian.escalations()) == 1


@pytest.mark.parametrize("down", [6, 7, 1e6])
def test_a_custodian_that_was_down_past_the_deadline_escalates_before_any_retry(rig, down):
    rig.accept(update())
    rig.advance(0)
    restarted = Rig(rig.custodian_store)
    assert restarted.custodian.agenda(at(down)) == ["o"]
    assert restarted.advance(down) is Due.DEADLINE
    assert restarted.sent == []


def test_a_restart_resumes_the_remaining_window_and_the_remaining_budget(rig):
    rig.accept(update(), window=60, max_retries=2)
    rig.advance_at((0, 1))
    restarted = Rig(rig.custodian_store)
    assert restarted.record().deadline == at(60)
    assert restarted.advance(2 - INSTANT) is None
    assert restarted.advance(2) is Due.DELIVERY
    assert restarted.sent[0].attempt == 3
    assert restarted.advance(3) is Due.BUDGET


def test_the_deadline_runs_from_acceptance_not_from_a_resubmission(rig):
    rig.accept(update(), seconds=0, window=6)
    again = rig.accept(update(), seconds=5, window=600)
    assert again.deadline == at(6)
    assert rig.advance(6) is Due.DEADLINE


def test_resubmission_is_a_no_op_that_returns_the_current_outcome(rig):
    rig.accept(update())
    rig.advance(0)
    rig.carry(0)
    rig.carry_back(0)
    before = rig.custodian_store.rows()
    assert rig.accept(update(), seconds=99).status is Status.APPLIED
    rig.accept(update("benign", 0.5))
    sent = len(rig.sent)
    assert rig.accept(update("benign", 0.5)).status is Status.BEST_EFFORT
    assert len(rig.sent) == sent
    assert rig.custodian_store.rows().custody[1:] == before.custody


def test_the_same_id_with_other_content_is_refused_and_changes_nothing(rig):
    rig.accept(update("o", -0.125))
    before = rig.custodian_store.rows()
    for other in (update("o", -0.25), update("o", target="agent-c"), update("o", sequence=1)):
        with pytest.raises(Conflict, match="choose another id"):
            rig.accept(other)
    assert rig.custodian_store.rows() == before


def test_an_unknown_kind_is_refused_by_name_and_best_effort_only_on_request(rig):
    stranger = update(kind="telemetry")
    with pytest.raises(UnknownKind, match=r"anumati.consent, oauth.token, phala.belief_update"):
        rig.accept(stranger)
    assert rig.custodian_store.rows().custody == ()
    record = rig.custodian.accept(stranger, terms(), at(0), unknown_best_effort=True)
    assert record.status is Status.BEST_EFFORT
    assert [delivery.attempt for delivery in rig.sent] == [1]


def test_ac1_an_inadmissible_obligation_is_sent_exactly_once_and_never_escalates(rig):
    assert rig.accept(update(delta=0.125)).status is Status.BEST_EFFORT
    rig.advance_at((0, 1, 6, 100))
    assert len(rig.sent) == 1
    assert rig.custodian.agenda(at(100)) == []
    assert rig.custodian.next_due() is None
    assert rig.custodian.escalations() == []
    assert rig.custodian.principal(ROUTING_KEY) is None


def test_admissibility_is_decided_once_and_stored(rig):
    rig.accept(update())
    knows_nothing = Rig(rig.custodian_store, kinds=type(KINDS)())
    assert knows_nothing.advance(6) is Due.DEADLINE
    assert knows_nothing.custodian.principal(ROUTING_KEY) == 0.375


def test_a_raising_transport_is_a_lost_attempt_and_delays_no_other(rig, caplog):
    sent = []

    def send(delivery):
        if delivery.obligation.target == "broken":
            raise RuntimeError("unplugged")  # not even an OSError: a transport may raise anything
        sent.append(delivery.obligation.id)

    custodian = Custodian(rig.custodian_store, KINDS, send)
    for name, target in (("a", "broken"), ("b", "agent-b"), ("c", "broken")):
        custodian.accept(update(name, target=target), terms(), at(0))
    for name in custodian.agenda(at(0)):
        assert custodian.advance(name, at(0)) is Due.DELIVERY
    assert sent == ["b"]
    assert [custodian.record(name).deliveries for name in "abc"] == [1, 1, 1]
    assert custodian.advance("a", at(6)) is Due.DEADLINE
    assert "unplugged" in caplog.text


def test_a_stopping_process_is_not_mistaken_for_a_broken_transport(rig):
    def send(_delivery):
        raise KeyboardInterrupt

    custodian = Custodian(rig.custodian_store, KINDS, send)
    custodian.accept(update(), terms(), at(0))
    with pytest.raises(KeyboardInterrupt):
        custodian.advance("o", at(0))


def test_the_agenda_names_all_that_is_due_fail_safes_first(rig):
    rig.accept(update("retry"), window=60)
    rig.accept(update("spent"), window=60, max_retries=0)
    rig.accept(update("expired"), window=2)
    rig.accept(update("waiting"), window=60, cap=4)
    for name in ("retry", "spent", "waiting"):
        rig.advance(0, name)
    rig.advance(1, "waiting")
    agenda = rig.custodian.agenda(at(2))
    assert set(agenda[:2]) == {"spent", "expired"}
    assert agenda[2:] == ["retry"]


def test_the_agenda_goes_by_the_end_of_each_wait(rig):
    rig.accept(update("a"), seconds=0.5)
    rig.accept(update("b"), seconds=0)
    assert rig.custodian.agenda(at(1)) == ["b", "a"]


def test_a_wait_runs_from_the_delivery_that_was_made_late(rig):
    rig.accept(update())
    rig.advance_at([0, 3.5])
    assert rig.record().due_at == at(4.5)


def test_an_escalation_is_dated_when_it_happened_not_when_it_was_due(rig):
    rig.accept(update())
    rig.advance(16)
    assert rig.record().settled_at == at(16)
    assert rig.custodian.escalations()[0].escalated_at == at(16)


def test_an_id_never_accepted_is_an_error_that_names_it(rig):
    with pytest.raises(KeyError, match="'o'"):
        rig.advance(0)


def test_a_record_that_contradicts_itself_cannot_be_made(rig):
    record = rig.accept(update())
    for wrong in ({"settled_at": at(1)}, {"status": Status.APPLIED}, {"due_at": at(6 + INSTANT)}):
        with pytest.raises(ValueError, match=r"settled|outlasts"):
            replace(record, **wrong)


def test_naive_times_are_refused(rig):
    with pytest.raises(ValueError, match="naive"):
        rig.custodian.accept(update(), terms(), at(0).replace(tzinfo=None))


def test_a_deadline_beyond_the_calendar_is_refused_and_changes_nothing(rig):
    with pytest.raises(Refused, match="shorten window"):
        rig.custodian.accept(update("o"), terms(window=8e12, max_retries=0), at(0))
    assert rig.custodian.records(Status.PENDING) == []


def test_every_transfer_of_a_busy_custodian_ends_by_its_own_bounds(rig):
    for number in range(50):
        rig.accept(update(f"o{number}"), window=2 + number % 7)
    rig.accept(consent("revoke"), window=3)
    moment = 0
    while rig.custodian.next_due() is not None:
        for name in rig.custodian.agenda(at(moment)):
            rig.custodian.advance(name, at(moment))
        moment += 1
    records = rig.custodian.records(Status.ESCALATED)
    assert len(records) == 51
    for record in records:
        budget = at(5)  # five deliveries, one second apart
        assert record.settled_at == min(record.deadline, budget)
