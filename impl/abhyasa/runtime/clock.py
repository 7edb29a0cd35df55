"""The clock of a running host: wall time in UTC that never falls behind what the process measured.

Rule 1: `now` is the later of the wall clock and of an anchor plus the monotonic time since then. A
        wall clock that is put back does not lengthen a window, and time never goes back.
Rule 2: a wall clock that is ahead is believed, and becomes the anchor: deadlines are wall times, and
        a machine that slept, or whose clock was put forward, escalates what has passed.
Rule 3: the memory of it is the process's. A clock that is put back while no host runs lengthens the
        windows that are then open.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from abhyasa.core.values import from_micros

_NANOSECONDS = 1000  # in a microsecond


class Clock(Protocol):
    """What a host asks for the time."""

    def now(self) -> datetime:
        """Return the time, in UTC."""


class SystemClock:
    """The machine's clock. `wall` and `monotonic` count nanoseconds, the first since 1970 (UTC)."""

    def __init__(
        self,
        wall: Callable[[], int] = time.time_ns,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._wall = wall
        self._monotonic = monotonic
        self._ahead = wall() - monotonic()  # of the monotonic clock

    def now(self) -> datetime:
        """Return the time, in UTC; never an earlier one than before."""
        measured = self._monotonic()
        self._ahead = max(self._ahead, self._wall() - measured)
        return from_micros((measured + self._ahead) // _NANOSECONDS)
