"""A schedule played in one process: a worker that is killed is one that is never asked for its next step.

Between two boundaries nothing is open, so this leaves behind what a killed process leaves behind.
`processes` plays the same schedules with real ones.
"""

from contextlib import contextmanager

from psycopg.errors import DiskFull

from abhyasa.recovery import (
    Application,
    Fact,
    LeaseLost,
    RecoveryStore,
    application_events,
)
from abhyasa.recovery.postgres import PostgresRecoveryStore
from abhyasa.store import StoreError
from model.refund import FullDisk
from tests.recovery.client import request_body
from tests.recovery.clock import Clock
from tests.recovery.corpus import INSTANCE, LEASE_SPAN, SCOPE
from tests.recovery.providers import SimulatedProvider, ledger_of


class FailingStore(RecoveryStore):
    """A store whose settlements are rolled back while `settle_fails`."""

    _CONNECTION = FullDisk
    settle_fails = False

    def settle(self, *arguments):
        self._db.full = self.settle_fails
        try:
            return super().settle(*arguments)
        finally:
            self._db.full = False


class FailingPostgres(PostgresRecoveryStore):
    """The same on PostgreSQL, as the server says it."""

    settle_fails = _settling = False

    def settle(self, *arguments):
        self._settling = True
        try:
            return super().settle(*arguments)
        finally:
            self._settling = False

    @contextmanager
    def _transaction(self):
        with super()._transaction():
            yield
            if self._settling and self.settle_fails:
                raise DiskFull("could not extend file")


def set_up(store, clock):
    """Register the instance, under an authority that permits it."""
    store.register(INSTANCE)
    store.set_fact(Fact.GRANT, SCOPE, 1, clock())
    store.set_fact(Fact.POLICY_EPOCH, SCOPE, INSTANCE.policy_epoch, clock())


def declared(contract):
    """Return what a history says of its provider's contract."""
    return {"name": contract.name, "dedup": contract.dedup, "lookup": contract.lookup}


def history_of(contract, store, ledger):
    """Return what the checker is given: the declared contract, the store's content, and the ledger."""
    return {"contract": declared(contract), **application_events(store, INSTANCE.id), "provider": ledger}


def advance(steps, to):
    """Take a worker's steps up to a boundary, or to its end; return the boundary that it stands at."""
    try:
        for boundary in steps:
            if boundary == to:
                return boundary
    except (LeaseLost, StoreError):
        return None
    return None


class DirectProvider:
    """A simulated provider without a wire."""

    def __init__(self, simulated):
        self._simulated = simulated

    def send(self, request):
        answer = self._simulated.accept(request_body(request))
        return lambda: answer

    def lookup(self, reference, participant):
        return self._simulated.lookup(reference, participant)


class Stage:
    """The workers, the provider and the store of one history."""

    def __init__(self, policy, contract, first, application=Application, store=FailingStore):
        self.clock, self._events, self._contract = Clock(), [], contract
        self._simulated = SimulatedProvider(contract, first, self.clock, self._write)
        self.store = store()
        self._application = application(
            store=self.store,
            provider=DirectProvider(self._simulated),
            policy=policy,
            clock=self.clock,
            lease_span=LEASE_SPAN,
        )
        self._workers = {}
        set_up(self.store, self.clock)

    def run(self, order):
        steps = self._workers.get(order.worker)
        if steps is None:
            steps = self._application.steps(INSTANCE.id, order.scope, order.worker)
            self._workers[order.worker] = steps
        self.store.settle_fails = order.settle_fails
        reached = advance(steps, order.to)
        assert reached == order.to, f"{order.worker} never came to {order.to}"

    def kill(self, worker):
        del self._workers[worker]

    def change(self, write):
        write(self.store, self.clock)

    def tell(self, command):
        getattr(self._simulated, command)()

    def finish(self):
        """Reach the final boundary, and return the history."""
        ledger = ledger_of(self._events, self._simulated.finish())
        return history_of(self._contract, self.store, ledger)

    def _write(self, kind, event):
        self._events.append((kind, event))


def play(schedule, stage):
    """Play a schedule, and return its history."""
    for step in schedule.steps:
        step.on(stage)
    return stage.finish()
