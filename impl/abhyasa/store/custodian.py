"""The custodian's durable side: the write-ahead pending set, and the principal's own state.

Its transactions are the protocol's and no others: accept, attempt, mark deferred, discharge,
escalate, note. Each is one commit. A record that is no longer pending is never written again.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from abhyasa.core.actions import action_text
from abhyasa.core.custodian import (
    Accept,
    Attempt,
    CustodyRecord,
    Discharge,
    Due,
    Escalate,
    Escalation,
    MarkDeferred,
    Note,
    Status,
    TakeNote,
    Why,
)
from abhyasa.core.polarity import Change
from abhyasa.core.values import from_micros, to_micros
from abhyasa.core.wire import ack_text, read_ack, terms_text
from abhyasa.store.errors import StoreError
from abhyasa.store.sqlite import SqliteStore, cached_action, cached_obligation, cached_terms, maybe

_SCHEMA = """
CREATE TABLE custody (
    id TEXT PRIMARY KEY,
    obligation TEXT NOT NULL,
    terms TEXT NOT NULL,
    governed_key TEXT,
    sequence INTEGER,
    safe TEXT,
    at_discharge TEXT,
    status TEXT NOT NULL,
    accepted_at INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    attempted_at INTEGER,
    due_at INTEGER NOT NULL,
    settled_at INTEGER,
    reason TEXT NOT NULL,
    protected INTEGER NOT NULL,
    deferred INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX custody_agenda ON custody (due_at) WHERE status = 'pending';
CREATE UNIQUE INDEX custody_sequence ON custody (governed_key, sequence)
    WHERE sequence IS NOT NULL;
CREATE INDEX custody_permissions ON custody (governed_key)
    WHERE status = 'pending' AND at_discharge IS NOT NULL;
CREATE TABLE escalations (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    cause TEXT NOT NULL,
    detail TEXT NOT NULL,
    protected INTEGER NOT NULL,
    escalated_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE notes (
    id TEXT NOT NULL,
    ack TEXT NOT NULL,
    why TEXT NOT NULL,
    noted_at INTEGER NOT NULL,
    PRIMARY KEY (id, ack, why)
) WITHOUT ROWID
"""

_INSERT = "INSERT INTO custody VALUES (" + ", ".join("?" * 17) + ")"
_UPDATE = """
UPDATE custody SET status = ?, deliveries = ?, attempted_at = ?, due_at = ?, settled_at = ?,
    reason = ?, protected = ?, deferred = ?
WHERE id = ? AND status = 'pending'
"""
# Acceptance is the order of these transactions, so no clock is asked and no two are equal.
_WITHDRAW = """
UPDATE custody SET at_discharge = NULL
WHERE governed_key = :key AND status = 'pending' AND at_discharge IS NOT NULL
    AND (sequence IS NULL OR :sequence IS NULL OR sequence < :sequence)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustodianRows:
    """The full content of a custodian's store, table by table, each in the order of its key."""

    custody: tuple[tuple[Any, ...], ...]
    state: tuple[tuple[Any, ...], ...]
    sequences: tuple[tuple[Any, ...], ...]
    escalations: tuple[tuple[Any, ...], ...]
    notes: tuple[tuple[Any, ...], ...]


class CustodianStore(SqliteStore):
    """The durable side of one custodian."""

    _APPLICATION = 0x41424331
    _SCHEMA = _SCHEMA

    def accept(self, command: Accept) -> None:
        """Commit a new record. An id or sequence that is taken is a sqlite3.IntegrityError."""
        record = command.record
        with self._transaction():
            # A grant that is sent best-effort holds at issue too, but it restricts nothing.
            if command.change is not None and record.safe is not None:
                self._withdraw(command.change)
            self._db.execute(_INSERT, _cells(record))
            self._change(command.change)

    def attempt(self, command: Attempt) -> None:
        """Commit that a delivery is about to be made."""
        with self._transaction():
            self._update(command.record)

    def mark_deferred(self, command: MarkDeferred) -> None:
        """Commit that the receiver is responsive but deferring."""
        with self._transaction():
            self._update(command.record)

    def discharge(self, command: Discharge) -> None:
        """Commit applied or declined, with what it changes on the principal's side."""
        with self._transaction():
            self._update(command.record)
            self._change(command.change)

    def escalate(self, command: Escalate) -> None:
        """Commit the terminal state, `safe(O)` and the escalation (AB-4)."""
        told = command.escalation
        with self._transaction():
            self._update(command.record)
            self._change(command.change)
            self._db.execute(
                "INSERT INTO escalations VALUES (?, ?, ?, ?, ?, ?)",
                (
                    told.obligation_id,
                    told.target,
                    told.cause.value,
                    told.detail,
                    told.protected,
                    to_micros(told.escalated_at),
                ),
            )

    def note(self, command: TakeNote) -> None:
        """Commit a note. The same answer again leaves the first note as it stands."""
        note = command.note
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO notes VALUES (?, ?, ?, ?)",
                (
                    note.ack.obligation_id,
                    ack_text(note.ack),
                    note.why.value,
                    to_micros(note.noted_at),
                ),
            )

    def record(self, obligation_id: str) -> CustodyRecord | None:
        """Return the record of an obligation. Raises StoreError for a row that cannot be read."""
        rows = self._rows("SELECT * FROM custody WHERE id = ?", obligation_id)
        return _read(rows[0]) if rows else None

    def records(self, status: Status | None = None) -> list[CustodyRecord]:
        """Return the records in a state, or all, in the order of their ids."""
        if status is None:
            return [_read(row) for row in self._rows("SELECT * FROM custody ORDER BY id")]
        query = "SELECT * FROM custody WHERE status = ? ORDER BY id"
        return [_read(row) for row in self._rows(query, status.value)]

    def ripe(self, now: datetime) -> list[str]:
        """Return the ids of the pending records whose wait has ended. No wait outlasts its deadline."""
        query = "SELECT id FROM custody WHERE status = 'pending' AND due_at <= ? ORDER BY due_at, id"
        return [row[0] for row in self._rows(query, to_micros(now))]

    def next_due(self) -> datetime | None:
        """Return when the first running wait ends, None when nothing is pending."""
        query = "SELECT min(due_at) FROM custody WHERE status = 'pending'"
        return maybe(from_micros, self._cell(query))

    def holder(self, governed_key: str, sequence: int) -> str | None:
        """Return the id of the obligation that has a sequence on a governed key."""
        query = "SELECT id FROM custody WHERE governed_key = ? AND sequence = ?"
        found: str | None = self._cell(query, governed_key, sequence)
        return found

    def escalations(self) -> list[Escalation]:
        """Return what the principal was told, oldest first."""
        rows = self._rows("SELECT * FROM escalations ORDER BY escalated_at, id")
        return [_escalation(row) for row in rows]

    def notes(self) -> list[Note]:
        """Return the acknowledgments that changed nothing, oldest first."""
        rows = self._rows("SELECT ack, why, noted_at FROM notes ORDER BY noted_at, id, ack, why")
        return [
            Note(ack=read_ack(ack), why=Why(why), noted_at=from_micros(noted_at))
            for ack, why, noted_at in rows
        ]

    def rows(self) -> CustodianRows:
        """Return the full content as plain tuples."""
        return CustodianRows(
            custody=tuple(self._rows("SELECT * FROM custody ORDER BY id")),
            state=tuple(self._rows("SELECT * FROM state ORDER BY key")),
            sequences=tuple(self._rows("SELECT * FROM sequences ORDER BY governed_key")),
            escalations=tuple(self._rows("SELECT * FROM escalations ORDER BY id")),
            notes=tuple(self._rows("SELECT * FROM notes ORDER BY id, ack, why")),
        )

    def _withdraw(self, issued: Change) -> None:
        """Withdraw what older pending decisions on the governed key would have permitted."""
        self._db.execute(_WITHDRAW, {"key": issued.governed_key, "sequence": issued.sequence})

    def _update(self, record: CustodyRecord) -> None:
        """Write what may change of a record, if it is still pending."""
        cells = (
            record.status.value,
            record.deliveries,
            maybe(to_micros, record.attempted_at),
            to_micros(record.due_at),
            maybe(to_micros, record.settled_at),
            record.reason,
            record.protected,
            record.deferred,
            record.obligation.id,
        )
        if self._db.execute(_UPDATE, cells).rowcount != 1:
            raise StoreError(
                f"{record.obligation.id!r} is not pending any more: another writer settled it; "
                "let one custodian own a store, and call it from one thread at a time"
            )


def _cells(record: CustodyRecord) -> tuple[object, ...]:
    """Return a record as a row of `custody`."""
    return (
        record.obligation.id,
        record.obligation.text,
        terms_text(record.terms),
        record.governed_key,
        record.obligation.sequence,
        action_text(record.safe),
        action_text(record.at_discharge),
        record.status.value,
        to_micros(record.accepted_at),
        to_micros(record.deadline),
        record.deliveries,
        maybe(to_micros, record.attempted_at),
        to_micros(record.due_at),
        maybe(to_micros, record.settled_at),
        record.reason,
        record.protected,
        record.deferred,
    )


def _read(row: tuple[Any, ...]) -> CustodyRecord:
    try:
        return _record(row)
    except Exception as error:
        raise StoreError(
            f"the custody of {row[0]!r} cannot be read ({error}): its fail-safe will not fire; "
            "act on it by hand, and restore the store"
        ) from error


@lru_cache(maxsize=1024)  # pure, as the readings below it: a restored row is read as what it is
def _record(row: tuple[Any, ...]) -> CustodyRecord:
    """Return the record that `_cells` wrote."""
    return CustodyRecord(
        obligation=cached_obligation(row[1]),
        terms=cached_terms(row[2]),
        governed_key=row[3],
        safe=maybe(cached_action, row[5]),
        at_discharge=maybe(cached_action, row[6]),
        status=Status(row[7]),
        accepted_at=from_micros(row[8]),
        deadline=from_micros(row[9]),
        deliveries=row[10],
        attempted_at=maybe(from_micros, row[11]),
        due_at=from_micros(row[12]),
        settled_at=maybe(from_micros, row[13]),
        reason=row[14],
        protected=bool(row[15]),
        deferred=bool(row[16]),
    )


def _escalation(row: tuple[Any, ...]) -> Escalation:
    return Escalation(
        obligation_id=row[0],
        target=row[1],
        cause=Due(row[2]),
        detail=row[3],
        protected=bool(row[4]),
        escalated_at=from_micros(row[5]),
    )
