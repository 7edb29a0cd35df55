"""The receiver's durable side: the ledger of what was answered, and the receiver's own state.

Its transactions are the protocol's and no others: apply, decline, defer. Each is one commit, and
an applied or declined entry is never written again.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from abhyasa.core.obligation import AckStatus, Obligation
from abhyasa.core.receiver import Apply, Decline, Defer, LedgerEntry
from abhyasa.core.values import from_micros, to_micros
from abhyasa.store.errors import StoreError
from abhyasa.store.sqlite import SqliteStore, cached_obligation

#: An application's own effect: it writes through the connection, inside the apply transaction, which
#: is not its to end. No commit, rollback, savepoint, `executescript` or `with connection`: each is a
#: StoreError, with everything rolled back. It writes in the thread that calls it, before it returns.
Effect: TypeAlias = Callable[[sqlite3.Connection, Obligation], None]

_SCHEMA = """
CREATE TABLE ledger (
    id TEXT PRIMARY KEY,
    obligation TEXT NOT NULL,
    deadline INTEGER NOT NULL,
    status TEXT NOT NULL,
    acked_at INTEGER NOT NULL,
    reason TEXT NOT NULL
) WITHOUT ROWID
"""

_CONTROL = (sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT)

# A deferred entry may be answered; the guard leaves every other entry as it stands.
_WRITE = """
INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET status = excluded.status, acked_at = excluded.acked_at,
    reason = excluded.reason
WHERE status = 'deferred'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverRows:
    """The full content of a receiver's store, table by table, each in the order of its key."""

    ledger: tuple[tuple[Any, ...], ...]
    state: tuple[tuple[Any, ...], ...]
    sequences: tuple[tuple[Any, ...], ...]


class ReceiverStore(SqliteStore):
    """The durable side of one receiver."""

    _APPLICATION = 0x41425231
    _SCHEMA = _SCHEMA

    def apply(self, command: Apply, effect: Effect | None = None) -> None:
        """Commit the ledger entry, the sequence and the effect as one (AB-3).

        `effect` takes the place of the kind's own action. What it raises rolls everything back.
        Raises StoreError, and rolls everything back, if it meddles with the transaction.
        """
        with self._transaction():
            self._write(command.entry)
            if effect is None:
                self._change(command.change)
            else:
                self._change(replace(command.change, action=None))
                with self._held():
                    effect(self._db, command.entry.obligation)

    def decline(self, command: Decline) -> None:
        """Commit a refusal."""
        with self._transaction():
            self._write(command.entry)

    def defer(self, command: Defer) -> None:
        """Commit that an obligation waits here for its answer."""
        with self._transaction():
            self._write(command.entry)

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection that effects write through: an application reads its own tables here."""
        return self._db

    def entry(self, obligation_id: str) -> LedgerEntry | None:
        """Return what is remembered of an obligation."""
        rows = self._rows("SELECT * FROM ledger WHERE id = ?", obligation_id)
        return _entry(rows[0]) if rows else None

    def deferred(self) -> list[LedgerEntry]:
        """Return the entries that wait for an answer, in the order of their ids."""
        rows = self._rows("SELECT * FROM ledger WHERE status = 'deferred' ORDER BY id")
        return [_entry(row) for row in rows]

    def rows(self) -> ReceiverRows:
        """Return the full content as plain tuples."""
        return ReceiverRows(
            ledger=tuple(self._rows("SELECT * FROM ledger ORDER BY id")),
            state=tuple(self._rows("SELECT * FROM state ORDER BY key")),
            sequences=tuple(self._rows("SELECT * FROM sequences ORDER BY governed_key")),
        )

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Keep the running transaction whole: deny every statement that would end or split it."""
        denied: list[str] = []

        def authorize(operation: int, name: str | None, *_: str | None) -> int:
            if operation not in _CONTROL:
                return sqlite3.SQLITE_OK
            denied.append(str(name))
            return sqlite3.SQLITE_DENY

        self._db.set_authorizer(authorize)
        try:
            yield
        finally:
            self._db.set_authorizer(None)
            self._require_held(denied)

    def _require_held(self, denied: list[str]) -> None:
        # No authorizer is asked about a conflict clause, such as INSERT OR ROLLBACK.
        if denied or not self._db.in_transaction:
            tried = ", ".join(denied) or "a conflict that rolls back"
            raise StoreError(
                f"the effect meddles with the transaction that applies it ({tried}): use execute and "
                "executemany alone, without `with connection`, and let the receiver commit"
            )

    def _write(self, entry: LedgerEntry) -> None:
        cells = (
            entry.obligation.id,
            entry.obligation.text,
            to_micros(entry.deadline),
            entry.status.value,
            to_micros(entry.acked_at),
            entry.reason,
        )
        if self._db.execute(_WRITE, cells).rowcount != 1:
            raise StoreError(
                f"{entry.obligation.id!r} is already answered: another writer was faster; "
                "let one receiver own a store, and call it from one thread at a time"
            )


def _entry(row: tuple[Any, ...]) -> LedgerEntry:
    return LedgerEntry(
        obligation=cached_obligation(row[1]),
        deadline=from_micros(row[2]),
        status=AckStatus(row[3]),
        acked_at=from_micros(row[4]),
        reason=row[5],
    )
