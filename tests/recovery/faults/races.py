"""Wrong turns in the store that no schedule shows, for scripts stop a worker at boundaries alone.

The walk of Recovery.tla stops it between any two transactions. Each may be mixed into any kind of store.
"""

from abhyasa.recovery import Denial, Lease, RecoveryStore


class _UnfencedHere(RecoveryStore):
    """One transaction of a worker does not ask whether its lease was lost."""

    fenced = True

    def _is_current(self, lease):
        return super()._is_current(lease) or not self.fenced

    def _unfenced(self, transaction, *arguments):
        self.fenced = False
        try:
            return transaction(*arguments)
        finally:
            self.fenced = True


class ObservationUnfenced(_UnfencedHere):
    """The lease is asked for when a worker is permitted to reconcile, and not when it persists."""

    def observe(self, *arguments):
        self._unfenced(super().observe, *arguments)


class SettlementUnfenced(_UnfencedHere):
    """The lease is asked for when a worker is permitted to reconcile, and not when it settles."""

    def settle(self, *arguments):
        return self._unfenced(super().settle, *arguments)


class ReportUnfenced(_UnfencedHere):
    """A worker that was replaced still tells its host what it thinks."""

    def report(self, *arguments):
        self._unfenced(super().report, *arguments)


class NameIsLease(RecoveryStore):
    """Whoever comes back under the name of the holder is taken for the holder."""

    def claim(self, instance_id, scope, worker, until, now):
        held = self.records("leases", ("epoch", "worker"), instance_id)
        if held and held[-1][1] == worker:
            return Lease(instance_id=instance_id, epoch=held[-1][0], worker=worker)
        return super().claim(instance_id, scope, worker, until, now)


class CancellationForgotten(RecoveryStore):
    """Admission does not look whether the run was cancelled."""

    def _refusal(self, instance, lease, now):
        denial = super()._refusal(instance, lease, now)
        return None if denial is Denial.CANCELLED else denial
