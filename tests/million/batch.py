"""One batch from its numbers to what it came to: the same each time, in whatever process."""

import traceback
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from tests.million.audit import audited
from tests.million.plan import draw
from tests.million.world import World
from tests.stateful.story import Broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What went wrong in a batch: the `rule` that was broken, or the error, and the whole story of it."""

    batch: int
    rule: str
    story: str


def run_batch(seed: int, batch: int, only: Collection[str] | None = None) -> Counter | Failure:
    """Let a batch happen and audit it, with no other parts than `only`. Return its counts, or what failed."""
    plan = draw(seed, batch)
    world = World(plan if only is None else plan.only(only))
    try:
        world.run()
        return audited(plan, world)
    except Broken as broken:
        return Failure(batch=batch, rule=str(broken).splitlines()[0], story=str(broken))
    except Exception as error:
        return Failure(batch=batch, rule=type(error).__name__, story=traceback.format_exc())
    finally:
        world.close()
