"""The two endpoints: core plus store, one synchronous class per side.

Rule 1: an endpoint holds nothing of its own. What it knows is in its store, so a new one on the
        same store goes on where the old one died.
Rule 2: it carries the core's commands out in order, and each commit before the next command: what
        leaves is always already durable.
Rule 3: it has no clock. The caller says what time it is, and asks `next_due` when to come back.
Rule 4: a channel that raises has lost a message, as channels do; the protocol goes on.
"""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from abhyasa.core import custodian, receiver
from abhyasa.core.custodian import CustodyRecord, Due, Escalation, Note, Status
from abhyasa.core.errors import Conflict, Misdirected, Refused, UnknownKind
from abhyasa.core.obligation import AckStatus, CustodyAck, Delivery, Obligation
from abhyasa.core.polarity import UNKNOWN, Admission, Kinds, superseded
from abhyasa.core.receiver import Decision, LedgerEntry
from abhyasa.core.terms import Terms
from abhyasa.core.values import Json, utc
from abhyasa.store.custodian import CustodianStore
from abhyasa.store.errors import StoreError
from abhyasa.store.receiver import Effect, ReceiverStore

_log = logging.getLogger(__name__)
_Message = TypeVar("_Message")


class Custodian:
    """The sending side: holds obligations until they are discharged or escalated.

    `send` hands one delivery to the channel and returns without waiting for its answer, which the
    caller brings to `receive_ack` whenever it comes. `observe` is told of each command that was
    carried out, and of the time that the endpoint was given; it must not raise.
    """

    def __init__(
        self,
        store: CustodianStore,
        kinds: Kinds,
        send: Callable[[Delivery], None],
        observe: Callable[[custodian.Command, datetime], None] | None = None,
    ) -> None:
        self._store = store
        self._kinds = kinds
        self._send = send
        self._observe = observe

    def accept(
        self,
        obligation: Obligation,
        terms: Terms,
        now: datetime,
        *,
        unknown_best_effort: bool = False,
    ) -> CustodyRecord:
        """Take an obligation into custody and return its record; `advance` makes the deliveries.

        The deadline is `now` plus the window of `terms`. An inadmissible obligation (AC-1) is
        recorded and sent exactly once, best-effort; one of an unknown kind only if
        `unknown_best_effort` says so. The same obligation again is a no-op that returns its current
        record, whatever the terms. Raises Refused, UnknownKind or Conflict; then nothing happened.
        """
        now = utc(now)
        record = self._store.record(obligation.id)
        if record is None:
            admission = self._admit(obligation, unknown_best_effort)
            newest = self._newest(admission.governed_key, obligation)
            self._execute(custodian.accept(obligation, terms, admission, now, newest), now)
        elif record.obligation.digest != obligation.digest:
            raise Conflict(f"id {obligation.id!r} stands for other content: choose another id")
        return self.record(obligation.id)

    def advance(self, obligation_id: str, now: datetime) -> Due | None:
        """Do what is due for an obligation at `now`, once, and return what that was."""
        now = utc(now)
        record = self.record(obligation_id)
        newest = self._newest(record.governed_key, record.obligation)
        self._execute(custodian.advance(record, now, newest), now)
        return custodian.due(record, now)

    def receive_ack(self, ack: CustodyAck, now: datetime) -> None:
        """Let an acknowledgment discharge its obligation, or note it."""
        now, record = utc(now), self._store.record(ack.obligation_id)
        newest = None if record is None else self._newest(record.governed_key, record.obligation)
        self._execute(custodian.receive_ack(record, ack, now, newest), now)

    def due(self, obligation_id: str, now: datetime) -> Due | None:
        """Return what `advance` would do for an obligation at `now`."""
        return custodian.due(self.record(obligation_id), utc(now))

    def agenda(self, now: datetime) -> list[str]:
        """Return the ids for which something is due at `now`, fail-safes first.

        Last are those whose record cannot be read: `advance` raises the StoreError that says so,
        and by then whatever else was due is done.
        """
        now = utc(now)
        return sorted(self._store.ripe(now), key=lambda obligation_id: self._rank(obligation_id, now))

    def next_due(self) -> datetime | None:
        """Return when something is due next, None when nothing is pending."""
        return self._store.next_due()

    def record(self, obligation_id: str) -> CustodyRecord:
        """Return the record of an obligation.

        Raises KeyError for an id never accepted, StoreError for a record that cannot be read.
        """
        record = self._store.record(obligation_id)
        if record is None:
            raise KeyError(f"no obligation {obligation_id!r} was ever accepted here")
        return record

    def records(self, status: Status) -> list[CustodyRecord]:
        """Return the records in a state.

        Those DECLINED and not `protected` ask the principal what to do (`on_decline="surface"`).
        """
        return self._store.records(status)

    def escalations(self) -> list[Escalation]:
        """Return what the principal was told, oldest first."""
        return self._store.escalations()

    def notes(self) -> list[Note]:
        """Return the acknowledgments that changed nothing, oldest first."""
        return self._store.notes()

    def principal(self, key: str) -> Json:
        """Return the value at a key of the principal's state, None where nothing was set."""
        return self._store.state(key)

    def _rank(self, obligation_id: str, now: datetime) -> int:
        try:
            return int(self.due(obligation_id, now) is Due.DELIVERY)
        except StoreError:
            return 2

    def _admit(self, obligation: Obligation, unknown_best_effort: bool) -> Admission:
        try:
            admission = self._kinds.admit(obligation)
        except UnknownKind:
            if not unknown_best_effort:
                raise
            return UNKNOWN
        if admission.governed_key is not None and obligation.sequence is not None:
            self._refuse_taken(admission.governed_key, obligation.sequence)
        return admission

    def _refuse_taken(self, governed_key: str, sequence: int) -> None:
        holder = self._store.holder(governed_key, sequence)
        if holder is not None:
            raise Conflict(f"sequence {sequence} on {governed_key!r} is that of {holder!r}: use a higher one")

    def _newest(self, governed_key: str | None, obligation: Obligation) -> int | None:
        if governed_key is None or obligation.sequence is None:
            return None
        return self._store.newest(governed_key)

    def _execute(self, commands: tuple[custodian.Command, ...], now: datetime) -> None:
        for command in commands:
            match command:
                case custodian.Accept():
                    self._store.accept(command)
                case custodian.Attempt():
                    self._store.attempt(command)
                case custodian.MarkDeferred():
                    self._store.mark_deferred(command)
                case custodian.Discharge():
                    self._store.discharge(command)
                case custodian.Escalate():
                    self._store.escalate(command)
                case custodian.TakeNote():
                    self._store.note(command)
                case custodian.Send(delivery=delivery):
                    _hand_over(self._send, delivery)
            if self._observe is not None:
                self._observe(command, now)


