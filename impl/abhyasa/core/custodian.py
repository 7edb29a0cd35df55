"""The custodian's half of the protocol: one obligation, one event and `now` in; commands out.

Rule 1: a record is pending until exactly one terminal state, and no event reopens that one.
Rule 2 (AB-1): acceptance is durable before the first delivery, and so is every attempt: a crash
        resumes the remaining window and the remaining budget.
Rule 3 (AB-2): a delivery is due when the running wait has ended and budget is left.
Rule 4 (AB-4): at the deadline, or when the wait after the last delivery has ended, the fail-safe
        is due. At the deadline it is due whatever else was planned, and whatever event arrives:
        an acknowledgment that comes at `now >= deadline` finds the transfer escalated.
Rule 5: commands are carried out in order, so what is sent is always already durable.

`due` is the one decision about time: schedulers ask it, and transitions obey it.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from abhyasa.core.actions import Action
from abhyasa.core.backoff import wait_end
from abhyasa.core.errors import Refused
from abhyasa.core.obligation import AckStatus, CustodyAck, Delivery, Obligation
from abhyasa.core.polarity import Admission, Change, guarded
from abhyasa.core.terms import OnDecline, Terms


class Status(StrEnum):
    """Where a transfer stands. Only `pending` is not terminal."""

    PENDING = "pending"
    APPLIED = "applied"
    DECLINED = "declined"
    ESCALATED = "escalated"
    BEST_EFFORT = "best_effort"


class Due(StrEnum):
    """What time asks for: another delivery, or the fail-safe and why."""

    DELIVERY = "delivery"
    DEADLINE = "deadline"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class CustodyRecord:
    """The durable row of one transfer. Times are in UTC.

    `due_at` is the end of the running wait (before the first delivery: `accepted_at`).
    `at_discharge` is None once it was withdrawn (Rule 4 of polarity).
    `protected` says that `safe(O)` was applied, `deferred` that the receiver answered "deferred".
    """

    obligation: Obligation
    terms: Terms
    governed_key: str | None
    safe: Action | None
    at_discharge: Action | None
    status: Status
    accepted_at: datetime
    deadline: datetime
    deliveries: int
    attempted_at: datetime | None
    due_at: datetime
    settled_at: datetime | None
    reason: str
    protected: bool
    deferred: bool

    def __post_init__(self) -> None:
        if (self.status is Status.PENDING) != (self.settled_at is None):
            raise ValueError(f"a {self.status} record that settled at {self.settled_at}")
        if self.due_at > self.deadline:
            raise ValueError(f"a wait until {self.due_at} outlasts the deadline {self.deadline}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """What the principal is told when a transfer ends undelivered (AB-4).

    `protected` is False only where a newer decision on the governed key already stands.
    """

    obligation_id: str
    target: str
    cause: Due
    detail: str
    protected: bool
    escalated_at: datetime


class Why(StrEnum):
    """Why an acknowledgment changed nothing."""

    LATE = "late"
    FOREIGN = "foreign"
    REPEATED = "repeated"
    BEST_EFFORT = "best_effort"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An acknowledgment that changed nothing, kept for reconciliation."""

    ack: CustodyAck
    why: Why
    noted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Commit a new record, the change that holds from the issue on, and what that withdraws."""

    record: CustodyRecord
    change: Change | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Commit that a delivery is about to be made."""

    record: CustodyRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkDeferred:
    """Commit that the receiver is responsive but deferring; the schedule is unchanged."""

    record: CustodyRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Discharge:
    """Commit applied or declined, and what that changes on the principal's side."""

    record: CustodyRecord
    change: Change | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalate:
    """Commit, as one: the terminal state, `safe(O)`, and the escalation."""

    record: CustodyRecord
    change: Change | None
    escalation: Escalation


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeNote:
    """Commit a note; no record is touched."""

    note: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Hand a delivery to the channel."""

    delivery: Delivery


Command = Accept | Attempt | MarkDeferred | Discharge | Escalate | TakeNote | Send


def due(record: CustodyRecord, now: datetime) -> Due | None:
    """Return what is due for a record at `now`; None for a terminal one, or while a wait runs."""
    if record.status is not Status.PENDING:
        return None
    if now >= record.deadline:
        return Due.DEADLINE
    if now < record.due_at:
        return None
    return Due.DELIVERY if record.deliveries < record.terms.deliveries else Due.BUDGET


def accept(
    obligation: Obligation, terms: Terms, admission: Admission, now: datetime, newest: int | None
) -> tuple[Command, ...]:
    """Begin custody (AB-1), or send an inadmissible obligation once, best-effort (AC-1)."""
    under_custody = admission.safe is not None
    record = CustodyRecord(
        obligation=obligation,
        terms=terms,
        governed_key=admission.governed_key,
        safe=admission.safe,
        at_discharge=admission.at_discharge,
        status=Status.PENDING if under_custody else Status.BEST_EFFORT,
        accepted_at=now,
        deadline=_deadline(now, terms),
        deliveries=0 if under_custody else 1,
        attempted_at=None if under_custody else now,
        due_at=now,
        settled_at=None if under_custody else now,
        reason="",
        protected=False,
        deferred=False,
    )
    issue = admission.at_issue
    change = None if issue is None else _change(record, issue, newest)
    accepted = Accept(record=record, change=change)
    return (accepted,) if under_custody else (accepted, _send(record))


def _deadline(now: datetime, terms: Terms) -> datetime:
    try:
        return now + terms.window
    except OverflowError as error:
        raise Refused(f"a deadline {terms.window} from now is beyond the calendar: shorten window") from error


def advance(record: CustodyRecord, now: datetime, newest: int | None) -> tuple[Command, ...]:
    """Do what is due: one delivery (AB-2), the fail-safe (AB-4), or nothing."""
    match due(record, now):
        case None:
            return ()
        case Due.DELIVERY:
            return _deliver(record, now)
        case cause:
            return (_escalate(record, cause, now, newest),)


def receive_ack(
    record: CustodyRecord | None, ack: CustodyAck, now: datetime, newest: int | None
) -> tuple[Command, ...]:
    """Let an acknowledgment count, or note it. `record` is the one of its obligation id."""
    if record is None or not _answers(ack, record.obligation):
        return (_note(ack, Why.FOREIGN, now),)
    if due(record, now) is Due.DEADLINE:
        return (_escalate(record, Due.DEADLINE, now, newest), _note(ack, Why.LATE, now))
    match record.status, ack.status:
        case Status.PENDING, AckStatus.APPLIED:
            return (_applied(record, now, newest),)
        case Status.PENDING, AckStatus.DECLINED:
            return (_declined(record, ack.reason, now, newest),)
        case Status.PENDING, AckStatus.DEFERRED if not record.deferred:
            return (MarkDeferred(record=replace(record, deferred=True)),)
        case Status.ESCALATED, _:
            return (_note(ack, Why.LATE, now),)
        case Status.BEST_EFFORT, _:
            return (_note(ack, Why.BEST_EFFORT, now),)
        case _:
            return (_note(ack, Why.REPEATED, now),)


def _deliver(record: CustodyRecord, now: datetime) -> tuple[Command, ...]:
    number = record.deliveries + 1
    end = wait_end(record.terms, record.obligation.id, number, now, record.deadline)
    attempted = replace(record, deliveries=number, attempted_at=now, due_at=end)
    return (Attempt(record=attempted), _send(attempted))


def _send(record: CustodyRecord) -> Send:
    return Send(
        delivery=Delivery(obligation=record.obligation, deadline=record.deadline, attempt=record.deliveries)
    )


def _escalate(record: CustodyRecord, cause: Due, now: datetime, newest: int | None) -> Escalate:
    change = _change(record, record.safe, newest)
    settled = replace(
        record,
        status=Status.ESCALATED,
        settled_at=now,
        reason=cause.value,
        protected=change is not None,
    )
    escalation = Escalation(
        obligation_id=record.obligation.id,
        target=record.obligation.target,
        cause=cause,
        detail=_detail(settled),
        protected=settled.protected,
        escalated_at=now,
    )
    return Escalate(record=settled, change=change, escalation=escalation)


def _detail(record: CustodyRecord) -> str:
    """Say what the principal needs to judge the escalation."""
    receiver = "responsive but deferring" if record.deferred else "no answer"
    guard = "" if record.protected else "; safe(O) superseded by a newer decision"
    return f"{record.deliveries} of {record.terms.deliveries} deliveries; {receiver}{guard}"


def _applied(record: CustodyRecord, now: datetime, newest: int | None) -> Discharge:
    settled = replace(record, status=Status.APPLIED, settled_at=now)
    return Discharge(record=settled, change=_change(record, record.at_discharge, newest))


def _declined(record: CustodyRecord, reason: str, now: datetime, newest: int | None) -> Discharge:
    protects = record.terms.on_decline is OnDecline.PROTECT
    change = _change(record, record.safe, newest) if protects else None
    settled = replace(
        record,
        status=Status.DECLINED,
        settled_at=now,
        reason=reason,
        protected=change is not None,
    )
    return Discharge(record=settled, change=change)


def _change(record: CustodyRecord, action: Action | None, newest: int | None) -> Change | None:
    return guarded(action, record.governed_key, record.obligation.sequence, newest)


def _answers(ack: CustodyAck, obligation: Obligation) -> bool:
    return (ack.target, ack.digest) == (obligation.target, obligation.digest)


def _note(ack: CustodyAck, why: Why, now: datetime) -> TakeNote:
    return TakeNote(note=Note(ack=ack, why=why, noted_at=now))
