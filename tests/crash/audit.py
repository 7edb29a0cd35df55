"""The audit of a run from its two files alone, in SQL of its own: what a store says of itself is not asked.

Rule 1: a look is taken at a copy, so that it changes nothing. What a dead process left is read as the
        next one will find it, uncommitted writes gone.
Rule 2: `require_grown` compares two looks at the custodian: nothing is lost between them, no deadline
        moves, no budget is refilled, no end is reopened.
Rule 3: `require_sound` judges the last looks at both: deliver-or-report, effectively once, and a
        fail-safe exactly once where one is due, nowhere else. `authority` judges decisions.
"""

import json
import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.crash import custodian, receiver
from tests.crash.plan import MAX_RETRIES, Item, Plan

_CUSTODY = """
SELECT id, status, accepted_at, deadline, deliveries, due_at, settled_at, protected FROM custody
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Custody:
    """One row of the custodian's, its times in microseconds."""

    status: str
    accepted_at: int
    deadline: int
    deliveries: int
    due_at: int
    settled_at: int | None
    protected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The custodian's file: custody, fail-safes and escalations (cause, protected, when), by id."""

    custody: Mapping[str, Custody]
    safe: Mapping[str, float]
    escalations: Mapping[str, tuple[str, int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """The receiver's file: answers (status, acked_at, deadline) and effects, by id."""

    ledger: Mapping[str, tuple[str, int, int]]
    applied: Mapping[str, float]


def principal(folder: Path) -> Principal:
    """Look at the custodian's file."""
    rows = look(folder / custodian.STORE, custody=_CUSTODY, state=_STATE, escalations=_ESCALATIONS)
    names = Custody.__slots__
    return Principal(
        custody={id: Custody(**dict(zip(names, cells, strict=True))) for id, *cells in rows["custody"]},
        safe=_counts("safe/", rows["state"]),
        escalations={id: tuple(cells) for id, *cells in rows["escalations"]},
    )


def agent(folder: Path) -> Agent:
    """Look at the receiver's file."""
    rows = look(folder / receiver.STORE, ledger=_LEDGER, state=_STATE)
    return Agent(
        ledger={id: tuple(cells) for id, *cells in rows["ledger"]},
        applied=_counts("applied/", rows["state"]),
    )


_STATE = "SELECT key, value FROM state"
_ESCALATIONS = "SELECT id, cause, protected, escalated_at FROM escalations"
_LEDGER = "SELECT id, status, acked_at, deadline FROM ledger"


def look(path: Path, **queries: str) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of some queries, by name, at a copy of a store."""
    if not path.exists():
        return {name: [] for name in queries}
    with TemporaryDirectory() as folder:
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, folder)
        with closing(sqlite3.connect(Path(folder) / path.name)) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            made = {name for (name,) in copy.execute("SELECT name FROM sqlite_master")}
            # A process that was killed before its first commit has made none of the tables.
            return {name: copy.execute(query).fetchall() if made else [] for name, query in queries.items()}


def _counts(prefix: str, state: list[tuple[str, str]]) -> dict[str, float]:
    return {key.removeprefix(prefix): json.loads(value) for key, value in state if key.startswith(prefix)}


def require_grown(before: Principal, after: Principal) -> None:
    """Require that nothing that was durable in `before` is undone in `after`."""
    for id, old in before.custody.items():
        new = after.custody[id]
        assert (new.accepted_at, new.deadline) == (old.accepted_at, old.deadline), id
        assert new.deliveries >= old.deliveries, id
        if old.status != "pending":
            assert (new, after.safe.get(id)) == (old, before.safe.get(id)), id
    assert before.escalations.items() <= after.escalations.items()


def require_sound(plan: Plan, told: Principal, done: Agent) -> None:
    """Require that every obligation of a plan came to its end, and both sides say the same of it."""
    assert told.custody.keys() == {item.id for item in plan.items}
    assert done.ledger.keys() | done.applied.keys() <= told.custody.keys()
    assert {id for id, row in told.custody.items() if row.status == "escalated"} == told.escalations.keys()
    for item in plan.items:
        if isinstance(item, Item):
            _require_item(plan, item, told, done)


def _require_item(plan: Plan, item: Item, told: Principal, done: Agent) -> None:
    row, where = told.custody[item.id], f"{item}: {told.custody[item.id]}"
    answer, acked_at, deadline = done.ledger.get(item.id, (None, 0, row.deadline))
    safe, applied = told.safe.get(item.id, 0), done.applied.get(item.id, 0)
    assert row.deadline == row.accepted_at + plan.terms.window.total_seconds() * 1e6, where
    assert deadline == row.deadline, where  # one moment on both sides
    assert applied == (answer == "applied"), where  # effectively once, and never without an entry (AB-3)
    assert not applied or acked_at < row.deadline, where
    match row.status:
        case "applied":
            assert (applied, safe, row.protected) == (1, 0, 0), where
        case "declined":
            assert (answer, safe, row.protected) == ("declined", 1, 1), where
        case "escalated":
            assert (safe, row.protected) == (1, 1), where
            _require_in_time(row, told.escalations[item.id], where)
        case "best_effort":
            assert (safe, row.deliveries, item.benign) == (0, 1, True), where
        case _:
            raise AssertionError(f"not settled: {where}")
    assert item.benign == (row.status == "best_effort"), where
    assert row.deliveries <= MAX_RETRIES + 1, where


def _require_in_time(row: Custody, told: tuple[str, int, int], where: str) -> None:
    """Require of an escalation (AB-4) that its cause had come about, and that it was told as it is."""
    cause, protected, escalated_at = told
    assert (protected, escalated_at) == (1, row.settled_at), where
    if cause == "deadline":
        assert escalated_at >= row.deadline, where
    else:
        assert cause == "budget", where
        assert row.deliveries == MAX_RETRIES + 1, where
        assert row.due_at <= escalated_at < row.deadline, where
