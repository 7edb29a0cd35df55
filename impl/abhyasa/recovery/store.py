"""The durable side of recovery: the named transactions between which a worker may die.

They are the same on each database; `sqlite` and `postgres` bring a place for them to run in.

Authority writes `set_fact`; whoever begins an instance, `register`. A worker claims, heartbeats, is
admitted, readmitted or goes on as admitted before, observes, settles, reports. Each is one commit.

Rule 1: every transaction of a worker but the report to a stranger checks its lease first; one that
        was replaced since changes nothing and is told so by LeaseLost.
Rule 2: an intent is durable before its request leaves, an observation before its settlement.
Rule 3: settlement is bound to a receipt. The same receipt again charges nothing; another is refused.
Rule 4: transactions come one after another, and so do their times. `now` was read before the wait for
        the turn; where another one was committed since, the time is the next after that. So what is
        judged and what is recorded are of one moment, and no later commit has an earlier time. A lease
        lasts as long as it was asked for: its end, `until`, moves with that time.
Rule 5: so the time advances by one tick with each transaction at least, and does not fall with a clock
        that does. In a unit that is too coarse it runs ahead of the clock, and approvals and leases
        end early: take microseconds, not seconds.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from abhyasa.core.errors import Conflict, Refused
from abhyasa.recovery.authority import Fact, refusal
from abhyasa.recovery.permits import DispatchPermit, EffectEvidence, Lease, LeaseLost, ReconcilePermit
from abhyasa.recovery.records import RecoveryRecords, scope_cells
from abhyasa.recovery.values import AuthorizationInstance, Denial, Outcome, Report, Reservation, Scope

# Where time ends: an int64 holds it, and as much again for the commits and the leases after it.
_HORIZON = 2**62


class Transactions(RecoveryRecords):
    """What may be written, by whom, and when. Times are those of a logical clock."""

    def register(self, instance: AuthorizationInstance) -> None:
        """Commit a new instance; the same one again is a no-op. Raises Conflict for other content.

        Its id is part of what the provider is sent: let it be unique there, not only in this store.
        """
        with self._transaction():
            known = self.instance(instance.id)
            if known is None:
                self._add("instances", *_cells(instance))
            elif _cells(known) != _cells(instance):
                raise Conflict(f"id {instance.id!r} stands for other content: choose another id")

    def set_fact(self, fact: Fact, scope: Scope, value: int, now: int) -> None:
        """Commit what an authority says about a scope from now on. Raises Refused for no int of a store."""
        _require_storable("value", value)
        with self._turn(now) as at:
            self._add("authority", fact, fact.subject(scope), int(value), at)

    def claim(self, instance_id: str, scope: Scope, worker: str, until: int, now: int) -> Lease | Denial:
        """Take the instance over from whoever holds it, at once. A stranger is denied and changes nothing.

        The worker may be admitted or readmitted before `until`, and observe and settle until the next claim.
        """
        with self._turn(now) as at:
            if self._known(instance_id).scope != scope:
                return Denial.WRONG_SCOPE
            _require_storable("until", until)
            epoch = self._epoch(instance_id) + 1
            self._add("leases", instance_id, epoch, worker, until + at - now, at)
            return Lease(instance_id=instance_id, epoch=epoch, worker=worker)

    def heartbeat(self, lease: Lease, until: int, now: int) -> bool:
        """Extend the lease, and return True; False, and a refusal on record, if it is lost or has run out."""
        with self._turn(now) as at:
            accepted = self._is_current(lease) and at < self._lease_end(lease)
            self._add("heartbeats", lease.instance_id, lease.epoch, int(accepted), at)
            if accepted:
                _require_storable("until", until)
                extend = "UPDATE leases SET expires_at = ? WHERE instance = ? AND epoch = ?"
                self._rows(extend, until + at - now, lease.instance_id, lease.epoch)
            return accepted

    def admit(self, lease: Lease, now: int, answer: bool | None = None) -> DispatchPermit | Denial:
        """Judge, then consume the approval, reserve and write the first intent ahead, in one commit.

        `answer` is the dependency's, about this instance and to this worker; None if there is none.
        A denial is reported in that commit, at the moment at which its reason holds, and is final. Only that
        the lease has run out is not: it says nothing of the instance, and the next claim may be admitted.
        """
        with self._turn(now) as at:
            instance = self._held(lease)
            if self._intents(instance.id):
                raise Refused(f"{instance.id!r} was dispatched before: recover it, do not begin anew")
            on_record = self._denial(instance)
            if on_record is not None:
                return on_record
            self._hear(lease, answer, at)
            denial = self._refusal(instance, lease, at)
            if denial is not None:
                if denial is not Denial.LEASE_EXPIRED:
                    denied = Report(outcome=Outcome.DENIED, reason=denial)
                    self._report(instance.id, instance.scope, denied, at)
                return denial
            if instance.approval is not None:
                self._add("consumptions", instance.approval, instance.id, at)
            self._add("reservations", instance.id, Reservation.HELD)
            return self._intend(lease, None, at, at)

    def readmit(self, lease: Lease, now: int, answer: bool | None = None) -> DispatchPermit | Denial:
        """Judge again, and write a further intent with a fresh key ahead, in one commit."""
        with self._turn(now) as at:
            instance = self._held(lease)
            self._require_uncertain(instance.id)
            self._hear(lease, answer, at)
            denial = self._refusal(instance, lease, at)
            return self._intend(lease, None, at, at) if denial is None else denial

    def reuse(self, lease: Lease, key: str | None, now: int) -> DispatchPermit:
        """Write a further intent ahead under the judgment of the last: authority may be gone meanwhile.

        Without a key it has a fresh one.
        """
        with self._turn(now) as at:
            self._require_uncertain(self._held(lease).id)
            if at >= self._lease_end(lease):
                raise LeaseLost(f"the lease on {lease.instance_id!r} ran out: claim it again")
            query = "SELECT judged_at FROM intents WHERE instance = ? ORDER BY number DESC LIMIT 1"
            return self._intend(lease, key, self._cell(query, lease.instance_id), at)

    def may_reconcile(self, lease: Lease) -> ReconcilePermit:
        """Permit to reconcile a dispatched instance, whatever became of write authority."""
        with self._transaction():
            if not self._intents(self._held(lease).id):
                raise Refused(f"{lease.instance_id!r} was never dispatched: there is nothing to reconcile")
        return ReconcilePermit(lease=lease)

    def observe(self, permit: ReconcilePermit, evidence: EffectEvidence, now: int) -> None:
        """Commit what was seen of an effect, before it is settled."""
        with self._turn(now) as at:
            instance = self._held(permit.lease)
            seen = (evidence.reference, evidence.receipt, evidence.source)
            self._add("observations", instance.id, *seen, permit.lease.epoch, at)

    def settle(self, permit: ReconcilePermit, receipt: str, now: int) -> int:
        """Charge the reservation for an observed receipt, and return the charge: 0 if done before."""
        with self._turn(now) as at:
            instance = self._held(permit.lease)
            self._require_observed(instance.id, receipt)
            settled = self._cell("SELECT receipt FROM settlements WHERE instance = ?", instance.id)
            if settled not in (None, receipt):
                raise Refused(f"{instance.id!r} is settled by {settled!r}, and {receipt!r} is another effect")
            charge = int(settled is None)
            self._add("settlements", instance.id, receipt, charge, permit.lease.epoch, at)
            update = "UPDATE reservations SET status = ? WHERE instance = ?"
            self._rows(update, Reservation.CHARGED, instance.id)
            return charge

    def report(self, lease: Lease, scope: Scope, report: Report, now: int) -> None:
        """Commit what the holder of the lease tells its host, unless it is a denial that is on record."""
        with self._turn(now) as at:
            on_record = self._denial(self._held(lease))
            if report.reason is None or report.reason != on_record:
                self._report(lease.instance_id, scope, report, at)

    def turn_away(self, instance_id: str, scope: Scope, now: int) -> None:
        """Commit that a stranger was denied. The instance itself is untouched."""
        with self._turn(now) as at:
            self._report(instance_id, scope, Report(outcome=Outcome.DENIED, reason=Denial.WRONG_SCOPE), at)

    @contextmanager
    def _turn(self, now: int) -> Iterator[int]:
        """Begin a transaction, and yield its time."""
        _require_storable("now", now)
        with self._transaction():
            at = max(now, self.time() + 1)
            self._rows("UPDATE clock SET at = ?", at)
            yield at

    def _hear(self, lease: Lease, answer: bool | None, now: int) -> None:
        """Put the dependency's answer on record, where the judgment that follows reads it."""
        if answer is not None:
            self._add("answers", lease.instance_id, lease.epoch, int(answer), now)

    def _refusal(self, instance: AuthorizationInstance, lease: Lease, now: int) -> Denial | None:
        return refusal(instance, self._standing(instance, lease), now)

    def _intend(self, lease: Lease, key: str | None, judged_at: int, now: int) -> DispatchPermit:
        number = self._intents(lease.instance_id) + 1
        reference = f"{lease.instance_id}/{number}"
        key = f"{lease.instance_id}#{number}" if key is None else key
        self._add("intents", lease.instance_id, number, reference, key, lease.epoch, judged_at, now)
        return DispatchPermit(lease=lease, reference=reference, key=key, judged_at=judged_at)

    def _held(self, lease: Lease) -> AuthorizationInstance:
        """Return the instance that the lease holds. Raises LeaseLost if another worker holds it."""
        if not self._is_current(lease):
            raise LeaseLost(f"{lease.worker!r} was replaced on {lease.instance_id!r}: stop it")
        return self._known(lease.instance_id)

    def _is_current(self, lease: Lease) -> bool:
        return self._epoch(lease.instance_id) == lease.epoch

    def _require_uncertain(self, instance_id: str) -> None:
        """Raise Refused unless a delivery was made, and nothing is known of its effect."""
        if not self._intents(instance_id):
            raise Refused(f"{instance_id!r} was never dispatched: admit it")
        if self.row(instance_id).observation is not None:
            raise Refused(f"the effect of {instance_id!r} was observed: settle it, do not send again")

    def _require_observed(self, instance_id: str, receipt: str) -> None:
        query = "SELECT count(*) FROM observations WHERE instance = ? AND receipt = ?"
        if not self._cell(query, instance_id, receipt):
            raise Refused(f"{receipt!r} was never observed for {instance_id!r}: observe it first")

    def _report(self, instance_id: str, scope: Scope, report: Report, now: int) -> None:
        self._add("reports", instance_id, report.outcome, report.reason, *scope_cells(scope), now)

    def _add(self, table: str, *cells: object) -> None:
        self._rows(f"INSERT INTO {table} VALUES ({', '.join('?' * len(cells))})", *cells)


def _require_storable(name: str, value: int) -> None:
    """Raise Refused for what a store cannot hold, or after which no later time could be held."""
    if not isinstance(value, int) or not 0 <= value < _HORIZON:
        raise Refused(f"{name} is an integer of at least 0, and below 2**62, not {value!r}: mend its source")


def _cells(instance: AuthorizationInstance) -> tuple[object, ...]:
    limits = (instance.policy_epoch, instance.expires_at, instance.allowed_effects)
    return (instance.id, *scope_cells(instance.scope), instance.action_text, *limits, instance.approval)
