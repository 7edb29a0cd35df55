"""What became durable, and when: a table in each store that SQLite itself fills, row by row.

Triggers write it inside the transactions of the protocol, so a row is there exactly when its cause is, and
the moments are the simulated clock's, not the endpoint's. The triggers are temporary: each start of a process
makes them anew, and the store's own schema stays as it is.
"""

from datetime import datetime
from functools import partial
from typing import NamedTuple

from abhyasa.core.values import from_micros, to_micros

_TABLE = """
CREATE TABLE IF NOT EXISTS journal (
    n INTEGER PRIMARY KEY, begins, entry, key, value, deliveries, deferred, reason, moment
)
"""
_TRIGGER = """
CREATE TEMP TRIGGER {table}_{event} AFTER {event} {columns} ON {table} BEGIN
    INSERT INTO journal VALUES (NULL, '{event}' = 'INSERT', '{table}', {cells}, moment());
END
"""
_CUSTODY = "new.id, new.status, new.deliveries, new.deferred, new.reason"
_LEDGER = "new.id, new.status, NULL, NULL, new.reason"
_STATE = "new.key, new.value, NULL, NULL, NULL"


class Entry(NamedTuple):
    """One row that was written: of `custody`, of the `ledger`, or of the `state` of either side.

    It `begins` if the row is a new one.
    """

    begins: int
    entry: str
    key: str
    value: str
    deliveries: int | None
    deferred: int | None
    reason: str | None
    moment: datetime


def keep_journal(connection, clock):
    """Let a custodian's or a receiver's store keep its journal, from now to the end of the connection."""
    connection.create_function("moment", 0, lambda: to_micros(clock.now()))
    connection.execute(_TABLE)
    trigger = partial(_TRIGGER.format, columns="")
    for event in ("INSERT", "UPDATE"):
        connection.execute(trigger(table="state", event=event, cells=_STATE))
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger'").fetchone():
        for event in ("INSERT", "UPDATE"):
            connection.execute(trigger(table="ledger", event=event, cells=_LEDGER))
    else:
        # A withdrawal writes another column, of rows whose custody goes on as it was.
        moved = "OF status, deliveries, deferred"
        connection.execute(trigger(table="custody", event="INSERT", cells=_CUSTODY))
        connection.execute(trigger(table="custody", event="UPDATE", columns=moved, cells=_CUSTODY))


def read_journal(process):
    """Return the journal of a process, oldest first."""
    query = "SELECT begins, entry, key, value, deliveries, deferred, reason, moment FROM journal ORDER BY n"
    return [Entry(*cells, from_micros(moment)) for *cells, moment in process.rows(query)]
