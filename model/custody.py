"""What spec/Custody.tla means in abhyasa: the real endpoints on real stores, driven step by step.

One custodian and one receiver hold all obligations, each side in one store. The model plays what
surrounds them: the channel, which keeps the latest copy of each obligation (a failed attempt's
copy is lost *or late*), and time. Time in Custody.tla is each obligation's own, so each has its
own `now`; which of several is due first, under one clock, is the scheduler's matter.

The obligations are updates of weights (see `weights`): what became of each is read off the stores.
"""

from collections.abc import Hashable, Mapping
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from pathlib import Path
from typing import Any

from abhyasa import (
    AckStatus,
    Custodian,
    CustodianStore,
    CustodyAck,
    CustodyRecord,
    Decision,
    Delivery,
    Due,
    OnDecline,
    Receiver,
    ReceiverStore,
    Status,
    Terms,
    Why,
)
from abhyasa.core.receiver import EXPIRED
from model.weights import TARGET, Updates
from specwalk.model import Model, NotOffered, action
from specwalk.values import ModelValue, Value

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(seconds=1)


class CustodyModel(Model):
    """Custody.tla on Custodian, Receiver and their SQLite stores."""

    spec = "../spec/Custody.tla"
    instances = ("single", "published", "deadline")
    committed = ("single", "deadline")
    interchangeable = ("Admissible",)
    not_modelled = ("application after escalation (copies vanish when a transfer ends)",)

    def __init__(self, constants: Mapping[str, Any]) -> None:
        super().__init__(constants)
        self.names: list[ModelValue] = sorted(constants["Obligations"], key=attrgetter("name"))
        self.updates = Updates(self.names, constants["Admissible"])
        self.terms = Terms(
            window=constants["Deadline"] * TICK,
            max_retries=constants["MaxRetries"],
            initial=TICK,
            cap=TICK,
            jitter=None,
            on_decline=OnDecline.PROTECT if constants["ProtectOnDecline"] else OnDecline.SURFACE,
        )

    def start(self, initial: Mapping[str, Value]) -> None:
        """Open both stores and let the custodian accept what is to be under custody."""
        kinds = self.updates.kinds
        self.custody = CustodianStore(self.place("custody"))
        self.ledger = ReceiverStore(self.place("ledger"))
        self.custodian = Custodian(self.custody, kinds, self._send)
        self.receiver = Receiver(TARGET, self.ledger, kinds, self._reply, lambda _: self.decision)
        self.decision = Decision(status=AckStatus.APPLIED)
        self.clock = dict.fromkeys(self.names, 0)
        self.copies: dict[ModelValue, Delivery] = {}
        self.benign = dict.fromkeys(self.names, 0)  # how often each left best-effort
        self.sent: list[Delivery] = []
        self.answers: list[CustodyAck] = []
        for name in self.names:
            if name in self.constants["Admissible"]:
                self.custodian.accept(self.updates.obligations[name], self.terms, EPOCH)

    def place(self, store: str) -> str | Path:
        """Where a store is: in memory. A subclass may have files."""
        return ":memory:"

    # What the endpoints hand to the channel

    def _send(self, delivery: Delivery) -> None:
        self.custody.image()  # refuses while a transaction is open
        record = self.custody.record(delivery.obligation.id)
        assert record is not None
        assert record.deliveries == delivery.attempt
        self.sent.append(delivery)

    def _reply(self, ack: CustodyAck) -> None:
        self.ledger.image()
        self.answers.append(ack)

    # What happens

    @action("Apply")
    def apply(self, o: ModelValue) -> None:
        """A copy arrives and is applied or recognised; the answer comes back."""
        self._answer(o, AckStatus.APPLIED)

    @action("Decline")
    def decline(self, o: ModelValue) -> None:
        """A copy arrives at a receiver that would decline; the answer comes back."""
        self._answer(o, AckStatus.DECLINED)

    @action("Lose")
    def lose(self, o: ModelValue) -> None:
        """The next delivery's wait ends unanswered; its copy is lost, or late."""
        self._attempt(o)
        self.clock[o] += 1

    @action("LoseAck")
    def lose_ack(self, o: ModelValue) -> None:
        """The next delivery arrives and is applied or recognised; its answer is lost."""
        self._attempt(o)
        self._arrive(o, AckStatus.APPLIED)
        self.clock[o] += 1

    @action("EscalateByDeadline")
    def escalate_by_deadline(self, o: ModelValue) -> None:
        """The fail-safe fires at the deadline."""
        self._escalate(o, Due.DEADLINE)

    @action("EscalateByBudget")
    def escalate_by_budget(self, o: ModelValue) -> None:
        """The fail-safe fires when the wait after the last delivery has ended."""
        self._escalate(o, Due.BUDGET)

    @action("SendBestEffort")
    def send_best_effort(self, o: ModelValue) -> None:
        """An inadmissible obligation is sent once; what becomes of it is outside the machine."""
        self.sent.clear()
        self.custodian.accept(self.updates.obligations[o], self.terms, self._now(o))
        self.benign[o] += len(self.sent)
        if not self.sent:
            raise NotOffered("nothing was sent")

    @action("Settled")
    def settled(self) -> None:
        """Nothing happens."""

    def _now(self, o: ModelValue) -> datetime:
        return EPOCH + self.clock[o] * TICK

    def _attempt(self, o: ModelValue) -> None:
        """Let the custodian do what time asks for: a delivery, if it makes one."""
        self.sent.clear()
        self.custodian.advance(o.name, self._now(o))
        # While the wait runs a timer that fires by mistake must change nothing.
        self.custodian.advance(o.name, self._now(o) + TICK / 2)
        if not self.sent:
            self._end(o)
            raise NotOffered("no delivery was made")
        self.copies[o] = self.sent[-1]

    def _arrive(self, o: ModelValue, decision: AckStatus) -> None:
        """Let the latest copy arrive at the receiver."""
        self.answers.clear()
        self.decision = Decision(status=decision)
        self.receiver.receive(self.copies[o], self._now(o))

    def _answer(self, o: ModelValue, decision: AckStatus) -> None:
        """Let a copy arrive, a fresh one if a delivery is due, else a late one, and its answer return."""
        if self.custodian.due(o.name, self._now(o)) is Due.DELIVERY:
            self._attempt(o)
        if o not in self.copies:
            raise NotOffered("nothing to deliver")
        self._arrive(o, decision)
        if not self.answers:
            raise NotOffered("the receiver gave no answer")
        for ack in self.answers:
            self.custodian.receive_ack(ack, self._now(o))
        self.copies.pop(o)

    def _escalate(self, o: ModelValue, cause: Due) -> None:
        if self.custodian.due(o.name, self._now(o)) is not cause:
            raise NotOffered(f"no escalation by {cause} is due")
        self.custodian.advance(o.name, self._now(o))
        self._end(o)

    def _end(self, o: ModelValue) -> None:
        """Let the copies vanish if the transfer has ended, also where it ended instead of a delivery."""
        record = self.custody.record(o.name)
        if record is not None and record.status is not Status.PENDING:
            self.copies.pop(o, None)

    # What there is to see

    def observe(self) -> Mapping[str, object]:
        """Read every variable from the two stores, and from the channel what left best-effort."""
        accepted = {record.obligation.id: record for record in self.custody.records()}
        records = {o: accepted.get(o.name) for o in self.names}
        reported = {escalation.obligation_id for escalation in self.custody.escalations()}
        return {
            "state": {o: _state(record, o.name in reported, self.benign[o]) for o, record in records.items()},
            "attempts": {o: _failed(record) for o, record in records.items()},
            "effects": self.updates.effects(self.ledger),
            "protected": self.updates.protected(self.custody),
            "clock": {o: _elapsed(record) for o, record in records.items()},
        }

    def content(self) -> Hashable:
        """Every row of both stores, but for the times of the first answers, and for what came too late.

        The spec counts applications, and two ways to the same state may have applied at different
        times. A copy that arrives expired is declined, and that answer noted; both are kept for
        reconciliation, and the spec does not speak of them.
        """
        custody, ledger = self.custody.rows(), self.ledger.rows()
        answers = tuple((*row[:4], *row[5:]) for row in ledger.ledger if row[-1] != EXPIRED)
        notes = tuple(row for row in custody.notes if row[2] != Why.LATE)
        return (
            *custody.custody,
            *custody.state,
            *custody.sequences,
            *custody.escalations,
            *notes,
            *answers,
            *ledger.state,
            *ledger.sequences,
        )

    def snapshot(self) -> Any:
        """Images of both stores, what the channel has, and the times."""
        channel = dict(self.copies), dict(self.benign)
        return self.custody.image(), self.ledger.image(), channel, dict(self.clock)

    def restore(self, snapshot: Any) -> None:
        """Put stores, channel and times back."""
        custody, ledger, (copies, benign), clock = snapshot
        self.custody.restore(custody)
        self.ledger.restore(ledger)
        self.copies, self.benign, self.clock = dict(copies), dict(benign), dict(clock)


def _state(record: CustodyRecord | None, reported: bool, benign: int) -> str:
    """The record's status; an escalation is one only if the principal was told."""
    if record is None:
        return "issued"
    if benign > 1:
        return f"{record.status.value}, sent {benign} times"
    if (record.status is Status.ESCALATED) is not reported:
        return f"{record.status.value}, {'but' if reported else 'not'} reported"
    return record.status.value


def _failed(record: CustodyRecord | None) -> int:
    """Deliveries whose wait ended unanswered."""
    if record is None or record.status is Status.BEST_EFFORT:
        return 0
    return record.deliveries - (_until(record) < record.due_at)


def _elapsed(record: CustodyRecord | None) -> int:
    """Ticks from the acceptance to the end of the transfer, or of the last wait."""
    return 0 if record is None else (_until(record) - record.accepted_at) // TICK


def _until(record: CustodyRecord) -> datetime:
    # No wait of a pending transfer runs when the walk looks: time has moved to the end of it.
    return record.settled_at or record.due_at
