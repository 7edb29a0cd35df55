"""An in-process channel that behaves badly on purpose: the fault model of section 4.2.

Rule 1: a message may be lost, duplicated, delayed or reordered; it is never changed.
Rule 2: what happens is drawn from the seed, message by message: the same seed and the same calls
        give the same faults. Time is the caller's.
"""

import heapq
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Generic, TypeVar

_Message = TypeVar("_Message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """The probabilities, per message, of each fault.

    A delayed copy arrives up to `longest` later; a reordered one overtakes what arrives with it.
    """

    lose: float = 0.0
    duplicate: float = 0.0
    delay: float = 0.0
    reorder: float = 0.0
    longest: timedelta = timedelta(0)

    def __post_init__(self) -> None:
        for name in ("lose", "duplicate", "delay", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a probability, not {getattr(self, name)!r}")
        if self.longest < timedelta(0):
            raise ValueError(f"longest is no negative time: {self.longest}")


#: A channel that is dead, and one that is perfect.
DEAD = Faults(lose=1.0)
PERFECT = Faults()


class Channel(Generic[_Message]):
    """One direction of a channel. Messages wait in it until `take` at or after their arrival."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._order = count()
        self._flying: list[tuple[datetime, float, int, _Message]] = []

    def put(self, message: _Message, now: datetime, faults: Faults) -> None:
        """Send a message, under `faults`."""
        if self._happens(faults.lose):
            return
        for _ in range(2 if self._happens(faults.duplicate) else 1):
            self._fly(message, now, faults)

    def take(self, now: datetime) -> _Message | None:
        """Return the next message that has arrived by `now`, None when there is none."""
        if not self._flying or self._flying[0][0] > now:
            return None
        return heapq.heappop(self._flying)[-1]

    def next_arrival(self) -> datetime | None:
        """Return when the next message arrives, None when nothing is under way."""
        return self._flying[0][0] if self._flying else None

    def _fly(self, message: _Message, now: datetime, faults: Faults) -> None:
        late = self._random.random() if self._happens(faults.delay) else 0.0
        rank = -self._random.random() if self._happens(faults.reorder) else 0.0
        arrival = now + late * faults.longest
        heapq.heappush(self._flying, (arrival, rank, next(self._order), message))

    def _happens(self, probability: float) -> bool:
        return self._random.random() < probability
