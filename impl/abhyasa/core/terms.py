"""The bounds of a transfer: what one obligation is held to, and what a kind declares.

Rule 1: Terms are lenient. Any budget and any cap of at least the first wait are a transfer that
        ends, in the deadline or in the exhausted budget (AB-4); small ones make small models.
Rule 2: a KindProfile is strict. It is a promise to deployments, so its retries must span its
        deadline (AB-2): the deadline normally binds, and exhaustion means a mistake in the sizes.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from abhyasa.core.values import require_count


class OnDecline(StrEnum):
    """What a declined obligation does on the principal's side."""

    PROTECT = "protect"
    SURFACE = "surface"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The bounds of one transfer.

    `window` runs from acceptance to the deadline. `max_retries` = R permits R + 1 deliveries.
    `initial` is the wait after the first; waits double up to `cap` (None: an eighth of the window,
    never below `initial`). `jitter` is the seed of the jitter, None for none.
    Raises ValueError, naming the field to change.
    """

    window: timedelta
    max_retries: int
    initial: timedelta
    cap: timedelta | None = None
    jitter: int | None = 0
    on_decline: OnDecline = OnDecline.PROTECT

    def __post_init__(self) -> None:
        require_count("max_retries", self.max_retries, least=0)
        for name in ("window", "initial"):
            if getattr(self, name) <= timedelta(0):
                raise ValueError(f"{name} is longer than zero, not {getattr(self, name)}")
        if self.cap is not None and self.cap < self.initial:
            raise ValueError(f"cap ({self.cap}) is at least initial ({self.initial}): raise it")
        if self.jitter is not None and type(self.jitter) is not int:
            raise ValueError(f"jitter is a seed (an int), or None for no jitter: {self.jitter!r}")
        object.__setattr__(self, "on_decline", OnDecline(self.on_decline))

    @property
    def ceiling(self) -> timedelta:
        """The longest wait."""
        return max(self.initial, self.window / 8) if self.cap is None else self.cap

    @property
    def deliveries(self) -> int:
        """How many deliveries are permitted: R retries follow the first."""
        return self.max_retries + 1
