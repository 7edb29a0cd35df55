"""What spec/Supersession.tla means in abhyasa: consents on one authority, granted and revoked.

The model plays the channel, in which every message stays, and the passage of time: nothing takes any
until a fail-safe fires, which it does at the deadline of its own decision.
"""

from collections.abc import Callable, Hashable, Mapping
from datetime import UTC, datetime, timedelta
from operator import methodcaller
from typing import Any

from abhyasa import (
    AckStatus,
    Conflict,
    Custodian,
    CustodyAck,
    CustodyRecord,
    Decision,
    Delivery,
    Due,
    Kinds,
    Obligation,
    OnDecline,
    Receiver,
    Status,
    Terms,
)
from abhyasa.core.values import Json
from abhyasa.kinds.anumati import Consent, consent_key
from model.process import Fate, MortalCustody, MortalLedger, Process
from model.supersession_log import SupersessionLog
from specwalk.model import Model, NotOffered, action
from specwalk.values import Value

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
TARGET = "agent-b"
SCOPE = "calendar"
AUTHORITY = consent_key(TARGET, SCOPE)
KINDS = Kinds(Consent())


class SupersessionModel(SupersessionLog, Model):
    """Supersession.tla on Custodian, Receiver and their SQLite stores."""

    spec = "../spec/Supersession.tla"
    instances = ("revoked", "granted", "three", "any")
    large = ("any",)
    logged = ("any", "granted")
    not_modelled = ("decisions without a sequence", "grants that are sent best-effort")

    def __init__(self, constants: Mapping[str, Any]) -> None:
        super().__init__(constants)
        self.decisions: list[int] = sorted(constants["Decisions"])
        protects = constants["ProtectOnDecline"]
        self.terms = Terms(
            window=timedelta(minutes=1),
            max_retries=1,
            initial=timedelta(seconds=1),
            on_decline=OnDecline.PROTECT if protects else OnDecline.SURFACE,
        )

    def start(self, initial: Mapping[str, Value]) -> None:
        """Start both sides on empty stores."""
        self.custodian = Process(MortalCustody(), self._custodian)
        self.receiver = Process(MortalLedger(), self._receiver)
        self.answer = Decision(status=AckStatus.APPLIED)
        self.copies: dict[int, Delivery] = {}
        self.answers: dict[tuple[int, str], CustodyAck] = {}

    def _custodian(self, store: MortalCustody) -> Custodian:
        return Custodian(store, KINDS, self._send)

    def _receiver(self, store: MortalLedger) -> Receiver:
        return Receiver(TARGET, store, KINDS, self._reply, lambda _: self.answer)

    def _send(self, delivery: Delivery) -> None:
        self.copies[_number(delivery.obligation.id)] = delivery

    def _reply(self, ack: CustodyAck) -> None:
        if self.receiver.lets_out() and ack.status is not AckStatus.DEFERRED:
            self.answers[_number(ack.obligation_id), ack.status.value] = ack

    # What happens

    @action("Issue")
    def issue(self, d: int) -> None:
        """The principal decides."""
        self._custody(methodcaller("accept", self._decision(d), self.terms, EPOCH))

    @action("IssueRival")
    def issue_rival(self, d: int) -> None:
        """The opposite decision is issued under the same sequence."""
        if self.custodian.store.holder(AUTHORITY, d) is None:
            raise NotOffered("there is nothing to rival")
        rival = _consent(f"rival-{d}", d, grants=d not in self.constants["Grants"])
        try:
            self._custody(methodcaller("accept", rival, self.terms, EPOCH))
        except Conflict:
            return
        raise RuntimeError("a second decision with the same sequence was taken")

    @action("Deliver")
    def deliver(self, d: int) -> None:
        """The first delivery leaves."""
        self._custody(methodcaller("advance", _id(d), EPOCH))

    @action("Receive")
    def receive(self, d: int, answer: str, fate: str) -> None:
        """A copy arrives at a receiver whose application would give this answer."""
        if d not in self.copies or not self._may(d, answer):
            raise NotOffered("nothing to deliver, or no answer that the application gives")
        self.answer = Decision(status=AckStatus(answer))
        self._reception(fate, methodcaller("receive", self.copies[d], EPOCH))

    @action("Resolve")
    def resolve(self, d: int, answer: str, fate: str) -> None:
        """The application answers what it had deferred."""
        if not self._may(d, answer) or answer == "deferred":
            raise NotOffered("no answer that the application gives")
        decision = Decision(status=AckStatus(answer))
        self._reception(fate, methodcaller("resolve", _id(d), decision, EPOCH))

    @action("ReceiveAnswer")
    def receive_answer(self, d: int, answer: str) -> None:
        """An answer arrives, in time."""
        if (d, answer) not in self.answers:
            raise NotOffered("no such answer was given")
        self._custody(methodcaller("receive_ack", self.answers[d, answer], EPOCH))

    @action("Escalate")
    def escalate(self, d: int) -> None:
        """The deadline of this decision comes."""
        deadline = EPOCH + self.terms.window

        def fail_safe(custodian: Custodian) -> None:
            if custodian.due(_id(d), deadline) is not Due.DEADLINE:
                raise NotOffered("no escalation is due")
            custodian.advance(_id(d), deadline)

        self._custody(fail_safe)

    @action("Restart")
    def restart(self, side: str) -> None:
        """A side dies between two steps, and starts again on its store."""
        process: Process[Any, Any] = self.custodian if side == "principal" else self.receiver
        process.crash()
        process.resume()

    def _custody(self, step: Callable[[Custodian], object]) -> None:
        _live(self.custodian, Fate.DONE, step)

    def _reception(self, fate: str, step: Callable[[Receiver], object]) -> None:
        _live(self.receiver, Fate(fate), step)
        if self.receiver.endpoint is None:
            self.receiver.resume()

    def _may(self, d: int, answer: str) -> bool:
        """Tell whether the application, which is the spec's to say, would ever answer so."""
        permission = {"declined": "Declinable", "deferred": "Deferrable"}.get(answer)
        return permission is None or d in self.constants[permission]

    def _decision(self, d: int) -> Obligation:
        return _consent(_id(d), d, grants=d in self.constants["Grants"])

    # What there is to see

    def observe(self) -> Mapping[str, object]:
        """Read what holds and what is remembered from the two stores, what was sent from the channel."""
        custody, ledger = self.custodian.store, self.receiver.store
        told = {escalation.obligation_id: escalation.protected for escalation in custody.escalations()}
        accepted = {record.obligation.id: record for record in custody.records()}
        records = {d: accepted.get(_id(d)) for d in self.decisions}
        entries = {d: ledger.entry(_id(d)) for d in self.decisions}
        sides = {"principal": custody, "receiver": ledger}
        return {
            "status": {d: _status(record, told) for d, record in records.items()},
            "permits": {d for d, record in records.items() if record and _permits(record)},
            "protected": {d for d, record in records.items() if record and record.protected},
            "ledger": {d: entry.status.value if entry else "none" for d, entry in entries.items()},
            "newest": {side: store.newest(AUTHORITY) or 0 for side, store in sides.items()},
            "authority": {side: store.state(AUTHORITY) or "unset" for side, store in sides.items()},
            "copies": set(self.copies),
            "answers": set(self.answers),
        }

    def content(self) -> Hashable:
        """Every row of both stores, but for times and reasons of what has ended, and for notes.

        The spec tells neither why nor when a transfer ended or an answer was given, nor what became of
        the answers that changed nothing. Of a grant that has ended it does not keep whether it was
        withdrawn before, nor whether the receiver had deferred.
        """
        custody, ledger = self.custodian.store.rows(), self.receiver.store.rows()
        return (
            tuple((*row[:6], *row[7:13], row[15]) for row in custody.custody),
            custody.state,
            custody.sequences,
            tuple((row[0], row[1], row[4]) for row in custody.escalations),
            tuple(row[:4] for row in ledger.ledger),
            ledger.state,
            ledger.sequences,
        )

    def snapshot(self) -> Any:
        """Images of both stores, and what was sent."""
        images = self.custodian.store.image(), self.receiver.store.image()
        return images, dict(self.copies), dict(self.answers)

    def restore(self, snapshot: Any) -> None:
        """Put both sides and the channel back."""
        images, copies, answers = snapshot
        self.copies, self.answers = dict(copies), dict(answers)
        self.custodian.put(images[0], running=True)
        self.receiver.put(images[1], running=True)


