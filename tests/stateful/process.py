"""A process that runs one endpoint, dies at a chosen statement, and comes back on what it committed.

Its store is a file in a folder, or a store in memory: then what was not committed is rolled back, and
the image of the rest is what the next process starts on.
"""

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from abhyasa import StoreError
from tests.doomed import Crash, Doomed


@dataclass(frozen=True, slots=True, kw_only=True)
class Doom:
    """The death of a process before or after its n-th statement, or commit, from now on.

    For a custodian it is that of a call that is to commit a fact, of which `occasion` is the first word,
    and the process is down for the `outage`.
    """

    occasion: str = ""
    nth: int
    counting: Literal["", "COMMIT"] = ""
    before: bool = False
    outage: timedelta = timedelta(0)


class Process:
    """One endpoint on one store. `make` turns a store into the endpoint that a process start makes.

    `store` is the class of the store, `path` its file; None keeps it in memory.
    """

    def __init__(self, store, path, make):
        self._path = path
        self._make = make
        self._store = store() if path is None else store(path)
        self._endpoint = make(self._store)

    def doom(self, doom):
        """Let the process die so."""
        self._store._db = Doomed(self._alive(), doom.nth, doom.before, doom.counting)

    def reprieve(self):
        """Let the process live."""
        self._store._db = self._alive()

    def call(self, action):
        """Let the endpoint do something, and return whether the process survived it."""
        try:
            action(self._endpoint)
        except (Crash, StoreError):
            if not getattr(self._store._db, "dead", False):
                raise
            self.restart()
            return False
        return True

    def restart(self):
        """End the process, wherever it is, and start another on the same store."""
        connection, store = self._alive(), type(self._store)
        if self._path is None:
            connection.rollback()
            image = connection.serialize()
        self._store.close()
        if self._path is None:
            self._store = store(image=image)
        else:
            self._store = store(self._path)
        self._endpoint = self._make(self._store)

    @property
    def in_transaction(self):
        """Whether something is written and not yet committed."""
        return self._alive().in_transaction

    @contextmanager
    def watched(self):
        """The endpoint, for looking only: no doom strikes meanwhile."""
        doomed = self._store._db
        self._store._db = self._alive()
        yield self._endpoint
        self._store._db = doomed

    def rows(self, query):
        """Return what a query finds in what is committed."""
        return self._alive().execute(query).fetchall()

    def close(self):
        """End the process for good."""
        self._store.close()

    def _alive(self):
        return getattr(self._store._db, "connection", self._store._db)
