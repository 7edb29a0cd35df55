"""One run of a consequential action: named transactions, and boundaries between which a worker may die.

Rule 1: what a run knows is in its store, so a replacement goes on where the dead worker stopped.
Rule 2: the intent is durable before the request leaves, what was seen before it is settled, and the
        settlement before anybody is told.
Rule 3: no answer, no conclusion. A run that does not know reports UNKNOWN and holds the reservation.
Rule 4: a denial is final for its instance: ask anew with another. A lease that ran out is no denial.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from enum import StrEnum

from abhyasa.recovery.permits import DispatchPermit, EffectEvidence, Lease, LeaseLost
from abhyasa.recovery.policies import Policy
from abhyasa.recovery.provider import Provider, Request
from abhyasa.recovery.records import Row
from abhyasa.recovery.store import Transactions
from abhyasa.recovery.values import AuthorizationInstance, Denial, Outcome, Report, Scope
from abhyasa.store.errors import StoreError


class Boundary(StrEnum):
    """Where a worker stands between two transactions, named by what has just happened."""

    PRE_ADMIT = "pre_admit"
    ADMITTED = "admitted"
    SENT = "sent"
    NOACK = "noack"
    ACK = "ack"
    PERSISTED = "persisted"
    SETTLE_ABORTED = "settle_aborted"
    SETTLED = "settled"
    HOST_ACK = "host_ack"


_UNKNOWN = Report(outcome=Outcome.UNKNOWN)
_SUCCESS = Report(outcome=Outcome.SUCCESS)

Steps = Generator[Boundary, None, Report]


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application with one recovery policy.

    `clock` gives the time, in a unit that is finer than the rate of transactions, say microseconds: each
    takes one tick of the store's time at least. Where it falls, the store's time does not fall with it.
    `lease_span` says, in that unit, how long after its claim a worker may be admitted, unless it
    heartbeats. A claim takes over at once whatever is left of it, and it limits no lookup or settlement.
    Let it be longer than the dependency takes to answer: nothing here renews it meanwhile.
    `dependency` is asked before each admission. Whatever but True it returns, and whatever it raises, denies
    (fail closed), and is as final for that instance as any denial.
    """

    store: Transactions
    provider: Provider
    policy: Policy
    clock: Callable[[], int]
    lease_span: int
    dependency: Callable[[AuthorizationInstance], bool] | None = None

    def run(self, instance_id: str, scope: Scope, worker: str) -> Report:
        """Bring an instance as far as it goes, whoever began it, and return what to tell the host.

        Raises LeaseLost if another worker has taken over meanwhile, or the lease has run out before the
        instance was admitted: then tell the host nothing, and it may run the instance again.
        """
        steps = self.steps(instance_id, scope, worker)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                report: Report = end.value
                return report

    def steps(self, instance_id: str, scope: Scope, worker: str) -> Steps:
        """Do as `run` does, and stop at each boundary."""
        claimed_at = self.clock()
        lease = self.store.claim(instance_id, scope, worker, claimed_at + self.lease_span, claimed_at)
        if isinstance(lease, Denial):
            self.store.turn_away(instance_id, scope, self.clock())
            return Report(outcome=Outcome.DENIED, reason=lease)
        yield Boundary.PRE_ADMIT
        report = yield from self._resume(lease, self.store.row(instance_id))
        self.store.report(lease, scope, report, self.clock())
        yield Boundary.HOST_ACK
        return report

    def admit(self, lease: Lease) -> DispatchPermit | Denial:
        """Ask for permission to dispatch for the first time."""
        answer = self.consult(lease)
        return self.store.admit(lease, self.clock(), answer)

    def consult(self, lease: Lease) -> bool | None:
        """Return the dependency's answer, for the judgment that follows; None if there is none to ask."""
        if self.dependency is None:
            return None
        instance = self.store.row(lease.instance_id).instance
        try:
            return self.dependency(instance) is True
        except Exception:
            return False

    def _resume(self, lease: Lease, row: Row) -> Steps:
        if row.denial is not None:
            return Report(outcome=Outcome.DENIED, reason=row.denial)
        if row.observation is not None:
            return (yield from self._settle(lease, row.observation.receipt))
        if row.reference is not None:
            return (yield from self._recover(lease))
        permit = self.admit(lease)
        if permit is Denial.LEASE_EXPIRED:
            raise LeaseLost(f"the lease on {lease.instance_id!r} ran out first: run it again, or lengthen it")
        if isinstance(permit, Denial):
            return Report(outcome=Outcome.DENIED, reason=permit)
        return (yield from self._dispatch(permit))

    def _recover(self, lease: Lease) -> Steps:
        recovery = self.policy(_Case(self, lease))
        if recovery is None:
            return _UNKNOWN
        if isinstance(recovery, EffectEvidence):
            return (yield from self._reconcile(lease, recovery))
        return (yield from self._dispatch(recovery))

    def _dispatch(self, permit: DispatchPermit) -> Steps:
        yield Boundary.ADMITTED
        answer = self.provider.send(self._request(permit))
        yield Boundary.SENT
        evidence = answer().evidence(permit.reference)
        if evidence is None:
            yield Boundary.NOACK
            return _UNKNOWN
        yield Boundary.ACK
        return (yield from self._reconcile(permit.lease, evidence))

    def _request(self, permit: DispatchPermit) -> Request:
        instance = self.store.row(permit.lease.instance_id).instance
        return Request(
            reference=permit.reference,
            key=permit.key,
            participant=permit.lease.worker,
            scope=instance.scope,
            action=instance.action_text,
        )

    def _reconcile(self, lease: Lease, evidence: EffectEvidence) -> Steps:
        self.store.observe(self.store.may_reconcile(lease), evidence, self.clock())
        yield Boundary.PERSISTED
        return (yield from self._settle(lease, evidence.receipt))

    def _settle(self, lease: Lease, receipt: str) -> Steps:
        try:
            self.store.settle(self.store.may_reconcile(lease), receipt, self.clock())
        except StoreError:
            yield Boundary.SETTLE_ABORTED
            raise
        yield Boundary.SETTLED
        return _SUCCESS


class _Case:
    """What a policy may do about the last delivery of an instance."""

    def __init__(self, application: Application, lease: Lease) -> None:
        row = application.store.row(lease.instance_id)
        if row.reference is None or row.key is None:
            raise ValueError(f"{lease.instance_id!r} was never dispatched: there is nothing to recover")
        self._application, self._lease = application, lease
        self._reference, self.key = row.reference, row.key

    def reuse(self, key: str | None = None) -> DispatchPermit:
        return self._application.store.reuse(self._lease, key, self._application.clock())

    def readmit(self) -> DispatchPermit | Denial:
        answer = self._application.consult(self._lease)
        return self._application.store.readmit(self._lease, self._application.clock(), answer)

    def lookup(self) -> EffectEvidence | None:
        permit = self._application.store.may_reconcile(self._lease)
        answer = self._application.provider.lookup(self._reference, permit.lease.worker)
        return answer.evidence(self._reference)
