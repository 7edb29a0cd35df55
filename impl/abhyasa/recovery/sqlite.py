"""The recovery store on SQLite: a file that workers share, or one in memory.

Rule 1: unlike the endpoints' stores it has no owner. A transaction begins with the lock of the only
        writer (BEGIN IMMEDIATE), and waits for another worker's; so it sees all that is committed,
        and what it has judged still stands when it commits.
Rule 2: the journal stays one that is rolled back: workers that open a new file together would fight
        about the switch to another. EXTRA syncs its removal, which is what commits.
"""

from abhyasa.recovery.schema import SCHEMA
from abhyasa.recovery.store import Transactions
from abhyasa.store.sqlite import MEMORY, SqliteStore

# How long a transaction waits for another worker's, in milliseconds.
_PATIENCE = 5000


class RecoveryStore(SqliteStore, Transactions):
    """The durable store of an application whose workers are replaced, on a file path or in memory."""

    _APPLICATION = 0x41425231
    _SCHEMA = SCHEMA
    _HELD = "is held by another worker for too long ({}): find out what it is doing, then run again"

    def _prepare(self) -> None:
        """Make an empty database a store, once, whoever else is opening it."""
        self._rows(f"PRAGMA busy_timeout = {_PATIENCE}")
        if self._path != MEMORY:
            self._rows("PRAGMA synchronous = EXTRA")
        with self._transaction():
            if self._require_ours():
                self._create()
