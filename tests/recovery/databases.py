"""The databases that a recovery store is on, each with the kinds of stores that tests want there."""

from functools import partial

import psycopg

from abhyasa.recovery import RecoveryStore
from abhyasa.recovery.postgres import PostgresRecoveryStore
from tests.recovery.stage import FailingPostgres, FailingStore
from tests.recovery.watched import EarlyFile, EarlyPostgres, WatchedFile, WatchedPostgres


class Database:
    """An empty database; `classes` are its stores by kind, and `where` is what they are opened with."""

    def __init__(self, where, classes):
        self._where, self._classes, self._opened = where, classes, []

    def opening(self, kind="plain"):
        """Return what opens a store, in any process."""
        return partial(self._classes[kind], self._where)

    def open(self, kind="plain"):
        """Open a store, which is closed with the database."""
        self._opened.append(self.opening(kind)())
        return self._opened[-1]

    def close(self):
        for store in self._opened:
            store.close()


_ON_SQLITE = {"plain": RecoveryStore, "failing": FailingStore, "watched": WatchedFile, "early": EarlyFile}
_ON_POSTGRES = {
    "plain": PostgresRecoveryStore,
    "failing": FailingPostgres,
    "watched": WatchedPostgres,
    "early": EarlyPostgres,
}


def on_sqlite(path):
    """Return a database that is a file."""
    return Database(path, _ON_SQLITE)


def on_postgres(dsn):
    """Return a database of a server, where nothing is left of an earlier test."""
    empty(dsn)
    return Database(dsn, _ON_POSTGRES)


def empty(dsn):
    """Drop what a store has made."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET client_min_messages TO warning")
        connection.execute("DROP SCHEMA IF EXISTS abhyasa_recovery_1 CASCADE")
