"""The recovery store, read: where its file is opened, and every question to what is durable.

Rule 1: workers share the file. Unlike the endpoints' stores it has no owner; SQLite serialises.
Rule 2: the journal stays one that is rolled back: workers that open a new file together would fight
        about the switch to another. EXTRA syncs its removal, which is what commits.
Rule 3: rows are read in the order in which they were committed.
"""

from dataclasses import dataclass
from typing import Any

from abhyasa.core.errors import Refused
from abhyasa.core.wire import read_object
from abhyasa.recovery.authority import UNSAID, Fact, Standing
from abhyasa.recovery.permits import EffectEvidence, Lease, Source
from abhyasa.recovery.schema import SCHEMA
from abhyasa.recovery.values import AuthorizationInstance, Denial, Outcome, Reservation, Scope
from abhyasa.store.sqlite import MEMORY, SqliteStore, maybe

# How long a transaction waits for another worker's, in milliseconds.
_PATIENCE = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is durable of an instance: its last delivery, the first observation, a denial."""

    instance: AuthorizationInstance
    reference: str | None
    key: str | None
    observation: EffectEvidence | None
    denial: Denial | None


class RecoveryRecords(SqliteStore):
    """What is durable of an application whose workers are replaced."""

    _APPLICATION = 0x41425231
    _SCHEMA = SCHEMA

    def row(self, instance_id: str) -> Row:
        """Return what is durable of an instance. Raises Refused for one that was never registered."""
        instance = self._known(instance_id)
        last = "SELECT reference, key FROM intents WHERE instance = ? ORDER BY number DESC LIMIT 1"
        reference, key = next(iter(self._rows(last, instance_id)), (None, None))
        seen = "SELECT reference, receipt, source FROM observations WHERE instance = ? ORDER BY rowid LIMIT 1"
        return Row(
            instance=instance,
            reference=reference,
            key=key,
            observation=next((_evidence(cells) for cells in self._rows(seen, instance_id)), None),
            denial=self._denial(instance),
        )

    def reservation(self, instance_id: str) -> Reservation | None:
        """Return what is set aside for the instance, None where nothing is."""
        query = "SELECT status FROM reservations WHERE instance = ?"
        return maybe(Reservation, self._cell(query, instance_id))

    def said(self, fact: Fact, scope: Scope) -> list[tuple[int, int]]:
        """Return what the authority has said of a scope, as (value, time)."""
        query = "SELECT value, at FROM authority WHERE fact = ? AND subject = ? ORDER BY rowid"
        return self._rows(query, fact, fact.subject(scope))

    def consumptions(self, approval: str | None) -> list[tuple[str, int]]:
        """Return who has consumed an approval, as (instance, time)."""
        return self._rows("SELECT instance, at FROM consumptions WHERE approval = ?", approval)

    def records(self, table: str, columns: tuple[str, ...], instance_id: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table about an instance."""
        query = f"SELECT {', '.join(columns)} FROM {table} WHERE instance = ? ORDER BY rowid"
        return self._rows(query, instance_id)

    def _prepare(self) -> None:
        """Make an empty database a store, once, whoever else is opening it."""
        self._rows(f"PRAGMA busy_timeout = {_PATIENCE}")
        if self._path != MEMORY:
            self._rows("PRAGMA synchronous = EXTRA")
        with self._transaction():
            if self._require_ours():
                self._create()

    def _standing(self, instance: AuthorizationInstance, lease: Lease) -> Standing:
        said = {fact: self.said(fact, instance.scope) for fact in Fact}
        end = "SELECT expires_at FROM leases WHERE instance = ? AND epoch = ?"
        return Standing(
            facts={fact: values[-1][0] if values else UNSAID[fact] for fact, values in said.items()},
            consumed_by=next((consumer for consumer, _ in self.consumptions(instance.approval)), None),
            lease_expires_at=self._cell(end, lease.instance_id, lease.epoch),
        )

    def _epoch(self, instance_id: str) -> int:
        newest = "SELECT coalesce(max(epoch), 0) FROM leases WHERE instance = ?"
        epoch: int = self._cell(newest, instance_id)
        return epoch

    def _intents(self, instance_id: str) -> int:
        count: int = self._cell("SELECT count(*) FROM intents WHERE instance = ?", instance_id)
        return count

    def _denial(self, instance: AuthorizationInstance) -> Denial | None:
        """Return why the instance was denied, if it was; what strangers were told does not count."""
        query = (
            "SELECT reason FROM reports WHERE instance = ? AND outcome = ?"
            " AND organisation = ? AND principal = ? AND run = ?"
        )
        asked = (instance.id, Outcome.DENIED, *scope_cells(instance.scope))
        return maybe(Denial, self._cell(query, *asked))

    def _known(self, instance_id: str) -> AuthorizationInstance:
        instance = self._instance(instance_id)
        if instance is None:
            raise Refused(f"no instance {instance_id!r}: register it first")
        return instance

    def _instance(self, instance_id: str) -> AuthorizationInstance | None:
        rows = self._rows("SELECT * FROM instances WHERE id = ?", instance_id)
        return _read(rows[0]) if rows else None


def scope_cells(scope: Scope) -> tuple[str, str, str]:
    """Return a scope as the tables have it."""
    return scope.organisation, scope.principal, scope.run


def _read(row: tuple[Any, ...]) -> AuthorizationInstance:
    return AuthorizationInstance(
        id=row[0],
        scope=Scope(organisation=row[1], principal=row[2], run=row[3]),
        action=read_object(row[4]),
        policy_epoch=row[5],
        expires_at=row[6],
        allowed_effects=row[7],
        approval=row[8],
    )


def _evidence(cells: tuple[Any, ...]) -> EffectEvidence:
    reference, receipt, source = cells
    return EffectEvidence(reference=reference, receipt=receipt, source=Source(source))
