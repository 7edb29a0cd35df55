"""A worker as a process: it takes the application's steps, and stands still where it is told to.

While it stands at a boundary it waits for its next order and has nothing open, so that is where it is
killed. It knows the store's path and the provider's address, and nothing of the script.
"""

from dataclasses import dataclass
from pathlib import Path

from abhyasa.recovery import POLICIES, Application, Boundary, Scope
from tests.recovery.client import HttpProvider
from tests.recovery.clock import Clock
from tests.recovery.corpus import INSTANCE, LEASE_SPAN
from tests.recovery.stage import FailingStore, advance


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a worker is started with."""

    store: Path
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


def work(orders, post):
    """Obey orders until the end of the run. Each is answered by where the worker stands, and when."""
    clock = Clock()
    with FailingStore(post.store) as store:
        steps = Application(
            store=store,
            provider=HttpProvider(post.address, clock),
            policy=POLICIES[post.policy],
            clock=clock,
            lease_span=LEASE_SPAN,
        ).steps(INSTANCE.id, post.scope, post.name)
        boundary = Boundary.PRE_ADMIT
        while boundary is not None:
            order = orders.recv()
            clock.reach(order.now)
            store.settle_fails = order.settle_fails
            boundary = advance(steps, order.to)
            orders.send((boundary, clock.now))
