"""What spec/DurableCustody.tla means in abhyasa: endpoints that die, and a channel that keeps messages.

The model plays what surrounds the two processes: time, and the channel, in which a message stays until
it is lost. So `up`, `copies`, `answers`, `now` and `skew` are the model's own; all else is read from
the two stores. A step with a transaction dies at a statement of it (see `process`).
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter, methodcaller
from typing import Any

from abhyasa import (
    AckStatus,
    Custodian,
    CustodyAck,
    CustodyRecord,
    Decision,
    Delivery,
    Due,
    OnDecline,
    Receiver,
    Status,
    Terms,
    Why,
)
from model.custody_log import CustodyLog
from model.process import Fate, MortalCustody, MortalLedger, Process
from model.weights import TARGET, Updates
from specwalk.model import Model, NotOffered, action
from specwalk.values import ModelValue, Value

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
TICK = timedelta(seconds=1)


class DurableModel(CustodyLog, Model):
    """DurableCustody.tla on Custodian, Receiver and their SQLite stores."""

    spec = "../spec/DurableCustody.tla"
    instances = ("one", "skewed", "benign", "willing", "two", "mixed")
    large = ("two", "mixed")
    logged = ("one", "benign")
    interchangeable = ("Admissible",)
    not_modelled = ("a channel that changes messages, beyond answers to other content",)

    def __init__(self, constants: Mapping[str, Any]) -> None:
        super().__init__(constants)
        self.names: list[ModelValue] = sorted(constants["Obligations"], key=attrgetter("name"))
        self.updates = Updates(self.names, constants["Admissible"])
        self.terms = Terms(
            window=constants["Window"] * TICK,
            max_retries=constants["MaxRetries"],
            initial=TICK,
            cap=TICK,
            jitter=None,
            on_decline=OnDecline.PROTECT if constants["ProtectOnDecline"] else OnDecline.SURFACE,
        )

    def start(self, initial: Mapping[str, Value]) -> None:
        """Start both processes on empty stores."""
        self.custodian = Process(MortalCustody(), self._custodian)
        self.receiver = Process(MortalLedger(), self._receiver)
        self.decision = Decision(status=AckStatus.APPLIED)
        self.copies: dict[ModelValue, Delivery] = {}
        self.answers: dict[tuple[ModelValue, str], CustodyAck] = {}
        self.now = 0
        self.skew = int(str(initial["skew"]))

    def _custodian(self, store: MortalCustody) -> Custodian:
        return Custodian(store, self.updates.kinds, self._send)

    def _receiver(self, store: MortalLedger) -> Receiver:
        return Receiver(TARGET, store, self.updates.kinds, self._reply, lambda _: self.decision)

    # What the endpoints hand to the channel

    def _send(self, delivery: Delivery) -> None:
        if self.custodian.lets_out():
            self.custodian.store.image()  # refuses while a transaction is open
            self.copies[ModelValue(delivery.obligation.id)] = delivery

    def _reply(self, ack: CustodyAck) -> None:
        if self.receiver.lets_out():
            self.receiver.store.image()
            self.answers[ModelValue(ack.obligation_id), ack.status.value] = ack

    # Processes, time, and the channel

    @action("Crash")
    def crash(self, side: str) -> None:
        """A process dies between two steps."""
        if self._process(side).endpoint is None:
            raise NotOffered(f"the {side} is down already")
        self._process(side).crash()

    @action("Resume")
    def resume(self, side: str) -> None:
        """A process starts again on its store."""
        if self._process(side).endpoint is not None:
            raise NotOffered(f"the {side} runs")
        self._process(side).resume()

    @action("Tick")
    def tick(self) -> None:
        """Time passes, as far as the bound of the spec lets it."""
        unissued = any(self.custodian.store.record(o.name) is None for o in self.names)
        if self.now + 1 + unissued * self.constants["Window"] > self.constants["Horizon"]:
            raise NotOffered("beyond the bound of the spec")
        self.now += 1

    @action("LoseCopy")
    def lose_copy(self, o: ModelValue) -> None:
        """The copies of an obligation that are in flight are lost."""
        if self.copies.pop(o, None) is None:
            raise NotOffered("no copy is in flight")

    @action("LoseAnswer")
    def lose_answer(self, o: ModelValue, answer: str) -> None:
        """An answer is lost."""
        if self.answers.pop((o, answer), None) is None:
            raise NotOffered("no such answer is in flight")

    def _process(self, side: str) -> Process[Any, Any]:
        return self.custodian if side == "custodian" else self.receiver

    # The custodian

    @action("Accept")
    def accept(self, o: ModelValue, fate: str) -> None:
        """An obligation is issued, or submitted again."""
        issue = methodcaller("accept", self.updates.obligations[o], self.terms, self._now())
        self._take(self.custodian, fate, issue)

    @action("Attempt")
    def attempt(self, o: ModelValue, fate: str) -> None:
        """The scheduler lets the custodian do what is due."""
        self._take(self.custodian, fate, methodcaller("advance", o.name, self._now()))

    @action("EscalateByDeadline")
    def escalate_by_deadline(self, o: ModelValue, fate: str) -> None:
        """The fail-safe fires at the deadline, or at the first step after it."""
        self._escalate(o, Due.DEADLINE, fate)

    @action("EscalateByBudget")
    def escalate_by_budget(self, o: ModelValue, fate: str) -> None:
        """The fail-safe fires when the wait after the last delivery has ended."""
        self._escalate(o, Due.BUDGET, fate)

    @action("ReceiveAnswer")
    def receive_answer(self, o: ModelValue, answer: str, fate: str) -> None:
        """An answer arrives."""
        if (o, answer) not in self.answers:
            raise NotOffered("no such answer is in flight")
        self._take(self.custodian, fate, methodcaller("receive_ack", self.answers[o, answer], self._now()))

    @action("ReceiveForeignAnswer")
    def receive_foreign_answer(self, o: ModelValue, answer: str) -> None:
        """Answers arrive that name the obligation: to other content, and of another target."""
        ack = CustodyAck(
            obligation_id=o.name,
            target=TARGET,
            status=AckStatus(answer),
            acked_at=self._now(),
            digest=self.updates.obligations[o].digest,
        )
        for foreign in (replace(ack, digest="0" * 64), replace(ack, target="agent-c")):
            self._take(self.custodian, Fate.DONE, methodcaller("receive_ack", foreign, self._now()))

    def _escalate(self, o: ModelValue, cause: Due, fate: str) -> None:
        def fail_safe(custodian: Custodian) -> None:
            if custodian.due(o.name, self._now()) is not cause:
                raise NotOffered(f"no escalation by {cause} is due")
            custodian.advance(o.name, self._now())

        self._take(self.custodian, fate, fail_safe)

    def _take(self, process: Process[Any, Any], fate: str, step: Callable[[Any], object]) -> None:
        try:
            taken = process.live(Fate(fate), step)
        except KeyError as unknown:  # never accepted here, or not deferred
            raise NotOffered(str(unknown)) from unknown
        if not taken:
            raise NotOffered("the process is down, or does nothing that it could die of")

    def _now(self) -> datetime:
        return EPOCH + self.now * TICK

    # The receiver

    @action("Receive")
    def receive(self, o: ModelValue, answer: str, fate: str) -> None:
        """A copy arrives at a receiver whose application would give this answer."""
        if o not in self.copies or not self._may(o, answer):
            raise NotOffered("nothing to deliver, or no answer that the application gives")
        self.decision = Decision(status=AckStatus(answer))
        self._take(self.receiver, fate, methodcaller("receive", self.copies[o], self._now_there()))

    @action("Resolve")
    def resolve(self, o: ModelValue, answer: str, fate: str) -> None:
        """The application answers what it had deferred."""
        if not self._may(o, answer) or answer == "deferred":
            raise NotOffered("no answer that the application gives")

        decision = Decision(status=AckStatus(answer))
        self._take(self.receiver, fate, methodcaller("resolve", o.name, decision, self._now_there()))

    def _may(self, o: ModelValue, answer: str) -> bool:
        """Tell whether the application, which is the spec's to say, would ever answer so."""
        permission = {"declined": "Declinable", "deferred": "Deferrable"}.get(answer)
        return permission is None or o in self.constants[permission]

    def _now_there(self) -> datetime:
        return EPOCH + (self.now + self.skew) * TICK

    # What there is to see

    def observe(self) -> Mapping[str, object]:
        """Read what is durable from the two stores, all else from the world around."""
        custody, ledger = self.custodian.store, self.receiver.store
        accepted = {record.obligation.id: record for record in custody.records()}
        records = {o: accepted.get(o.name) for o in self.names}
        reported = {escalation.obligation_id for escalation in custody.escalations()}
        notes = [note.ack for note in custody.notes() if note.why is Why.LATE]
        entries = {o: ledger.entry(o.name) for o in self.names}
        return {
            "status": {o: _status(record, o.name in reported) for o, record in records.items()},
            "deliveries": {o: record.deliveries if record else 0 for o, record in records.items()},
            "due": {o: _ticks(record.due_at) if record else 0 for o, record in records.items()},
            "deadline": {o: _ticks(record.deadline) if record else 0 for o, record in records.items()},
            "deferred": {o: record is not None and record.deferred for o, record in records.items()},
            "protected": self.updates.protected(custody),
            "late": {
                o: {ack.status.value for ack in notes if ack.obligation_id == o.name} for o in self.names
            },
            "ledger": {o: entry.status.value if entry else "none" for o, entry in entries.items()},
            "effects": self.updates.effects(ledger),
            "up": {side: self._process(side).endpoint is not None for side in ("custodian", "receiver")},
            "copies": set(self.copies),
            "answers": set(self.answers),
            "now": self.now,
            "skew": self.skew,
        }

    def content(self) -> Hashable:
        """Every row of both stores, but for times and reasons of what has ended, and for notes.

        The spec tells neither why nor when a transfer ended or an answer was given, so two ways to one
        state may differ in these. Of notes it keeps the late ones, which `observe` reads.
        """
        custody, ledger = self.custodian.store.rows(), self.receiver.store.rows()
        return (
            tuple((*row[:13], *row[15:]) for row in custody.custody),
            custody.state,
            custody.sequences,
            tuple((row[0], row[1], row[4]) for row in custody.escalations),
            tuple(row[:4] for row in ledger.ledger),
            ledger.state,
            ledger.sequences,
        )

    def snapshot(self) -> Any:
        """Images of both stores, which process runs, what is in flight, and the times."""
        running = self.custodian.endpoint is not None, self.receiver.endpoint is not None
        images = self.custodian.store.image(), self.receiver.store.image()
        return images, running, dict(self.copies), dict(self.answers), self.now, self.skew

    def restore(self, snapshot: Any) -> None:
        """Put processes, channel and times back."""
        images, running, copies, answers, self.now, self.skew = snapshot
        self.copies, self.answers = dict(copies), dict(answers)
        self.custodian.put(images[0], running=running[0])
        self.receiver.put(images[1], running=running[1])


def _status(record: CustodyRecord | None, reported: bool) -> str:
    """The record's status; an escalation is one only if the principal was told."""
    if record is None:
        return "issued"
    if (record.status is Status.ESCALATED) is not reported:
        return f"{record.status.value}, {'but' if reported else 'not'} reported"
    return record.status.value


def _ticks(moment: datetime) -> int:
    return (moment - EPOCH) // TICK
