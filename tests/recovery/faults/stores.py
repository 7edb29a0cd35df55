"""Wrong turns in the store's transactions."""

from dataclasses import replace

from abhyasa.recovery import Denial, Outcome, Report
from tests.recovery.stage import FailingStore


class NothingJudged(FailingStore):
    """Admission looks at nothing."""

    def _refusal(self, instance, lease, now):
        return None


class EverythingDenied(FailingStore):
    """Admission finds fault with everything."""

    def _refusal(self, instance, lease, now):
        return Denial.REVOKED


class ExpiryForgotten(FailingStore):
    """Admission does not look at the clock."""

    def _refusal(self, instance, lease, now):
        return super()._refusal(instance, lease, 0)


class ApprovalNotConsumed(FailingStore):
    """An approval can be used again."""

    def _add(self, table, *cells):
        if table != "consumptions":
            super()._add(table, *cells)


class ApprovalShared(ApprovalNotConsumed):
    """An approval that another instance has consumed serves this one too."""

    def _add(self, table, *cells):
        if table != "consumptions" or not self.consumptions(cells[0]):
            FailingStore._add(self, table, *cells)

    def _refusal(self, instance, lease, now):
        denial = super()._refusal(instance, lease, now)
        return None if denial is Denial.APPROVAL_CONSUMED else denial


class Unfenced(FailingStore):
    """Whoever has ever held a lease may act."""

    def _held(self, lease):
        return self._known(lease.instance_id)


class EpochsSkip(FailingStore):
    """A claim leaves an epoch out."""

    def claim(self, *arguments):
        lease = super().claim(*arguments)
        self._db.execute("UPDATE leases SET epoch = epoch + 1 WHERE epoch = ?", (lease.epoch,))
        return replace(lease, epoch=lease.epoch + 1)


class ReservationReleased(FailingStore):
    """Where nothing is known, the reservation is given back."""

    def report(self, lease, scope, report, now):
        super().report(lease, scope, report, now)
        if report.outcome is Outcome.UNKNOWN:
            self._db.execute("DELETE FROM reservations")


class UnknownIsDenied(FailingStore):
    """Where nothing is known, the host is told that it was denied."""

    def report(self, lease, scope, report, now):
        if report.outcome is Outcome.UNKNOWN:
            report = Report(outcome=Outcome.DENIED, reason=Denial.REVOKED)
        super().report(lease, scope, report, now)


class Unobserved(FailingStore):
    """A settlement asks for no observation."""

    def _require_observed(self, instance_id, receipt):
        pass


class ChargedAgain(FailingStore):
    """A settlement does not look for an earlier one."""

    def settle(self, permit, receipt, now):
        self._add("settlements", permit.lease.instance_id, receipt, 1, permit.lease.epoch, now)
        return super().settle(permit, receipt, now)


class ReservedBeforeJudged(FailingStore):
    """A reservation is made first, and left behind by a denial."""

    def claim(self, *arguments):
        lease = super().claim(*arguments)
        self._db.execute("INSERT OR IGNORE INTO reservations VALUES (?, 'held')", arguments[:1])
        return lease

    def admit(self, lease, now, answer=None):
        self._db.execute("DELETE FROM reservations")
        answer = super().admit(lease, now, answer)
        if isinstance(answer, Denial):
            self._add("reservations", lease.instance_id, "held")
        return answer


class SaysNothing(FailingStore):
    """A run ends without a report."""

    def report(self, lease, scope, report, now):
        pass


class ReconcilingUnfenced(FailingStore):
    """What a worker has seen is kept, whoever holds the lease."""

    def observe(self, permit, evidence, now):
        self._add(
            "observations",
            permit.lease.instance_id,
            evidence.reference,
            evidence.receipt,
            evidence.source,
            permit.lease.epoch,
            now,
        )


class DenialForgotten(FailingStore):
    """A denial holds for one worker only."""

    def _denial(self, instance):
        return None


class JudgedAtTheClaim(FailingStore):
    """Authority is judged when a worker claims, and not when it is admitted."""

    def claim(self, instance_id, scope, worker, until, now):
        lease = super().claim(instance_id, scope, worker, until, now)
        if not isinstance(lease, Denial):
            self.judged = super()._refusal(self._known(instance_id), lease, now)
        return lease

    def _refusal(self, instance, lease, now):
        return self.judged
