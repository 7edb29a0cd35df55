"""A racer: a process that plays round after round on one store, as fast as it can.

Rule 1: it stops, or dies, at the places that its round names, and nowhere else.
Rule 2: its clock is Lamport's: it goes on from the last commit, and from what a message carries.
"""

import os
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from abhyasa.recovery import Application, Fact, LeaseLost, Scope, ledger
from abhyasa.store import StoreError
from tests.recovery.client import HttpProvider
from tests.recovery.clock import Clock
from tests.recovery.corpus import LEASE_SPAN


class StoreClock(Clock):
    """Goes on from the last commit of a store."""

    def __init__(self, store):
        super().__init__()
        self._store = store

    def __call__(self):
        self.reach(self._store.time())
        return super().__call__()


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What a racer does with an instance, where it stops until it is told to go on, and where it dies."""

    job: Callable
    instance_id: str
    scope: Scope
    address: tuple[str, int]
    stops: frozenset[str] = frozenset()
    dies: str | None = None


def run(store, given, name):
    """Run the application to its end."""
    clock = StoreClock(store)
    application = Application(
        store=store,
        provider=HttpProvider(given.address, clock),
        policy=ledger,
        clock=clock,
        lease_span=LEASE_SPAN,
    )
    return application.run(given.instance_id, given.scope, name).outcome


def revoke(store, given, _name):
    """Revoke the grant."""
    store.set_fact(Fact.GRANT, given.scope, 0, StoreClock(store)())
    return "revoked"


def revoke_for_a_while(store, given, name):
    """Revoke the grant, and give it again."""
    revoke(store, given, name)
    store.set_fact(Fact.GRANT, given.scope, 1, StoreClock(store)())
    return "granted"


class Places:
    """Numbers the places of a round, and stops or dies there."""

    def __init__(self, pipe, given):
        self._pipe, self._given, self._seen = pipe, given, Counter()

    def reach(self, place):
        self._seen[place] += 1
        numbered = f"{place} {self._seen[place]}"
        if numbered == self._given.dies:
            os.kill(os.getpid(), signal.SIGKILL)
        if numbered in self._given.stops:
            self._pipe.send(numbered)
            self._pipe.recv()


def work(pipe, opening, name):
    """Play round after round."""
    with opening() as store:
        while True:
            given = pipe.recv()
            store.reach = Places(pipe, given).reach
            try:
                pipe.send(str(given.job(store, given, name)))
            except (LeaseLost, StoreError) as error:
                pipe.send(type(error).__name__)
