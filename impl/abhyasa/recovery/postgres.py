"""The recovery store on PostgreSQL, for workers on several machines. Needs the extra `postgres`.

Rule 1: a transaction begins with the lock on the one row of `clock`, so writers take turns, as they do
        on SQLite. Under READ COMMITTED each of its later statements sees all that was committed by
        then, and nothing can be committed between its judgment and its own commit.
Rule 2: SERIALIZABLE would not do. It may order an admission before a revocation that it did not see,
        although that was committed first; what was revoked would be admitted. It would also abort
        some transactions, to be tried again. Here none is ever aborted for the sake of another.
Rule 3: readers wait for nobody, and nobody waits for them.
Rule 4: the tables are in a schema of their own, whose name has the version: whatever else is in the
        database is left alone. The name is fixed: applications that share none of their instances and
        authority have a database each.
Rule 5: threads that share a store take turns, and so do machines: a worker that stands still within a
        transaction, or is cut off, is disconnected before those that wait for it give up.
Rule 6: nothing is tried again here. Where the connection breaks in a commit nobody can tell whether
        it stands; the run ends, and the next one reads what is so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from types import TracebackType
from typing import Any, NoReturn, Self

from abhyasa.recovery.schema import SCHEMA
from abhyasa.recovery.store import Transactions
from abhyasa.store.errors import StoreError

try:
    import psycopg
    from psycopg import IsolationLevel, errors
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ModuleNotFoundError as missing:
    missing.add_note("abhyasa.recovery.postgres needs psycopg: install abhyasa[postgres]")
    raise

_HOME = "abhyasa_recovery_1"

# How long a transaction waits for another worker's, and how long one may stand still.
_PATIENCE = "5s"
_STANDSTILL = "3s"

# When either side takes the other for gone, which has sent nothing: in seconds, but for the last.
_KEEPALIVES = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}

_SETTINGS = (
    f"SET search_path TO {_HOME}",
    f"SET lock_timeout TO '{_PATIENCE}'",
    f"SET idle_in_transaction_session_timeout TO '{_STANDSTILL}'",
    *(f"SET {name if 'tcp' in name else f'tcp_{name}'} TO {value}" for name, value in _KEEPALIVES.items()),
    # A commit is durable before it returns, also where the server is set to be quicker.
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'",
)


class PostgresRecoveryStore(Transactions):
    """The durable store of an application whose workers are replaced, in a PostgreSQL database.

    `dsn` is libpq's connection string. Each store is one connection. Raises StoreError where the database
    cannot be used as asked, rights included: a user who did not make the tables needs USAGE on the schema
    `abhyasa_recovery_1`, and SELECT, INSERT and UPDATE on all its tables.
    """

    def __init__(self, dsn: str) -> None:
        self._turns = RLock()
        try:
            asked = {**_KEEPALIVES, **conninfo_to_dict(dsn)}
            self._db = psycopg.connect(make_conninfo("", **asked), autocommit=True)
        except psycopg.Error as error:
            _raise_explained(error)
        try:
            self._db.isolation_level = IsolationLevel.READ_COMMITTED
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
        """Close the connection."""
        self._db.close()

    def _prepare(self) -> None:
        """Make the tables, once, whoever else is opening the store."""
        for setting in _SETTINGS:
            self._rows(setting)
        with self._begun():
            self._rows("SELECT pg_advisory_xact_lock(hashtext(?))", _HOME)
            if self._cell("SELECT to_regnamespace(?) IS NULL", _HOME):
                self._create()
        self._require_rights()

    def _require_rights(self) -> None:
        """Raise StoreError unless this user may use the tables: whoever made them may be another."""
        usable = (
            "SELECT has_schema_privilege(?, 'USAGE') AND bool_and(has_table_privilege(oid, privilege))"
            " FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE']) privilege"
            " WHERE relnamespace = to_regnamespace(?) AND relkind = 'r'"
        )
        if not self._cell(usable, _HOME, _HOME):
            raise StoreError(f"{_RIGHTS} ({self._db.info.user!r} may not)")

    def _create(self) -> None:
        self._rows(f"CREATE SCHEMA {_HOME}")
        for statement in SCHEMA.replace(" WITHOUT ROWID", "").split(";"):
            self._rows(statement)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._begun():
            self._rows("SELECT at FROM clock FOR UPDATE")
            yield

    @contextmanager
    def _begun(self) -> Iterator[None]:
        try:
            with self._turns, self._db.transaction():
                yield
        except psycopg.Error as error:
            _raise_explained(error)

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        try:
            with self._turns:
                cursor = self._db.execute(query.replace("?", "%s").encode(), parameters)
            return cursor.fetchall() if cursor.description else []
        except psycopg.Error as error:
            _raise_explained(error)


_RIGHTS = (
    f"let this user create the schema {_HOME}, or grant it USAGE on that schema,"
    " and SELECT, INSERT and UPDATE on all its tables"
)

# What is wrong with a statement itself stays what PostgreSQL raised: it is a mistake of the program.
_ADVICE: dict[type[psycopg.Error], str] = {
    errors.LockNotAvailable: "another worker holds the store for too long: find out what it is doing",
    errors.InsufficientPrivilege: _RIGHTS,
    errors.ReadOnlySqlTransaction: "connect to the primary: this server only reads",
    errors.DiskFull: "free space on the server's disk; nothing was changed",
    errors.IdleInTransactionSessionTimeout: "this worker stood still within a transaction, so nothing was "
    "changed: open the store again",
    errors.QueryCanceled: "raise the statement_timeout of this user, or find out who cancels its statements; "
    "nothing was changed",
    psycopg.OperationalError: "start the server, or mend the connection string; then open the store again",
}


def _raise_explained(error: psycopg.Error) -> NoReturn:
    """Raise the StoreError that says what to change, or `error` again if that is not it."""
    for kind, advice in _ADVICE.items():
        if isinstance(error, kind):
            raise StoreError(f"{advice} ({str(error).strip()})") from error
    raise error
