"""What PostgreSQL is asked for, and what is said where it does not give it."""

from contextlib import contextmanager

import psycopg
import pytest
from psycopg import IsolationLevel

from abhyasa import StoreError
from abhyasa.recovery import DispatchPermit, Fact
from abhyasa.recovery.postgres import PostgresRecoveryStore
from tests.recovery import postgres
from tests.recovery.clock import Clock
from tests.recovery.corpus import INSTANCE, LEASE_SPAN, SCOPE
from tests.recovery.databases import empty
from tests.recovery.stage import set_up


@pytest.fixture
def dsn(postgres_server):
    """The connection string of a database where no store has been."""
    empty(postgres_server)
    return postgres_server


class Unordered(PostgresRecoveryStore):
    """Transactions that PostgreSQL alone keeps apart, SERIALIZABLE; each has the time that it came with."""

    def __init__(self, dsn):
        super().__init__(dsn)
        self._db.isolation_level = IsolationLevel.SERIALIZABLE

    @contextmanager
    def _transaction(self):
        with self._begun():
            yield

    @contextmanager
    def _turn(self, now):
        with self._transaction():
            yield now

    def _intend(self, *arguments):
        self.meanwhile()
        return super()._intend(*arguments)


def test_serializable_transactions_alone_would_admit_what_was_revoked_before(dsn):
    clock = Clock()
    with Unordered(dsn) as worker, Unordered(dsn) as authority:
        set_up(authority, clock)
        lease = worker.claim(INSTANCE.id, SCOPE, "w1", LEASE_SPAN, clock())
        worker.meanwhile = lambda: authority.set_fact(Fact.GRANT, SCOPE, 0, clock())
        assert isinstance(worker.admit(lease, clock()), DispatchPermit)
        assert worker.said(Fact.GRANT, SCOPE)[-1][0] == 0


def test_what_the_server_is_set_to_weakens_nothing(dsn):
    weak = "-c synchronous_commit=off -c default_transaction_isolation=serializable"
    with PostgresRecoveryStore(f"{dsn} options='{weak}'") as store, store._transaction():
        assert store._cell("SHOW synchronous_commit") == "on"
        assert store._cell("SHOW transaction_isolation") == "read committed"


def test_what_else_is_in_the_database_is_left_alone(dsn):
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("CREATE TABLE instances (theirs TEXT)")
        with PostgresRecoveryStore(dsn) as store:
            set_up(store, Clock())
        assert other.execute("SELECT count(*) FROM instances").fetchone() == (0,)
        other.execute("DROP TABLE instances")


def test_a_server_that_is_not_there_is_named(tmp_path):
    with pytest.raises(StoreError, match=r"start the server, or mend the connection string.*nobody-here"):
        PostgresRecoveryStore(f"host={tmp_path}/nobody-here")


@pytest.fixture
def guest(dsn):
    """The connection string of a user who has no rights yet."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        yield dsn.replace("user=postgres", "user=guest")
        connection.execute("DROP OWNED BY guest")
        connection.execute("DROP ROLE guest")


NO_RIGHTS = "let this user create the schema abhyasa_recovery_1, or grant it USAGE .* SELECT, INSERT and"


def test_a_user_who_may_not_make_the_tables_is_told_what_to_be_given(guest):
    with pytest.raises(StoreError, match=NO_RIGHTS):
        PostgresRecoveryStore(guest)


USAGE = "USAGE ON SCHEMA abhyasa_recovery_1"
TABLES = "ON ALL TABLES IN SCHEMA abhyasa_recovery_1"


@pytest.mark.parametrize(
    "short",
    [(), (USAGE,), (f"SELECT, INSERT, UPDATE {TABLES}",), (USAGE, f"SELECT, INSERT {TABLES}")],
)
def test_a_user_who_may_not_use_another_s_tables_is_told_when_the_store_is_opened(dsn, guest, short):
    with PostgresRecoveryStore(dsn) as owner:
        for right in short:
            owner._rows(f"GRANT {right} TO guest")
    with pytest.raises(StoreError, match=NO_RIGHTS):
        PostgresRecoveryStore(guest)


def test_a_user_who_was_given_what_the_advice_names_works_on_another_s_tables(dsn, guest):
    with PostgresRecoveryStore(dsn) as owner:
        for right in (USAGE, f"SELECT, INSERT, UPDATE {TABLES}"):
            owner._rows(f"GRANT {right} TO guest")
    clock = Clock()
    with PostgresRecoveryStore(guest) as store:
        set_up(store, clock)
        lease = store.claim(INSTANCE.id, SCOPE, "w1", LEASE_SPAN, clock())
        assert store.heartbeat(lease, LEASE_SPAN, clock())
        assert isinstance(store.admit(lease, clock()), DispatchPermit)


@pytest.fixture
def stores(dsn):
    """Two stores of one database."""
    with PostgresRecoveryStore(dsn) as one, PostgresRecoveryStore(dsn) as other:
        yield one, other


def test_a_turn_that_does_not_come_is_told(stores):
    holder, waiting = stores
    waiting._rows("SET lock_timeout TO '50ms'")
    with holder._transaction(), pytest.raises(StoreError, match="another worker holds the store"):
        waiting.set_fact(Fact.GRANT, SCOPE, 1, 1)
    waiting.set_fact(Fact.GRANT, SCOPE, 1, 1)


def test_a_worker_that_stands_still_within_a_transaction_is_disconnected_and_nobody_waits_in_vain(stores):
    still, waiting = stores

    def hung():
        with still._turn(1):
            still._add("reservations", INSTANCE.id, "held")
            waiting.set_fact(Fact.GRANT, SCOPE, 0, 1)
            still._add("reservations", "refund-18", "held")

    with pytest.raises(StoreError, match="open the store again"):
        hung()
    assert waiting._rows("SELECT * FROM reservations") == []


def test_a_machine_that_is_cut_off_is_noticed_unless_the_connection_string_says_otherwise(dsn):
    with PostgresRecoveryStore(f"{dsn} keepalives_idle=77") as store:
        asked = store._db.info.get_parameters()
    found = [asked[name] for name in ("keepalives_idle", "keepalives_interval", "tcp_user_timeout")]
    assert found == ["77", "5", "25000"]


def test_a_statement_that_is_cancelled_is_told_by_whom_to_look(stores):
    stores[0]._rows("SET statement_timeout TO '50ms'")
    with pytest.raises(StoreError, match="raise the statement_timeout"):
        stores[0]._rows("SELECT pg_sleep(60)")


def test_a_connection_that_breaks_leaves_nothing_half_done(stores):
    broken, other = stores

    def interrupted():
        with broken._turn(1):
            broken._add("reservations", INSTANCE.id, "held")
            other._rows("SELECT pg_terminate_backend(?, 5000)", broken._db.info.backend_pid)
            broken._add("reservations", "refund-18", "held")

    with pytest.raises(StoreError, match="open the store again"):
        interrupted()
    assert other._rows("SELECT * FROM reservations") == []


def test_what_is_wrong_with_a_statement_stays_what_postgresql_says(stores):
    with pytest.raises(psycopg.errors.UndefinedTable):
        stores[0].records("nothing", ("at",), INSTANCE.id)


def test_where_it_is_missing_ci_fails_and_others_are_told(monkeypatch):
    monkeypatch.setattr(postgres, "installed", lambda: None)
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="its tests did not run: install postgresql"):
        postgres.programs()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="its tests did not run: install postgresql"):
        postgres.programs()
