"""The SQLite ground of both stores: opening, transactions, images, and the state they share.

Rule 1: one endpoint owns one store. A second one on the same file is refused while the first
        holds it; the operating system gives the locks back when a process dies.
Rule 2: a write happens only inside `_transaction`, which commits as a whole or not at all. On
        files a commit is synced before it returns: what is acknowledged survives a power cut.
Rule 3: every query is fetched to its end at once. An unfinished cursor that is read on after a
        restore would crash the interpreter.
Rule 4: threads that share a store take turns: one transaction or query after another.
Rule 5: nothing is cached above the database but pure readings of immutable texts, so a restored
        image is the whole truth.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from abhyasa.core.polarity import Change
from abhyasa.core.values import Json, canonical
from abhyasa.core.wire import read_action, read_obligation, read_terms, read_value
from abhyasa.store import forked
from abhyasa.store.errors import HELD, StoreError, raise_explained
from abhyasa.store.lock import Lock

_T = TypeVar("_T")

MEMORY = ":memory:"
SCHEMA_VERSION = 1

# Reading a text is pure, so remembering the reading can never be stale.
cached_obligation = lru_cache(maxsize=1024)(read_obligation)
cached_terms = lru_cache(maxsize=256)(read_terms)
cached_action = lru_cache(maxsize=1024)(read_action)
cached_value = lru_cache(maxsize=1024)(read_value)

_SHARED_SCHEMA = """
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sequences (governed_key TEXT PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID;
"""

_SET_STATE = "INSERT INTO state VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"
# Only what the guard of supersession let pass is written, so a sequence never falls.
_SET_SEQUENCE = """
INSERT INTO sequences VALUES (?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence
"""


class SqliteStore:
    """A durable store on a file path, or one that lives in memory."""

    #: Marks a file as a store of this side ("application_id"), so that none is opened as another.
    _APPLICATION: ClassVar[int]
    _SCHEMA: ClassVar[str]
    #: What to say where another one holds the file.
    _HELD: ClassVar[str] = HELD
    #: What connects to the database: a test of crashes has one that dies.
    _CONNECTION: ClassVar[type[sqlite3.Connection]] = sqlite3.Connection

    def __init__(self, path: str | Path = MEMORY, *, image: bytes | None = None) -> None:
        """Open the store at `path`; one in memory may begin with an `image`, as a file has its content."""
        self._path = str(path)
        self._lock: Lock | None = None
        self._turns = RLock()
        if not self._path:
            # SQLite would open a temporary database, and delete it with the process.
            raise StoreError(f"path is empty: name a file, or {MEMORY!r} for a store in memory")
        _require_whole(self._path)
        try:
            self._db = sqlite3.connect(
                self._path,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
                factory=self._CONNECTION,
            )
        except sqlite3.Error as error:
            raise_explained(self._path, error, self._HELD)
        if self._path != MEMORY:
            forked.watch(self)
        try:
            if image is not None:
                self.restore(image)
            self._prepare()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and give its locks back."""
        self._db.close()
        if self._lock is not None:
            self._lock.release()

    def state(self, key: str) -> Json:
        """Return the value at a key of this side's state, None where nothing was ever set."""
        return maybe(cached_value, self._cell("SELECT value FROM state WHERE key = ?", key))

    def states(self) -> dict[str, Json]:
        """Return all of this side's state."""
        return {key: cached_value(value) for key, value in self._rows("SELECT key, value FROM state")}

    def newest(self, governed_key: str) -> int | None:
        """Return the newest sequence applied on a governed key."""
        query = "SELECT sequence FROM sequences WHERE governed_key = ?"
        newest: int | None = self._cell(query, governed_key)
        return newest

    def image(self) -> bytes:
        """Return the whole content as bytes for `restore`. Raises StoreError mid-transaction."""
        self._require_quiet("image")
        return self._db.serialize()

    def restore(self, image: bytes) -> None:
        """Replace the whole content by an image. Only for stores in memory, between commits."""
        self._require_quiet("restore")
        if self._path != MEMORY:
            raise StoreError(f"restore on {self._path}: only a store in memory can be restored")
        self._db.deserialize(image)

    def _prepare(self) -> None:
        """Take the locks, then make an empty database a store; leave a foreign one untouched."""
        in_memory = self._path == MEMORY
        if not in_memory:
            self._lock = Lock(self._path)
            # In this mode the first access takes SQLite's lock, and only closing gives it back.
            self._rows("PRAGMA locking_mode = EXCLUSIVE")
        empty = self._require_ours()
        if in_memory:
            self._rows("PRAGMA page_size = 512")
        else:
            self._rows("PRAGMA journal_mode = WAL")
            self._rows("PRAGMA synchronous = FULL")
        if empty:
            with self._transaction():
                self._create()

    def _require_ours(self) -> bool:
        """Return whether the database is empty. Raises StoreError if it is something else's."""
        found = (self._pragma("application_id"), self._pragma("user_version"))
        if found == (0, 0) and self._cell("SELECT count(*) FROM sqlite_master") == 0:
            return True
        if found != (self._APPLICATION, SCHEMA_VERSION):
            raise StoreError(
                f"{self._path} is no {type(self).__name__} of version {SCHEMA_VERSION} "
                f"(it says {found}): use another path"
            )
        return False

    def _create(self) -> None:
        for statement in (_SHARED_SCHEMA + self._SCHEMA).split(";"):
            self._db.execute(statement)
        self._db.execute(f"PRAGMA application_id = {self._APPLICATION}")
        self._db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._turns:
            # What another one has begun is not for this one to roll back.
            self._require_quiet("a transaction")
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise_explained(self._path, error, self._HELD)
                raise

    def _change(self, change: Change | None) -> None:
        """Carry a change out, inside the caller's transaction."""
        if change is None:
            return
        if change.action is not None:
            key = change.action.key
            value = change.action.apply(self.state(key))
            self._db.execute(_SET_STATE, (key, canonical(value)))
        if change.sequence is not None and change.governed_key is not None:
            self._db.execute(_SET_SEQUENCE, (change.governed_key, change.sequence))

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        with self._turns:
            try:
                return self._db.execute(query, parameters).fetchall()
            except sqlite3.Error as error:
                raise_explained(self._path, error, self._HELD)

    def _cell(self, query: str, *parameters: object) -> Any:
        rows = self._rows(query, *parameters)
        return rows[0][0] if rows else None

    def _pragma(self, name: str) -> Any:
        return self._cell(f"PRAGMA {name}")

    def _require_quiet(self, what: str) -> None:
        if self._db.in_transaction:
            raise StoreError(f"{what} inside a transaction would tear it: wait for its commit")


def maybe(read: Callable[[Any], _T], cell: Any) -> _T | None:
    """Read a cell that may be NULL."""
    return None if cell is None else read(cell)


def _require_whole(path: str) -> None:
    """Refuse a file that lost its content beside a log of commits: SQLite would drop the log."""
    file, log = Path(path), Path(f"{path}-wal")
    if log.is_file() and log.stat().st_size and not (file.is_file() and file.stat().st_size):
        raise StoreError(
            f"{path} is empty or gone, but {log.name} beside it still holds commits: restore it from a "
            f"backup, or remove {log.name} if nothing in it matters"
        )
