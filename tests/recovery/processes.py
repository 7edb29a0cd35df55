"""A schedule played by real processes: workers that are killed with SIGKILL, and a provider of its own.

Processes are forked from a server that has everything imported. The script drives: whoever is not asked
stands still, so the time that goes with each message orders all that happens.
"""

import multiprocessing
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from abhyasa.recovery import Boundary, RecoveryStore
from tests.recovery import service, worker
from tests.recovery.clock import Clock
from tests.recovery.stage import history_of, set_up

# Seconds: what takes longer hangs; and between two looks.
_PATIENCE, _POLL = 60, 0.005

server = multiprocessing.get_context("forkserver")
server.set_forkserver_preload([__name__])


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A process, and the pipe that orders it about."""

    process: BaseProcess
    pipe: Connection

    def hear(self) -> Any:
        """Return what the process says next."""
        assert self.pipe.poll(_PATIENCE), f"{self.process.name} says nothing"
        return self.pipe.recv()


def start(target, name, *arguments):
    """Start a process whose first argument is its end of a pipe."""
    ours, theirs = server.Pipe()
    process = server.Process(target=target, args=(theirs, *arguments), name=name, daemon=True)
    process.start()
    theirs.close()
    return Child(process=process, pipe=ours)


class Processes:
    """The processes of one history, which have a folder for the application's store."""

    def __init__(self, policy, contract, first, folder):
        self.clock, self._policy, self._contract = Clock(), policy, contract
        self._path = folder / "recovery.db"
        self.provider = start(service.serve, "provider", contract, first)
        self._address = self.provider.hear()
        self.workers = {}
        self.change(set_up)

    def run(self, order):
        child = self.workers.get(order.worker) or self._hire(order)
        taken = self.tell("requests")
        child.pipe.send(worker.Order(to=order.to, settle_fails=order.settle_fails, now=self.clock.now))
        reached, now = child.hear()
        self.clock.reach(now)
        assert reached == order.to, f"{order.worker} never came to {order.to}"
        if reached is None:
            self._end(self.workers.pop(order.worker), 0)
        if reached is Boundary.SENT:
            self._await_more_than(taken)

    def kill(self, name):
        child = self.workers.pop(name)
        child.process.kill()
        self._end(child, -signal.SIGKILL)

    def change(self, write):
        with RecoveryStore(self._path) as store:
            write(store, self.clock)

    def tell(self, command):
        """Have the provider's control do something, and return what comes of it."""
        self.provider.pipe.send((command, self.clock.now))
        result, now = self.provider.hear()
        self.clock.reach(now)
        return result

    def finish(self):
        """Reach the final boundary, end the provider, and return the history."""
        ledger = self.tell("finish")
        self.provider.pipe.close()
        self.provider.process.join(_PATIENCE)
        with RecoveryStore(self._path) as store:
            return history_of(self._contract, store, ledger)

    def _await_more_than(self, taken):
        """Wait until the provider has taken what has left the worker."""
        began = time.monotonic()
        while self.tell("requests") == taken:
            assert time.monotonic() - began < _PATIENCE, "the request never arrived"
            time.sleep(_POLL)

    def _hire(self, order):
        post = worker.Post(
            store=self._path,
            address=self._address,
            policy=self._policy,
            scope=order.scope,
            name=order.worker,
        )
        self.workers[order.worker] = start(worker.work, order.worker, post)
        return self.workers[order.worker]

    def _end(self, child, code):
        child.process.join(_PATIENCE)
        assert child.process.exitcode == code, f"{child.process.name} ended with {child.process.exitcode}"
        child.pipe.close()
