"""A schedule played by real processes on a host: workers that are killed, and a provider of its own.

The script drives: whoever is not asked stands still, so the time that goes with each message orders
all that happens.
"""

import signal
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from abhyasa.recovery import Boundary, RecoveryStore
from tests.forks import forks, load
from tests.recovery import hosts, service, worker
from tests.recovery.clock import Clock
from tests.recovery.stage import history_of, set_up

# Seconds: what takes longer hangs; and between two looks.
_PATIENCE, _POLL = 60, 0.005
# Histories are played by threads; of two that read how one process has ended, one would read nothing.
_turn = threading.Lock()

load(__name__, *map(hosts.module, hosts.HOSTS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A process, and the pipe that orders it about."""

    process: BaseProcess
    pipe: Connection

    def hear(self) -> Any:
        """Return what the process says next."""
        assert self.pipe.poll(_PATIENCE), f"{self.process.name} says nothing"
        try:
            return self.pipe.recv()
        except EOFError as end:
            raise AssertionError(f"{self.process.name} died: it printed why") from end

    def end(self, code=0):
        """Close the pipe, and wait until the process has ended, with an exit code."""
        self.pipe.close()
        wait([self.process.sentinel], _PATIENCE)
        with _turn:
            assert self.process.exitcode == code, f"{self.process.name} ended with {self.process.exitcode}"


def start(target, name, *arguments):
    """Start a process whose first argument is its end of a pipe."""
    ours, theirs = forks.Pipe()
    process = forks.Process(target=_apart, args=(target, theirs, *arguments), name=name, daemon=True)
    with _turn:
        process.start()
    theirs.close()
    return Child(process=process, pipe=ours)


def _apart(target, *arguments):
    """Leave Ctrl-C to the process that plays the study: it ends the others in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    target(*arguments)


def _records(pipe, host, folder, server):
    pipe.send(hosts.named(host).record(folder, server))


class Processes:
    """The processes of one history, which have a folder for what the application and its host keep.

    `spent` says where the time went, in seconds.
    """

    def __init__(self, policy, contract, first, folder, host="process", server=None):
        self.clock, self.spent = Clock(), Counter()
        self._policy, self._contract, self._folder = policy, contract, folder
        self._host, self._server = host, server
        with self._timed("provider"):
            self.provider = start(service.serve, "provider", contract, first)
            self._address = self.provider.hear()
        self.workers = {}
        self.change(set_up)

    def run(self, order):
        child = self.workers.get(order.worker) or self._hire(order)
        with self._timed("application"):
            taken = self.tell("requests")
            child.pipe.send(worker.Order(to=order.to, settle_fails=order.settle_fails, now=self.clock.now))
            self._expect(child, order.to)
            if order.to is Boundary.SENT:
                self._await_more_than(taken)
        if order.to is None:
            self._part(order.worker)

    def kill(self, name):
        self.workers[name].process.kill()
        self._part(name, -signal.SIGKILL)

    def change(self, write):
        with self._store() as store:
            write(store, self.clock)

    def tell(self, command):
        """Have the provider's control do something, and return what comes of it."""
        self.provider.pipe.send((command, self.clock.now))
        result, now = self.provider.hear()
        self.clock.reach(now)
        return result

    def finish(self):
        """Reach the final boundary, end the provider, and return the history."""
        with self._timed("provider"):
            ledger = self.tell("finish")
            self.provider.end()
        with self._store() as store:
            return history_of(self._contract, store, ledger)

    def record(self):
        """Return what the host has kept."""
        with self._timed("host's record"):
            reader = start(_records, "reader", self._host, self._folder, self._server)
            kept = reader.hear()
            reader.end()
        return kept

    def _store(self):
        return RecoveryStore(self._folder / worker.STORE)

    def _await_more_than(self, taken):
        """Wait until the provider has taken what has left the worker."""
        began = time.monotonic()
        while self.tell("requests") == taken:
            assert time.monotonic() - began < _PATIENCE, "the request never arrived"
            time.sleep(_POLL)

    def _hire(self, order):
        post = worker.Post(
            host=self._host,
            server=self._server,
            folder=self._folder,
            address=self._address,
            policy=self._policy,
            scope=order.scope,
            name=order.worker,
        )
        with self._timed("until a worker has the work"):
            child = self.workers[order.worker] = start(worker.work, order.worker, post)
            self._expect(child, worker.BEGINS)
        return child

    def _part(self, name, *code):
        with self._timed("ends of workers"):
            self.workers.pop(name).end(*code)

    def _expect(self, child, place):
        reached, now = child.hear()
        self.clock.reach(now)
        assert reached == place, f"{child.process.name} came to {reached}, not to {place}"

    @contextmanager
    def _timed(self, what):
        began = time.monotonic()
        yield
        self.spent[what] += time.monotonic() - began
