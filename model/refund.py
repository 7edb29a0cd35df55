"""The instance that the model of Recovery.tla runs: a refund, what authority says of it, and its store.

Rule 1: time is a counter of events, and passes of itself only where an approval expires.
Rule 2: what is lost is read from what the authority has said, as the application reads it.
"""

import sqlite3
from dataclasses import replace
from typing import Any

from abhyasa.core.errors import Refused
from abhyasa.recovery import AuthorizationInstance, Denial, DispatchPermit, Fact, RecoveryStore, Scope

_EXPIRES_AT = 1_000_000
#: Longer than all else, for leases do not run out here.
LEASE_SPAN = 10 * _EXPIRES_AT

SCOPE = Scope(organisation="acme", principal="alice", run="run-1")
#: The same principal, in another run.
STRANGER = replace(SCOPE, run="run-9")
INSTANCE = AuthorizationInstance(
    id="refund-17",
    scope=SCOPE,
    action={"kind": "refund", "order": "A-17", "amount": 4200},
    policy_epoch=1,
    expires_at=_EXPIRES_AT,
    approval="approval-17",
)
#: Another instance that was approved by the same approval. Whatever is said of the first, down to its
#: organisation's policy, is not said of this one.
_RIVAL = replace(
    INSTANCE,
    id="refund-18",
    scope=Scope(organisation="globex", principal="bob", run="run-2"),
    expires_at=LEASE_SPAN,
)

#: Per loss: the fact, what is said of it then, and what stands before.
_SAID = {
    "cancelled": (Fact.CANCELLED, 1, 0),
    "revoked": (Fact.GRANT, 0, 1),
    "policy_changed": (Fact.POLICY_EPOCH, INSTANCE.policy_epoch + 1, INSTANCE.policy_epoch),
}


class Clock:
    """A logical time."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        """Return the time of the next event."""
        self.now += 1
        return self.now


class FullDisk(sqlite3.Connection):
    """A connection that can commit nothing while `full`."""

    full = False

    def execute(self, statement: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Execute a statement; a commit fails as one does for want of space."""
        if statement == "COMMIT" and self.full:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return super().execute(statement, parameters)


class WalkedStore(RecoveryStore):
    """A recovery store with small images, on a disk that can be full."""

    _CONNECTION = FullDisk
    _db: FullDisk

    def fill(self, full: bool) -> None:
        """Fill the disk, or clear it."""
        self._db.full = full

    def _prepare(self) -> None:
        self._rows("PRAGMA page_size = 512")
        super()._prepare()


class Authority:
    """What is said of the instance, and who consumes its approval."""

    def __init__(self, store: RecoveryStore, clock: Clock) -> None:
        self._store, self._clock = store, clock
        for scope in (SCOPE, _RIVAL.scope):
            for fact, _, standing in _SAID.values():
                store.set_fact(fact, scope, standing, clock())

    def lose(self, loss: str) -> None:
        """Let a part of the authority cease to stand. Raises Refused if nobody can take the approval."""
        if loss == "approval_expired":
            self._clock.now = max(self._clock.now, _EXPIRES_AT)
        elif loss == "approval_consumed":
            self._admit_rival()
        else:
            fact, value, _ = _SAID[loss]
            self._store.set_fact(fact, SCOPE, value, self._clock())

    def grant(self) -> None:
        """Give the grant, whether or not it stood."""
        self._store.set_fact(Fact.GRANT, SCOPE, 1, self._clock())

    def lost(self) -> set[str]:
        """Return what does not stand, the approval's consumption apart."""
        said = {loss for loss, (fact, value, _) in _SAID.items() if self._says(fact) == value}
        return said | ({"approval_expired"} if self._clock.now >= _EXPIRES_AT else set())

    def _says(self, fact: Fact) -> int:
        return self._store.said(fact, SCOPE)[-1][0]

    def _admit_rival(self) -> None:
        self._store.register(_RIVAL)
        until = self._clock.now + LEASE_SPAN
        lease = self._store.claim(_RIVAL.id, _RIVAL.scope, "rival", until, self._clock())
        if isinstance(lease, Denial) or not isinstance(
            self._store.admit(lease, self._clock()), DispatchPermit
        ):
            raise Refused("the approval is consumed")
