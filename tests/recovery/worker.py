"""A worker as a process: its host runs the application, which stands still where it is told to.

While it stands at a boundary it waits for its next order and has nothing open, so that is where it is
killed. It knows the store's path and the provider's address, and nothing of the script.
"""

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from abhyasa.recovery import POLICIES, Application, Boundary, LeaseLost, Report, Scope
from abhyasa.store import StoreError
from tests.recovery import hosts
from tests.recovery.client import HttpProvider
from tests.recovery.clock import Clock
from tests.recovery.corpus import LEASE_SPAN
from tests.recovery.stage import FailingStore

STORE = "recovery.db"
#: Where a worker stands that its host has given the work to, and that has done nothing yet.
BEGINS = "begins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a worker is started with: its host and the host's server, a folder for what is durable."""

    host: str
    server: str | None
    folder: Path
    address: tuple[str, int]
    policy: str
    scope: Scope
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Go on, at a time, up to a boundary or to the end."""

    to: Boundary | None
    settle_fails: bool
    now: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted(Application):
    """An application that waits for orders: before it begins, and at the boundary that each names."""

    orders: Connection

    def run(self, instance_id: str, scope: Scope, worker: str) -> Report:
        to = self._wait_at(BEGINS)
        steps = self.steps(instance_id, scope, worker)
        while True:
            try:
                boundary = next(steps)
            except StopIteration as end:
                return end.value
            if boundary == to:
                to = self._wait_at(boundary)

    def _wait_at(self, boundary):
        self.orders.send((boundary, self.clock.now))
        order = self.orders.recv()
        self.clock.reach(order.now)
        self.store.settle_fails = order.settle_fails
        return order.to


def work(orders, post):
    """Have the host run the application; say where it waits for orders and, with None, that it has ended."""
    clock = Clock()

    @contextmanager
    def opening():
        with FailingStore(post.folder / STORE) as store:
            yield Scripted(
                store=store,
                provider=HttpProvider(post.address, clock),
                policy=POLICIES[post.policy],
                clock=clock,
                lease_span=LEASE_SPAN,
                orders=orders,
            )

    with suppress(LeaseLost, StoreError):
        hosts.named(post.host).work(opening, post)
    orders.send((None, clock.now))
