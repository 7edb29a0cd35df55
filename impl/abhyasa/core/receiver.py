"""The receiver's half of the protocol: its ledger entry, one delivery and `now` in; commands out.

Rule 1 (AB-3): an obligation is applied at most once, keyed on its id. The entry that says so is
        committed with the effect, before the acknowledgment leaves.
Rule 2: an answer is remembered. A redelivery of what was applied or declined gets the same answer
        at any time, without asking the application again.
Rule 3: at the deadline an obligation is expired and is never applied, also one that was deferred.
Rule 4: an id that stands for other content is a conflict: declined, and the ledger is unchanged.
Rule 5: what is older than the newest applied on its governed key is superseded: declined.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from abhyasa.core.obligation import AckStatus, CustodyAck, Delivery, Obligation
from abhyasa.core.polarity import Change, superseded
from abhyasa.core.values import require_string

#: The reasons for which the protocol itself declines.
EXPIRED = "expired"
CONFLICT = "conflict"
SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """What the receiver remembers of an obligation. Times are in UTC."""

    obligation: Obligation
    deadline: datetime
    status: AckStatus
    acked_at: datetime
    reason: str

    def ack(self) -> CustodyAck:
        """Return the acknowledgment that this entry is: the same one each time."""
        return CustodyAck(
            obligation_id=self.obligation.id,
            target=self.obligation.target,
            status=self.status,
            acked_at=self.acked_at,
            digest=self.obligation.digest,
            reason=self.reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the application answers to an obligation; `reason` goes with it to the principal.

    Raises ValueError for a status that is none, and a reason that is no text.
    """

    status: AckStatus
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", AckStatus(self.status))
        require_string("reason", self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """Commit, as one: the ledger entry, the sequence, and the effect."""

    entry: LedgerEntry
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Decline:
    """Commit the refusal, so that a redelivery gets the same answer."""

    entry: LedgerEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Defer:
    """Commit that the obligation is here and not yet applied."""

    entry: LedgerEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Hand an acknowledgment to the channel."""

    ack: CustodyAck


Command = Apply | Decline | Defer | Reply


def standing(entry: LedgerEntry | None, delivery: Delivery, now: datetime) -> tuple[Command, ...] | None:
    """Return the answer that needs neither the kind nor the application; None if both do."""
    if entry is not None and entry.obligation.digest != delivery.obligation.digest:
        return (Reply(ack=_entry(delivery, AckStatus.DECLINED, now, CONFLICT).ack()),)
    if entry is not None and entry.status is not AckStatus.DEFERRED:
        return (Reply(ack=entry.ack()),)
    if now >= (delivery if entry is None else entry).deadline:
        return declined(delivery, now, EXPIRED)
    return None if entry is None else (Reply(ack=entry.ack()),)


def decided(delivery: Delivery, decision: Decision, change: Change, now: datetime) -> tuple[Command, ...]:
    """Carry out the application's decision on a delivery for which nothing stands."""
    return _settled(_entry(delivery, decision.status, now, decision.reason), change)


def declined(delivery: Delivery, now: datetime, reason: str) -> tuple[Command, ...]:
    """Decline a delivery."""
    entry = _entry(delivery, AckStatus.DECLINED, now, reason)
    return (Decline(entry=entry), Reply(ack=entry.ack()))


def resolved(
    entry: LedgerEntry, decision: Decision, change: Change, now: datetime, newest: int | None
) -> tuple[Command, ...]:
    """Carry out the later decision on a deferred obligation (the asynchronous ack)."""
    settled = replace(entry, status=decision.status, acked_at=now, reason=decision.reason)
    if now >= entry.deadline:
        settled = replace(settled, status=AckStatus.DECLINED, reason=EXPIRED)
    elif superseded(change.sequence, newest):
        settled = replace(settled, status=AckStatus.DECLINED, reason=SUPERSEDED)
    return _settled(settled, change)


def _settled(entry: LedgerEntry, change: Change) -> tuple[Command, ...]:
    reply = Reply(ack=entry.ack())
    match entry.status:
        case AckStatus.APPLIED:
            return (Apply(entry=entry, change=change), reply)
        case AckStatus.DECLINED:
            return (Decline(entry=entry), reply)
        case AckStatus.DEFERRED:
            return (Defer(entry=entry), reply)


def _entry(delivery: Delivery, status: AckStatus, now: datetime, reason: str) -> LedgerEntry:
    return LedgerEntry(
        obligation=delivery.obligation,
        deadline=delivery.deadline,
        status=status,
        acked_at=now,
        reason=reason,
    )
