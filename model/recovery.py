"""What spec/Recovery.tla means in abhyasa: one instance, its workers, its authority and its provider.

Workers are those of model/tape.py: the real `Application.steps`, between two acts. The model plays the
authority, the provider, and whoever starts, kills and replaces workers.
"""

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from abhyasa.core.errors import Refused
from abhyasa.recovery import POLICIES, Application, Denial, Outcome, Report
from model.played import PlayedProvider
from model.providers import CONTRACTS
from model.recovery_log import RecoveryLog, consumption, number
from model.refund import INSTANCE, LEASE_SPAN, SCOPE, STRANGER, Authority, Clock, WalkedStore
from model.tape import TRANSACTIONS, Worker, Workplace
from specwalk.model import Model, NotOffered, action
from specwalk.values import Value

_DOWN = {"act": "down", "about": 0}
#: The acts of a worker that the spec calls otherwise.
_CALLED = {"readmit": "repeat", "reuse": "repeat", "lookup": "look_up"}
_LARGE = ("ledger_any", "cached_any", "revalidate_any", "stable_key_any")
#: At most so many workers live at once, which is a bound of the spec.
_ALIVE = 2


class RecoveryModel(RecoveryLog, Model):
    """Recovery.tla on Application, RecoveryStore, and the contracts of model/providers.py."""

    spec = "../spec/Recovery.tla"
    instances = ("ledger", "losses", "cached", "revalidate", "stable_key", *_LARGE)
    large = _LARGE
    logged = ("ledger_any",)
    not_modelled = (
        "leases that run out",
        "dependencies that refuse",
        "approvals that are missing",
        "a time that is read long before its transaction",
    )

    #: What is walked. Tests put faults, and a witness, in their place.
    store_type: ClassVar[type[WalkedStore]] = WalkedStore
    provider_type: ClassVar[type[PlayedProvider]] = PlayedProvider

    def start(self, initial: Mapping[str, Value]) -> None:
        """Register the instance under an authority that permits it, at a provider with this contract."""
        self.clock, self.store = Clock(), self.store_type()
        self.provider = self.provider_type(CONTRACTS[str(initial["contract"])], self.clock)
        self.workers: list[Worker] = []
        self.store.register(INSTANCE)
        self.authority = Authority(self.store, self.clock)
        application = Application(
            store=self.store,
            provider=self.provider,
            policy=POLICIES[self.constants["Policy"]],
            clock=self.clock,
            lease_span=LEASE_SPAN,
        )
        self.workplace = Workplace(application=application, instance_id=INSTANCE.id, scope=SCOPE)

    # The authority

    @action("Lose")
    def lose(self, loss: str) -> None:
        """A part of the authority ceases to stand."""
        if len(self.authority.lost()) == self.constants["MaxLosses"]:
            raise NotOffered("beyond the bound of the spec")
        try:
            self.authority.lose(loss)
        except Refused as refused:
            raise NotOffered(str(refused)) from refused

    @action("GrantAgain")
    def grant_again(self) -> None:
        """The grant is given again."""
        self.authority.grant()

    # Workers

    @action("Claim")
    def claim(self) -> None:
        """A worker takes the instance over."""
        if len(self.workers) == _ALIVE:
            raise NotOffered("beyond the bound of the spec")
        self.workers += self.workplace.go_on(Worker(name=self.next_name()))

    def next_name(self) -> str:
        """Name who claims next. All have one name here, so that the lease alone tells who holds it."""
        return "worker"

    @action("StrangerAsks")
    def stranger_asks(self) -> None:
        """A worker of another scope asks for the instance."""
        report = self.workplace.application.run(INSTANCE.id, STRANGER, "stranger")
        if report != Report(outcome=Outcome.DENIED, reason=Denial.WRONG_SCOPE):
            raise RuntimeError(f"a stranger was told {report}")

    @action("Heartbeat")
    def heartbeat(self, p: str) -> None:
        """A worker asks for more time."""
        now = self.clock()
        accepted = self.store.heartbeat(self._at(p).lease, now + LEASE_SPAN, now)
        if accepted is not (p == "holder"):
            raise RuntimeError(f"R6: the heartbeat of the {p} was {'accepted' if accepted else 'refused'}")

    @action("Die")
    def die(self, p: str) -> None:
        """A worker is killed."""
        self.workers.remove(self._at(p))

    @action("Fail")
    def fail(self, p: str) -> None:
        """A worker's transaction cannot be committed."""
        if self._at(p).act not in TRANSACTIONS:
            raise NotOffered("its next act is no transaction")
        self.store.fill(True)
        try:
            self._go_on(p)
        finally:
            self.store.fill(False)

    @action("Admit")
    def admit(self, p: str) -> None:
        """A worker asks for permission to dispatch."""
        self._act(p, "admit")

    @action("Repeat")
    def repeat(self, p: str) -> None:
        """A worker asks for permission to send again."""
        if len(self._groups()) == self.constants["MaxDispatches"]:
            raise NotOffered("beyond the bound of the spec")
        self._act(p, "repeat")

    @action("Send")
    def send_request(self, p: str) -> None:
        """A worker sends a request."""
        self._act(p, "send")

    @action("Hear")
    def hear(self, p: str, answered: bool) -> None:
        """A worker is answered, or waits no longer."""
        self._ask(p, "hear", answered)

    @action("LookUp")
    def look_up(self, p: str, answered: bool) -> None:
        """A worker looks its delivery up."""
        self._ask(p, "look_up", answered)

    @action("Observe")
    def observe_effect(self, p: str) -> None:
        """A worker persists what it has seen."""
        self._act(p, "observe")

    @action("Settle")
    def settle(self, p: str) -> None:
        """A worker settles."""
        self._act(p, "settle")

    @action("Report")
    def report(self, p: str) -> None:
        """A worker reports."""
        if self._at(p).act != "report":
            raise NotOffered("there is nothing to report yet")
        self._go_on(p)

    def _ask(self, p: str, act: str, answered: bool) -> None:
        self.provider.silent = not answered
        try:
            self._act(p, act)
        finally:
            self.provider.silent = False

    def _act(self, p: str, act: str) -> None:
        found = _next(self._at(p))["act"]
        if found != act:
            raise NotOffered(f"its next act is {found}")
        self._go_on(p)

    def _go_on(self, p: str) -> None:
        worker = self._at(p)
        place = self.workers.index(worker)
        self.workers[place : place + 1] = self.workplace.go_on(worker)

    def _at(self, p: str) -> Worker:
        for worker in self._all_at(p):
            return worker
        raise NotOffered(f"no {p} is alive")

    def _all_at(self, p: str) -> list[Worker]:
        """The one worker at a place, if the implementation knows where it is."""
        newest = max(self._cells("leases", "epoch"), default=0)
        return [worker for worker in self.workers if (worker.lease.epoch == newest) is (p == "holder")]

    # The provider

    @action("Commit")
    def commit(self, d: int) -> None:
        """A request takes effect."""
        self.provider.commit(f"{INSTANCE.id}/{d}")

    @action("CloseWindow")
    def close_window(self) -> None:
        """The provider forgets its keys."""
        self.provider.close_window()

    # What there is to see

    def observe(self) -> Mapping[str, object]:
        """Read from the store what is durable, and all else from the live workers and the provider."""
        uses = [
            consumption(consumer, INSTANCE.id) for consumer, _ in self.store.consumptions(INSTANCE.approval)
        ]
        receipts = self._cells("observations", "receipt")
        deliveries = self.provider.deliveries
        origins = {number(reference): number(origin) for reference, origin in deliveries.origins.items()}
        return {
            "lost": self.authority.lost(),
            "approval": _single(uses, "unused"),
            "intents": self._groups(),
            "reservation": self.store.reservation(INSTANCE.id) or "none",
            "observed": _single([number(receipt) for receipt in receipts], 0),
            "charged": sum(self._cells("settlements", "charge")),
            "reported": self._reported(),
            "worker": {p: _single(list(map(_next, self._all_at(p))), _DOWN) for p in ("holder", "former")},
            "contract": deliveries.contract.name,
            "origin": tuple(origins.get(d, 0) for d in range(1, self.constants["MaxDispatches"] + 1)),
            "committed": set(map(number, deliveries.committed)),
            "window": deliveries.deduplicates,
        }

    def _groups(self) -> tuple[int, ...]:
        """For each intent the first of its delivery group: that of its key, while keys deduplicate."""
        first: dict[str, int] = {}
        return tuple(
            first.setdefault(key, number) if self.provider.deliveries.deduplicated(at) else number
            for number, key, at in self.store.records("intents", ("number", "key", "at"), INSTANCE.id)
        )

    def _reported(self) -> str:
        """What was reported last; what strangers were told does not count."""
        told = self.store.records("reports", ("outcome", "reason", "run"), INSTANCE.id)
        own = [reason or outcome for outcome, reason, run in told if run == SCOPE.run]
        return own[-1] if own else "nothing"

    def _cells(self, table: str, column: str) -> list[Any]:
        return [cell for (cell,) in self.store.records(table, (column,), INSTANCE.id)]

    def content(self) -> Hashable:
        """What is durable of the instance, but for times, leases, and settlements made again.

        The spec counts neither claims nor settlements, and does not tell by which answer of the provider
        an effect was seen, or what has been reported before the last report.
        """
        return (
            tuple(self.store.records("intents", ("number", "reference", "key"), INSTANCE.id)),
            tuple(self._cells("observations", "receipt")),
            tuple(self.store.records("settlements", ("receipt", "charge"), INSTANCE.id)[:1]),
        )

    def snapshot(self) -> Any:
        """An image of the store, the live workers, the provider, and the time."""
        return self.store.image(), tuple(self.workers), self.provider.deliveries, self.clock.now

    def restore(self, snapshot: Any) -> None:
        """Put store, workers, provider and time back."""
        image, workers, self.provider.deliveries, self.clock.now = snapshot
        self.store.restore(image)
        self.workers[:] = workers


def _next(worker: Worker) -> dict[str, object]:
    """Return what a worker will do next, as the spec has it."""
    match worker.act, worker.arguments:
        case "report", (_, _, report, _):
            return {"act": str(report.reason or report.outcome), "about": 0}
        case "send", (request,):
            about = request.reference
        case "hear" | "lookup", (reference, *_):
            about = reference
        case "observe", (_, evidence, _):
            about = evidence.receipt
        case "settle", (_, receipt, _):
            about = receipt
        case _:
            return {"act": _CALLED.get(worker.act, worker.act), "about": 0}
    return {"act": _CALLED.get(worker.act, worker.act), "about": number(about)}


def _single(values: list[Any], none: object) -> object:
    """Return the one value that there is, or the one for none. Several are no value of the spec."""
    return values[0] if len(values) == 1 else tuple(values) or none
