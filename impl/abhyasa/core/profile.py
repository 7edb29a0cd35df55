"""Declared profiles of kinds (section 5): the strict form of Terms.

An agent declares once, for each kind that it carries, how long it tries and how often. AB-2 asks
that the retries span the deadline, with the cap kept below it; both are checked here, exactly, for
the shortest waits that the jitter can draw. At equality the deadline still binds, since at that
moment the obligation is expired.
"""

from dataclasses import dataclass

from abhyasa.core.backoff import shortest_span
from abhyasa.core.terms import Terms
from abhyasa.core.values import require_text


@dataclass(frozen=True, slots=True, kw_only=True)
class KindProfile:
    """What an agent declares for one kind. Raises ValueError, saying what to raise or lower."""

    kind: str
    terms: Terms

    def __post_init__(self) -> None:
        require_text("kind", self.kind)
        window, cap, span = self.terms.window, self.terms.ceiling, shortest_span(self.terms)
        if cap >= window:
            raise ValueError(
                f"profile {self.kind!r}: the cap ({cap}) is not below the deadline ({window}); "
                "lower cap or lengthen window (AB-2)"
            )
        if span < window:
            raise ValueError(
                f"profile {self.kind!r}: {self.terms.max_retries} retries can be spent after "
                f"{span}, before the deadline ({window}); raise max_retries, initial or cap (AB-2)"
            )
