"""Recovery stores whose user says where it is: before and after each transaction, and within one.

A *place* is the name of what is about to be done, or was just done, and how often that has been by then.
"""

from contextlib import contextmanager

from abhyasa.recovery import RecoveryStore
from abhyasa.recovery.postgres import PostgresRecoveryStore

#: The transactions that are places by their names.
BY_NAME = ("set_fact", "claim", "admit", "may_reconcile", "observe", "settle", "report")


class Watched:
    """Makes a store say at which place its user is; it goes before the store in a class's bases."""

    #: Called with each place, by whoever watches.
    reach = staticmethod(str)

    @contextmanager
    def _transaction(self):
        with super()._transaction():
            yield
            self.reach("before a commit")

    def _rows(self, query, *parameters):
        if query.startswith(("INSERT", "UPDATE")):
            self.reach("before " + " ".join(query.split()[:3]))
        return super()._rows(query, *parameters)

    def _intend(self, *arguments):
        self.reach("judged")
        return super()._intend(*arguments)


def _watch(name):
    def transaction(self, *arguments):
        self.reach(f"before {name}")
        answer = getattr(super(Watched, self), name)(*arguments)
        self.reach(f"after {name}")
        return answer

    setattr(Watched, name, transaction)


for _name in BY_NAME:
    _watch(_name)


class WatchedFile(Watched, RecoveryStore):
    """A store on SQLite whose users are watched."""


class WatchedPostgres(Watched, PostgresRecoveryStore):
    """A store on PostgreSQL whose users are watched."""


class JudgesEarly:
    """A wrong turn: judges first, and then begins the transaction that commits what was judged."""

    def admit(self, lease, now, answer):
        self.judged = super()._refusal(self.instance(lease.instance_id), lease, now)
        self.reach("judged early")
        return super().admit(lease, now, answer)

    def _refusal(self, instance, lease, now):
        return self.judged


class EarlyFile(JudgesEarly, WatchedFile):
    """The wrong turn on SQLite."""


class EarlyPostgres(JudgesEarly, WatchedPostgres):
    """The wrong turn on PostgreSQL."""
