"""The audit of decisions on one authority, from the two files alone: neither side is behind what holds there.

Rule 1: the receiver honours the newest decision that it applied. What it declined had expired, or a
        newer one was applied.
Rule 2: when all have ended, the newest of all holds on the principal's side. It permits only if it is a
        grant that the receiver applied.
Rule 3: what was not applied had safe(O), unless a newer decision held; the newest always had it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from tests.crash import audit, custodian, receiver
from tests.crash.plan import TARGET, Consenting, Plan

_STATE = "SELECT key, value FROM state"
_SEQUENCES = "SELECT governed_key, sequence FROM sequences"


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one file says: each id's status and a second cell; what holds on each key, and what is newest."""

    decided: Mapping[str, tuple[str, object]]
    authority: Mapping[str, str]
    newest: Mapping[str, int]


def require_newest(plan: Plan, folder: Path) -> None:
    """Require that both sides honour what is newest there on each authority of a plan."""
    consents = [item for item in plan.items if isinstance(item, Consenting)]
    told = _side(folder / custodian.STORE, "SELECT id, status, protected FROM custody")
    done = _side(folder / receiver.STORE, "SELECT id, status, reason FROM ledger")
    for scope, decisions in groupby(sorted(consents, key=attrgetter("id")), attrgetter("scope")):
        ordered = list(decisions)
        _require_receiver(f"consent/{TARGET}/{scope}", ordered, done)
        _require_principal(f"consent/{TARGET}/{scope}", ordered, told, done)


def _side(path: Path, decided: str) -> Side:
    rows = audit.look(path, decided=decided, state=_STATE, sequences=_SEQUENCES)
    return Side(
        decided={id: (status, other) for id, status, other in rows["decided"]},
        authority={key: json.loads(value) for key, value in rows["state"]},
        newest=dict(rows["sequences"]),
    )


def _require_receiver(key: str, ordered: list[Consenting], done: Side) -> None:
    """Rule 1."""
    applied = [item for item in ordered if done.decided.get(item.id, ("none", ""))[0] == "applied"]
    where = f"{key} at the receiver: {done}"
    if applied:
        honoured = "permitted" if applied[-1].grants else "withheld"
        assert (done.authority[key], done.newest[key]) == (honoured, applied[-1].sequence), where
    else:
        assert key not in done.authority, where
        assert key not in done.newest, where
    for item in ordered:
        status, reason = done.decided.get(item.id, ("none", ""))
        superseded = bool(applied) and item.sequence < applied[-1].sequence
        assert status != "declined" or reason == "expired" or (reason == "superseded" and superseded), where


def _require_principal(key: str, ordered: list[Consenting], told: Side, done: Side) -> None:
    """Rules 2 and 3."""
    last, where = ordered[-1], f"{key} at the principal: {told}"
    permits = last.grants and told.decided[last.id][0] == "applied"
    holds = ("permitted" if permits else "withheld", last.sequence)
    assert (told.authority[key], told.newest[key]) == holds, where
    for item in ordered:
        status, protected = told.decided[item.id]
        assert status == "escalated" or done.decided[item.id][0] == status, where
        assert status != "applied" or not protected, where
        assert status == "applied" or protected or item is not last, where