class Receiver:
    """The receiving side, by the name that obligations give as their target.

    `reply` hands one acknowledgment to the channel. `decide` is the application's answer to an
    obligation that is new and in time. `effect` replaces the kind's action on the receiver's state:
    it runs inside the transaction that makes the ledger entry, and must leave its end to the receiver.
    `observe` is told of each command that was carried out, as that of a Custodian.
    """

    def __init__(
        self,
        name: str,
        store: ReceiverStore,
        kinds: Kinds,
        reply: Callable[[CustodyAck], None],
        decide: Callable[[Obligation], Decision],
        effect: Effect | None = None,
        observe: Callable[[receiver.Command, datetime], None] | None = None,
    ) -> None:
        self.name = name
        self._store = store
        self._kinds = kinds
        self._reply = reply
        self._decide = decide
        self._effect = effect
        self._observe = observe

    def receive(self, delivery: Delivery, now: datetime) -> None:
        """Answer a delivery: apply, decline, defer, or answer as before (AB-3).

        What `decide` or the effect raises comes out here; then nothing is committed or answered,
        and the redelivery tries again. Raises Misdirected for a delivery to another target, StoreError
        for an effect that meddles with its transaction.
        """
        now, obligation = utc(now), delivery.obligation
        if obligation.target != self.name:
            raise Misdirected(f"{obligation.id!r} is for {obligation.target!r}, not {self.name!r}")
        commands = receiver.standing(self._store.entry(obligation.id), delivery, now)
        self._execute(self._decided(delivery, now) if commands is None else commands, now)

    def resolve(self, obligation_id: str, decision: Decision, now: datetime) -> None:
        """Answer a deferred obligation; its acknowledgment leaves asynchronously.

        Past its deadline, or superseded, it is declined whatever the decision. Raises KeyError
        unless the obligation is deferred.
        """
        now, entry = utc(now), self._store.entry(obligation_id)
        if entry is None or entry.status is not AckStatus.DEFERRED:
            raise KeyError(f"no obligation {obligation_id!r} is deferred here")
        change = self._kinds.effect(entry.obligation)
        newest = self._newest(change.governed_key)
        self._execute(receiver.resolved(entry, decision, change, now, newest), now)

    def entry(self, obligation_id: str) -> LedgerEntry | None:
        """Return what is remembered of an obligation."""
        return self._store.entry(obligation_id)

    def deferred(self) -> list[LedgerEntry]:
        """Return the entries that wait for `resolve`."""
        return self._store.deferred()

    def state(self, key: str) -> Json:
        """Return the value at a key of the receiver's state, None where nothing was set."""
        return self._store.state(key)

    def _decided(self, delivery: Delivery, now: datetime) -> tuple[receiver.Command, ...]:
        try:
            change = self._kinds.effect(delivery.obligation)
        except Refused as refused:
            return receiver.declined(delivery, now, str(refused))
        if superseded(change.sequence, self._newest(change.governed_key)):
            return receiver.declined(delivery, now, receiver.SUPERSEDED)
        return receiver.decided(delivery, self._decide(delivery.obligation), change, now)

    def _newest(self, governed_key: str | None) -> int | None:
        return None if governed_key is None else self._store.newest(governed_key)

    def _execute(self, commands: tuple[receiver.Command, ...], now: datetime) -> None:
        for command in commands:
            match command:
                case receiver.Apply():
                    self._store.apply(command, self._effect)
                case receiver.Decline():
                    self._store.decline(command)
                case receiver.Defer():
                    self._store.defer(command)
                case receiver.Reply(ack=ack):
                    _hand_over(self._reply, ack)
            if self._observe is not None:
                self._observe(command, now)


def _hand_over(channel: Callable[[_Message], None], message: _Message) -> None:
    # A transport may raise anything, and whatever it is, the message counts as lost: only then
    # does one broken transport delay neither its own retries nor any other obligation.
    try:
        channel(message)
    except Exception:
        _log.warning("lost, for the channel raised: %r", message, exc_info=True)
