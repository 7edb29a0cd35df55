"""A process that runs one endpoint on one store, dies at a chosen point of a transaction, and resumes.

Rule 1: the dead do nothing more: no statement, no rollback, no message.
Rule 2: what was not committed is rolled back, as SQLite does when it opens the file of a dead process.
Rule 3: a process that resumes has nothing but the image of its store: new store, new endpoint.
"""

import sqlite3
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Generic, TypeVar

from abhyasa import CustodianStore, ReceiverStore
from abhyasa.store.sqlite import SqliteStore

_Store = TypeVar("_Store", bound="MortalStore")
_Endpoint = TypeVar("_Endpoint")


class Fate(StrEnum):
    """What becomes of a process in a step: it is done, or dies before, inside or after a transaction."""

    DONE = "done"
    BEFORE = "before"
    INSIDE = "inside"
    AFTER = "after"


class Died(BaseException):
    """The process dies here. No handler of ordinary errors stops it."""


class Mortal(sqlite3.Connection):
    """A connection whose process dies as its fate says."""

    fate = Fate.DONE
    dead = False

    def execute(self, statement: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Execute a statement, and die before or after it if that is the fate."""
        if self.dead or (self.fate, statement) in _LAST_MOMENTS:
            self.die()
        cursor = super().execute(statement, parameters)
        if self.fate is Fate.AFTER and statement == "COMMIT":
            self.die()
        return cursor

    def die(self) -> None:
        """Do nothing more."""
        self.dead = True
        raise Died


_LAST_MOMENTS = {(Fate.BEFORE, "BEGIN IMMEDIATE"), (Fate.INSIDE, "COMMIT")}


class MortalStore(SqliteStore):
    """A store on a mortal connection."""

    _CONNECTION = Mortal
    _db: Mortal


class MortalCustody(MortalStore, CustodianStore):
    """A custodian's."""


class MortalLedger(MortalStore, ReceiverStore):
    """A receiver's."""


class Process(Generic[_Store, _Endpoint]):
    """One side: its store, which stays, and its endpoint, which is None while the process is down."""

    def __init__(self, store: _Store, make: Callable[[_Store], _Endpoint]) -> None:
        self.store = store
        self._make = make
        self.endpoint: _Endpoint | None = make(store)

    def live(self, fate: Fate, step: Callable[[_Endpoint], object]) -> bool:
        """Let the endpoint take a step with a fate, and return whether that fate was met.

        A process that is down takes none. Where the step has no such moment the process survives it.
        """
        if self.endpoint is None:
            return False
        self.store._db.fate = fate
        try:
            step(self.endpoint)
        except Died:
            self.crash()
            return True
        self.store._db.fate = Fate.DONE
        return fate is Fate.DONE

    def lets_out(self) -> bool:
        """Tell whether a message leaves: only in a step that is done. The process may die instead."""
        if self.store._db.fate is Fate.AFTER:
            self.store._db.die()
        return self.store._db.fate is Fate.DONE

    def crash(self) -> None:
        """End the process, wherever it is."""
        self.endpoint = None
        self.store._db.rollback()
        self.store._db.dead, self.store._db.fate = False, Fate.DONE

    def resume(self) -> None:
        """Start the process again on what is committed."""
        image = self.store.image()
        self.store.close()
        self.store = type(self.store)(image=image)
        self.endpoint = self._make(self.store)

    def put(self, image: bytes, *, running: bool) -> None:
        """Put the process back to where it ran, or was down, on this image."""
        self.store.restore(image)
        self.endpoint = self._make(self.store) if running else None
