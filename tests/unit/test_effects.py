"""AB-3 for an application's own effect: one transaction with the ledger entry, and no way out of it."""

import sqlite3
from contextlib import suppress

import pytest

from abhyasa import AckStatus, Delivery, Receiver, StoreError
from tests.unit.rig import KINDS, TARGET, WEIGHT_KEY, Rig, at, update

DELIVERY = Delivery(obligation=update(), deadline=at(6), attempt=1)


def receiver_of(rig, effect):
    return Receiver(TARGET, rig.receiver_store, KINDS, rig.replies.append, rig.decide, effect)


class JobsEffect:
    """An application's own effect: it writes a table of its own, and may fail after writing."""

    def __init__(self, failures: int) -> None:
        self.failures = failures

    def __call__(self, connection, obligation):
        connection.execute("CREATE TABLE IF NOT EXISTS jobs (id TEXT)")
        connection.execute("INSERT INTO jobs VALUES (?)", (obligation.id,))
        if self.failures:
            self.failures -= 1
            raise RuntimeError("effect failed")


def test_an_effect_of_the_application_commits_with_the_ledger_or_not_at_all():
    rig, effect = Rig(), JobsEffect(failures=1)
    receiver = receiver_of(rig, effect)
    before = rig.receiver_store.rows()
    with pytest.raises(RuntimeError, match="effect failed"):
        receiver.receive(DELIVERY, at(0))
    assert rig.replies == []
    assert rig.receiver_store.rows() == before
    for moment in (1, 2):
        receiver.receive(DELIVERY, at(moment))
    assert [ack.acked_at for ack in rig.replies] == [at(1), at(1)]
    jobs = rig.receiver_store.connection.execute("SELECT id FROM jobs").fetchall()
    assert jobs == [("o",)]
    assert receiver.state(WEIGHT_KEY) is None


def insert(connection, obligation):
    connection.execute("INSERT INTO jobs VALUES (?)", (obligation.id,))


def script(connection, obligation):
    insert(connection, obligation)
    connection.executescript("SELECT 1")


def script_then_failure(connection, obligation):
    with suppress(sqlite3.DatabaseError):
        script(connection, obligation)
    raise RuntimeError("effect failed")


def own_transaction(connection, obligation):
    connection.execute("ROLLBACK")
    connection.execute("BEGIN")
    insert(connection, obligation)


def own_transaction_behind_a_handler(connection, obligation):
    for statement in ("ROLLBACK", "BEGIN"):
        with suppress(sqlite3.DatabaseError):
            connection.execute(statement)
    insert(connection, obligation)


def context_manager(connection, obligation):
    with connection:
        insert(connection, obligation)


def commit(connection, obligation):
    insert(connection, obligation)
    connection.commit()


def savepoint(connection, obligation):
    connection.execute("SAVEPOINT mine")
    insert(connection, obligation)


def rolling_conflict(connection, obligation):
    insert(connection, obligation)
    with suppress(sqlite3.IntegrityError):
        connection.execute("INSERT OR ROLLBACK INTO jobs VALUES (?)", (obligation.id,))


@pytest.mark.parametrize(
    "effect",
    [
        script,
        script_then_failure,
        own_transaction,
        own_transaction_behind_a_handler,
        context_manager,
        commit,
        savepoint,
        rolling_conflict,
    ],
)
def test_ab3_an_effect_cannot_part_its_transaction_from_the_ledger(effect):
    rig = Rig()
    connection = rig.receiver_store.connection
    connection.execute("CREATE TABLE jobs (id TEXT PRIMARY KEY)")
    before = rig.receiver_store.rows()
    meddler = receiver_of(rig, effect)
    with pytest.raises(StoreError, match="let the receiver commit"):
        meddler.receive(DELIVERY, at(0))
    assert rig.replies == []
    assert rig.receiver_store.rows() == before
    assert connection.execute("SELECT id FROM jobs").fetchall() == []
    receiver_of(rig, insert).receive(DELIVERY, at(1))
    assert rig.replies[-1].status is AckStatus.APPLIED
    assert connection.execute("SELECT id FROM jobs").fetchall() == [("o",)]