def _live(process: Process[Any, Any], fate: Fate, step: Callable[[Any], object]) -> None:
    try:
        process.live(fate, step)
    except KeyError as unknown:  # never issued here, or not deferred
        raise NotOffered(str(unknown)) from unknown


def _id(d: int) -> str:
    return f"decision-{d}"


def _number(obligation_id: str) -> int:
    return int(obligation_id.rpartition("-")[2])


def _consent(obligation_id: str, sequence: int, *, grants: bool) -> Obligation:
    payload: dict[str, Json] = {"decision": "grant" if grants else "revoke", "scope": SCOPE}
    return Obligation(id=obligation_id, kind=Consent.name, target=TARGET, payload=payload, sequence=sequence)


def _permits(record: CustodyRecord) -> bool:
    """Tell whether a grant is pending that nothing has withdrawn."""
    return record.status is Status.PENDING and record.at_discharge is not None


def _status(record: CustodyRecord | None, told: Mapping[str, bool]) -> str:
    """The record's status; an escalation is one only if the principal was told the same."""
    if record is None:
        return "unissued"
    reported = told.get(record.obligation.id)
    if reported is not (record.protected if record.status is Status.ESCALATED else None):
        return f"{record.status.value}, protected: {record.protected}, reported: {reported}"
    return record.status.value
