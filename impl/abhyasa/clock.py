"""A simulated clock: time that passes only when it is told to, so that long runs are instant."""

from datetime import datetime

from abhyasa.core.values import utc


class SimulatedClock:
    """A clock that stands at `start` until `jump` moves it."""

    def __init__(self, start: datetime) -> None:
        self._now = utc(start)

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return self._now

    def jump(self, moment: datetime) -> None:
        """Move the clock to `moment`. Raises ValueError for a moment that has passed."""
        if utc(moment) < self._now:
            raise ValueError(f"{moment} is before {self._now}: simulated time only goes forward")
        self._now = utc(moment)
