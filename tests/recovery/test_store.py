"""The store's transactions: fencing, write-ahead, and settlement that is bound to its receipt."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from abhyasa import CustodianStore, StoreError
from abhyasa.core.errors import Conflict, Refused
from abhyasa.recovery import (
    Denial,
    DispatchPermit,
    EffectEvidence,
    Fact,
    LeaseLost,
    Outcome,
    RecoveryStore,
    Report,
    Reservation,
    Source,
)
from tests.recovery.clock import Clock
from tests.recovery.corpus import INSTANCE, LEASE_SPAN, RIVAL, SCOPE
from tests.recovery.stage import set_up

RECORDS = ("answers", "leases", "heartbeats", "intents", "observations", "settlements", "reports")


class Desk:
    """A store with an instance, and a worker that holds it."""

    def __init__(self, store):
        self.store, self.clock = store, Clock()
        set_up(self.store, self.clock)
        self.lease = self.claim("w1")

    def claim(self, worker, instance=INSTANCE):
        return self.store.claim(instance.id, instance.scope, worker, LEASE_SPAN, self.clock())

    def admit(self):
        return self.admit_as(self.lease)

    def admit_as(self, lease):
        return self.store.admit(lease, self.clock())

    def observed(self, receipt="r1"):
        self.store.observe(self.reconcile(), seen(receipt), self.clock())

    def reconcile(self):
        return self.store.may_reconcile(self.lease)

    def settle(self, receipt="r1"):
        return self.store.settle(self.reconcile(), receipt, self.clock())


def seen(receipt):
    return EffectEvidence(reference=f"{INSTANCE.id}/1", receipt=receipt, source=Source.ACK)


def content(store):
    """Return all that a store holds but its clock."""
    tables = ("instances", "authority", *RECORDS, "consumptions", "reservations")
    return {table: store._rows(f"SELECT * FROM {table}") for table in tables}


@pytest.fixture
def desk(database):
    return Desk(database.open())


def test_epochs_of_a_lease_rise_by_one(desk):
    assert [desk.lease.epoch, desk.claim("w2").epoch, desk.claim("w1").epoch] == [1, 2, 3]


def test_a_worker_that_was_replaced_can_do_nothing_more(desk):
    desk.admit()
    desk.observed()
    permit = desk.reconcile()
    desk.claim("w2")
    before = content(desk.store)
    now = desk.clock()
    for act in (
        lambda: desk.store.admit(desk.lease, now, True),
        lambda: desk.store.readmit(desk.lease, now, True),
        lambda: desk.store.reuse(desk.lease, None, now),
        lambda: desk.store.may_reconcile(desk.lease),
        lambda: desk.store.observe(permit, seen("r2"), now),
        lambda: desk.store.settle(permit, "r1", now),
        lambda: desk.store.report(desk.lease, SCOPE, Report(outcome=Outcome.SUCCESS), now),
    ):
        with pytest.raises(LeaseLost, match="'w1' was replaced"):
            act()
    assert content(desk.store) == before


def test_a_heartbeat_extends_a_lease_and_a_stale_one_is_refused_on_record(desk):
    end = desk.clock() + 10 * LEASE_SPAN
    assert desk.store.heartbeat(desk.lease, end, desk.clock())
    desk.clock.reach(2 * LEASE_SPAN)
    assert desk.admit() is Denial.APPROVAL_EXPIRED  # not LEASE_EXPIRED, which is found before it
    desk.claim("w2")
    assert not desk.store.heartbeat(desk.lease, end, desk.clock())
    beats = desk.store.records("heartbeats", ("epoch", "accepted"), INSTANCE.id)
    assert beats == [(1, 1), (1, 0)]


def test_a_lease_that_has_run_out_limits_no_settlement(desk):
    desk.admit()
    desk.clock.reach(2 * LEASE_SPAN)
    desk.observed()
    assert desk.settle() == 1


def test_an_instance_is_dispatched_first_only_once(desk):
    desk.admit()
    with pytest.raises(Refused, match="dispatched before: recover it"):
        desk.admit()


def test_a_lease_that_has_run_out_is_not_revived(desk):
    expired = desk.store.claim(INSTANCE.id, SCOPE, "w2", desk.clock() + 5, desk.clock.now)
    (end,) = desk.store.records("leases", ("expires_at",), INSTANCE.id)[-1]
    desk.clock.reach(end - 1)
    assert not desk.store.heartbeat(expired, end + LEASE_SPAN, desk.clock())
    assert desk.store.records("heartbeats", ("accepted", "at"), INSTANCE.id) == [(0, end)]
    assert desk.store.records("leases", ("expires_at",), INSTANCE.id)[-1] == (end,)
    assert desk.admit_as(expired) is Denial.LEASE_EXPIRED


def test_a_heartbeat_extends_one_lease(desk):
    desk.store.register(RIVAL)
    desk.claim("w2", RIVAL)
    held = desk.claim("w2")
    ends = desk.store._rows("SELECT instance, epoch, expires_at FROM leases ORDER BY at")
    assert desk.store.heartbeat(held, 2 * LEASE_SPAN, desk.clock())
    after = desk.store._rows("SELECT instance, epoch, expires_at FROM leases ORDER BY at")
    assert after == [*ends[:-1], (INSTANCE.id, 2, 2 * LEASE_SPAN)]


def test_a_lease_that_ran_out_denies_nothing_to_the_next(desk):
    expired = desk.store.claim(INSTANCE.id, SCOPE, "w2", desk.clock() + 1, desk.clock.now)
    desk.clock()
    assert desk.admit_as(expired) is Denial.LEASE_EXPIRED
    assert desk.store.row(INSTANCE.id).denial is None
    assert isinstance(desk.admit_as(desk.claim("w3")), DispatchPermit)


def test_nothing_is_sent_again_under_a_lease_that_ran_out(desk):
    key = desk.admit().key
    expired = desk.store.claim(INSTANCE.id, SCOPE, "w2", desk.clock() + 1, desk.clock.now)
    desk.clock()
    with pytest.raises(LeaseLost, match="ran out: claim it again"):
        desk.store.reuse(expired, key, desk.clock())
    assert desk.store.reuse(desk.claim("w3"), key, desk.clock()).key == key


def test_what_was_dispatched_is_not_denied_afterwards(desk):
    desk.admit()
    desk.store.set_fact(Fact.GRANT, SCOPE, 0, desk.clock())
    with pytest.raises(Refused, match="dispatched before: recover it"):
        desk.admit()
    assert desk.store.row(INSTANCE.id).denial is None


def test_a_denial_on_record_is_the_answer_whatever_was_granted_since(desk):
    desk.store.set_fact(Fact.GRANT, SCOPE, 0, desk.clock())
    assert desk.admit() is Denial.REVOKED
    desk.store.set_fact(Fact.GRANT, SCOPE, 1, desk.clock())
    assert desk.admit() is Denial.REVOKED
    assert desk.store.reservation(INSTANCE.id) is None


def test_a_denial_is_on_record_from_its_judgment_on_and_once(desk):
    desk.store.set_fact(Fact.GRANT, SCOPE, 0, desk.clock())
    judged_at = desk.clock()
    assert desk.store.admit(desk.lease, judged_at) is Denial.REVOKED
    desk.store.set_fact(Fact.GRANT, SCOPE, 1, desk.clock())
    desk.store.report(desk.lease, SCOPE, Report(outcome=Outcome.DENIED, reason=Denial.REVOKED), desk.clock())
    assert desk.store.records("reports", ("reason", "at"), INSTANCE.id) == [("revoked", judged_at)]
    assert desk.store.row(INSTANCE.id).denial is Denial.REVOKED


def test_an_approval_that_was_consumed_admits_no_other_instance(desk):
    desk.admit()
    desk.store.register(RIVAL)
    assert desk.store.admit(desk.claim("w2", RIVAL), desk.clock()) is Denial.APPROVAL_CONSUMED


def test_an_instance_may_be_sent_again_on_the_approval_that_it_consumed_itself(desk):
    first = desk.admit()
    again = desk.store.readmit(desk.lease, desk.clock())
    assert (again.reference, again.judged_at) > (first.reference, first.judged_at)
    assert again.key != first.key
    reused = desk.store.reuse(desk.lease, first.key, desk.clock())
    assert (reused.key, reused.judged_at) == (first.key, again.judged_at)
    row = desk.store.row(INSTANCE.id)
    assert (row.reference, row.key) == (reused.reference, reused.key)


def test_nothing_is_sent_again_before_it_was_sent_or_after_its_effect_is_known(desk):
    with pytest.raises(Refused, match="never dispatched: admit it"):
        desk.store.reuse(desk.lease, None, desk.clock())
    desk.admit()
    desk.observed()
    with pytest.raises(Refused, match="settle it, do not send again"):
        desk.store.readmit(desk.lease, desk.clock())


def test_what_was_never_dispatched_cannot_be_reconciled(desk):
    with pytest.raises(Refused, match="nothing to reconcile"):
        desk.reconcile()


def test_settlement_is_bound_to_an_observed_receipt_and_charges_once(desk):
    desk.admit()
    with pytest.raises(Refused, match="observe it first"):
        desk.settle()
    desk.observed()
    assert desk.store.reservation(INSTANCE.id) is Reservation.HELD
    assert [desk.settle(), desk.settle()] == [1, 0]
    assert desk.store.reservation(INSTANCE.id) is Reservation.CHARGED
    desk.observed("r2")
    assert desk.store.row(INSTANCE.id).observation == seen("r1")
    with pytest.raises(Refused, match="is another effect"):
        desk.settle("r2")


def test_an_id_stands_for_one_content(desk):
    desk.store.register(INSTANCE)
    with pytest.raises(Conflict, match="choose another id"):
        desk.store.register(replace(INSTANCE, action={"kind": "refund", "order": "A-17", "amount": 1}))
    desk.store.register(replace(RIVAL, action={"amount": 1}))
    with pytest.raises(Conflict, match="choose another id"):
        desk.store.register(replace(RIVAL, action={"amount": True}))


def test_an_instance_that_was_never_registered_is_refused(desk):
    with pytest.raises(Refused, match="register it first"):
        desk.claim("w1", RIVAL)


def test_workers_share_a_database_and_what_they_commit(desk, database):
    desk.admit()
    with database.opening()() as other:
        assert other.row(INSTANCE.id).reference == f"{INSTANCE.id}/1"
        assert other.claim(INSTANCE.id, SCOPE, "w2", LEASE_SPAN, desk.clock()).epoch == 2
    with pytest.raises(LeaseLost):
        desk.observed()


def test_a_worker_waits_for_the_transaction_of_another(desk, database):
    with database.opening()() as other, ThreadPoolExecutor() as pool:
        with desk.store._transaction():
            claimed = pool.submit(other.claim, INSTANCE.id, SCOPE, "w2", LEASE_SPAN, 9)
            with pytest.raises(TimeoutError):
                claimed.result(timeout=0.1)
        assert claimed.result().epoch == 2


def test_threads_that_share_a_store_take_turns(desk):
    with ThreadPoolExecutor() as pool:
        with desk.store._transaction():
            desk.store._add("reservations", "refund-99", "held")
            seen = pool.submit(desk.store.reservation, "refund-99")
            told = pool.submit(desk.store.set_fact, Fact.CANCELLED, SCOPE, 1, desk.clock())
            for waiting in (seen, told):
                with pytest.raises(TimeoutError):
                    waiting.result(timeout=0.1)
        told.result()
        assert seen.result() is Reservation.HELD
    assert desk.store.reservation("refund-99") is Reservation.HELD


def test_a_transaction_within_another_does_not_undo_it(tmp_path):
    desk = Desk(RecoveryStore(tmp_path / "recovery.db"))
    with desk.store._transaction():
        desk.store._add("reservations", "refund-99", "held")
        with pytest.raises(StoreError, match="a transaction inside a transaction would tear it"):
            desk.store.set_fact(Fact.CANCELLED, SCOPE, 1, desk.clock())
    assert desk.store.reservation("refund-99") is Reservation.HELD
    desk.store.close()


def test_a_turn_on_a_file_that_does_not_come_is_told(tmp_path):
    path = tmp_path / "recovery.db"
    with RecoveryStore(path) as holder, RecoveryStore(path) as waiting:
        waiting._rows("PRAGMA busy_timeout = 50")
        with holder._transaction(), pytest.raises(StoreError, match="held by another worker for too long"):
            waiting.set_fact(Fact.GRANT, SCOPE, 1, 1)


def test_workers_may_open_a_new_database_together(new_database):
    workers = 4
    at_once = Barrier(workers)

    def opened(opening):
        at_once.wait()
        with opening() as store:
            return store.records("intents", ("number",), INSTANCE.id)

    with ThreadPoolExecutor(workers) as pool:
        for _ in range(10):
            opening = new_database().opening()
            assert list(pool.map(opened, [opening] * workers)) == [[]] * workers


def test_each_commit_has_a_later_time_than_the_one_before_it(desk):
    now = desk.store.time()
    for stale in (now - 3, now, now + 1, now):
        desk.store.set_fact(Fact.GRANT, SCOPE, 1, stale)
    times = [at for _, at in desk.store.said(Fact.GRANT, SCOPE)][-4:]
    assert times == [now + 1, now + 2, now + 3, now + 4]
    assert desk.store.time() == now + 4


@pytest.mark.parametrize("wrong", [-1, 1.5, "7", 2**62, 2**63 - 1, 2**64])
def test_a_time_that_no_store_holds_is_refused_and_the_store_goes_on(desk, wrong):
    before = content(desk.store)
    for act in (
        lambda: desk.store.set_fact(Fact.GRANT, SCOPE, 1, wrong),
        lambda: desk.store.set_fact(Fact.POLICY_EPOCH, SCOPE, wrong, desk.clock()),
        lambda: desk.store.claim(INSTANCE.id, SCOPE, "w2", wrong, desk.clock()),
        lambda: desk.store.heartbeat(desk.lease, wrong, desk.clock()),
    ):
        with pytest.raises(Refused, match="integer of at least 0, and below"):
            act()
    assert content(desk.store) == before
    assert isinstance(desk.admit(), DispatchPermit)


def test_the_last_time_of_all_ends_nothing_but_what_expires(desk):
    end = 2**62 - 1
    desk.store.set_fact(Fact.GRANT, SCOPE, 1, end)
    assert desk.store.claim(INSTANCE.id, SCOPE, "w2", end, 0).epoch == 2
    assert desk.admit_as(desk.claim("w3")) is Denial.APPROVAL_EXPIRED


def test_a_lease_that_a_slow_clock_asks_for_lasts_as_long_as_any(desk):
    def end():
        return desk.store.records("leases", ("expires_at",), INSTANCE.id)[-1][0] - desk.store.time()

    desk.store.set_fact(Fact.GRANT, SCOPE, 1, INSTANCE.expires_at - 10)
    lease = desk.store.claim(INSTANCE.id, SCOPE, "w2", until=8, now=5)
    assert end() == 3
    assert desk.store.heartbeat(lease, until=9, now=5)
    assert end() == 4
    assert isinstance(desk.store.admit(lease, 5), DispatchPermit)


def test_what_was_asked_before_a_wait_is_judged_at_the_end_of_it(desk):
    asked = desk.clock()
    desk.store.set_fact(Fact.GRANT, SCOPE, 1, INSTANCE.expires_at - 1)
    assert desk.store.admit(desk.lease, asked) is Denial.APPROVAL_EXPIRED


def test_a_commit_on_a_file_is_synced_before_it_returns(tmp_path):
    store = RecoveryStore(tmp_path / "recovery.db")
    assert (store._pragma("journal_mode"), store._pragma("synchronous")) == ("delete", 3)


def test_a_file_of_another_store_is_refused(tmp_path):
    RecoveryStore(tmp_path / "recovery.db").close()
    with pytest.raises(StoreError, match="is no CustodianStore"):
        CustodianStore(tmp_path / "recovery.db")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "id is a non-empty string"),
        ({"action": "refund"}, "action is a JSON object"),
        ({"policy_epoch": -1}, "policy_epoch is an integer of at least 0"),
        ({"expires_at": 1.5}, "expires_at is an integer"),
        ({"allowed_effects": 0}, "allowed_effects is an integer of at least 1"),
        ({"approval": ""}, "approval is a non-empty string"),
    ],
)
def test_an_instance_is_validated_when_it_is_made(change, message):
    with pytest.raises(ValueError, match=message):
        replace(INSTANCE, **change)


@pytest.mark.parametrize("report", [(Outcome.DENIED, None), (Outcome.SUCCESS, Denial.REVOKED)])
def test_a_reason_goes_with_a_denial_alone(report):
    with pytest.raises(ValueError, match="reason goes with DENIED"):
        Report(outcome=report[0], reason=report[1])
