"""The recovery store, read: every question to what is durable, whichever database holds it.

Rule 1: rows are read in the order of their times, which is that of their commits.
Rule 2: a statement is SQL of SQLite and of PostgreSQL alike, with `?` for each parameter.
"""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from abhyasa.core.errors import Refused
from abhyasa.core.wire import read_object
from abhyasa.recovery.authority import UNSAID, Fact, Standing
from abhyasa.recovery.permits import EffectEvidence, Lease, Source
from abhyasa.recovery.values import AuthorizationInstance, Denial, Outcome, Reservation, Scope
from abhyasa.store.sqlite import maybe


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What is durable of an instance: its last delivery, the first observation, a denial."""

    instance: AuthorizationInstance
    reference: str | None
    key: str | None
    observation: EffectEvidence | None
    denial: Denial | None


class RecoveryRecords(ABC):
    """What is durable of an application whose workers are replaced."""

    @abstractmethod
    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Execute a statement, and return all rows that come of it."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """Begin a transaction that sees all that is committed, and that no other one overlaps."""

    def time(self) -> int:
        """Return the time of the last commit, 0 before the first: a clock goes on from there."""
        at: int = self._cell("SELECT at FROM clock")
        return at

    def instance(self, instance_id: str) -> AuthorizationInstance | None:
        """Return an instance as it was registered, None for one that never was."""
        rows = self._rows("SELECT * FROM instances WHERE id = ?", instance_id)
        return _read(rows[0]) if rows else None

    def row(self, instance_id: str) -> Row:
        """Return what is durable of an instance. Raises Refused for one that was never registered."""
        instance = self._known(instance_id)
        last = "SELECT reference, key FROM intents WHERE instance = ? ORDER BY number DESC LIMIT 1"
        reference, key = next(iter(self._rows(last, instance_id)), (None, None))
        seen = "SELECT reference, receipt, source FROM observations WHERE instance = ? ORDER BY at LIMIT 1"
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
        query = "SELECT value, at FROM authority WHERE fact = ? AND subject = ? ORDER BY at"
        return self._rows(query, fact, fact.subject(scope))

    def consumptions(self, approval: str | None) -> list[tuple[str, int]]:
        """Return who has consumed an approval, as (instance, time)."""
        return self._rows("SELECT instance, at FROM consumptions WHERE approval = ?", approval)

    def records(self, table: str, columns: tuple[str, ...], instance_id: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table about an instance."""
        query = f"SELECT {', '.join(columns)} FROM {table} WHERE instance = ? ORDER BY at"
        return self._rows(query, instance_id)

    def _standing(self, instance: AuthorizationInstance, lease: Lease) -> Standing:
        said = {fact: self.said(fact, instance.scope) for fact in Fact}
        answered = "SELECT answer FROM answers WHERE instance = ? AND epoch = ? ORDER BY at DESC LIMIT 1"
        return Standing(
            facts={fact: values[-1][0] if values else UNSAID[fact] for fact, values in said.items()},
            dependency=maybe(bool, self._cell(answered, lease.instance_id, lease.epoch)),
            consumed_by=next((consumer for consumer, _ in self.consumptions(instance.approval)), None),
            lease_expires_at=self._lease_end(lease),
        )

    def _lease_end(self, lease: Lease) -> int:
        query = "SELECT expires_at FROM leases WHERE instance = ? AND epoch = ?"
        end: int = self._cell(query, lease.instance_id, lease.epoch)
        return end

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
        instance = self.instance(instance_id)
        if instance is None:
            raise Refused(f"no instance {instance_id!r}: register it first")
        return instance

    def _cell(self, query: str, *parameters: object) -> Any:
        rows = self._rows(query, *parameters)
        return rows[0][0] if rows else None


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
