"""How long the custodian waits for an answer after each delivery (AB-2). Pure, and total in n.

Rule 1: the wait after the n-th delivery is b * 2^(n-1), at most the cap.
Rule 2: jitter draws from [d/2, d] by a hash of (seed, obligation, n): the same on every run and
        after every crash, and different for obligations that were accepted together.
Rule 3: the wait after the last permitted delivery is not jittered. A budget that just spans its
        deadline would otherwise be exhausted early in every run.
Rule 4: every wait ends by the deadline.
"""

import hashlib
from datetime import datetime, timedelta

from abhyasa.core.terms import Terms

_MICROSECOND = timedelta(microseconds=1)


def wait(terms: Terms, obligation_id: str, delivery: int) -> timedelta:
    """Return the wait after delivery number `delivery` (from 1)."""
    longest = _doubled(terms, delivery)
    if terms.jitter is None or delivery >= terms.deliveries:
        return longest * _MICROSECOND
    shortest = _lower_end(longest)
    drawn = _draw(f"{terms.jitter}/{delivery}/{obligation_id}", longest - shortest + 1)
    return (shortest + drawn) * _MICROSECOND


def wait_end(terms: Terms, obligation_id: str, delivery: int, now: datetime, deadline: datetime) -> datetime:
    """Return when the wait that begins `now` ends: never after `deadline`."""
    duration = wait(terms, obligation_id, delivery)
    return deadline if duration >= deadline - now else now + duration


def shortest_span(terms: Terms) -> timedelta:
    """Return the least time from the first delivery to an exhausted budget, over all draws."""
    ceiling = terms.ceiling // _MICROSECOND
    total, delivery = 0, 1
    # Below the ceiling the waits double, so this loop is short whatever the budget.
    while delivery < terms.deliveries and _doubled(terms, delivery) < ceiling:
        total += _least(terms, _doubled(terms, delivery))
        delivery += 1
    total += (terms.deliveries - delivery) * _least(terms, ceiling)
    return min(total + _doubled(terms, terms.deliveries), timedelta.max // _MICROSECOND) * (_MICROSECOND)


def _doubled(terms: Terms, delivery: int) -> int:
    """Return min(cap, b * 2^(n-1)) in microseconds, without ever computing a huge power."""
    initial = terms.initial // _MICROSECOND
    ceiling = terms.ceiling // _MICROSECOND
    enough = (ceiling // initial).bit_length()
    return min(ceiling, initial << min(delivery - 1, enough))


def _least(terms: Terms, longest: int) -> int:
    return longest if terms.jitter is None else _lower_end(longest)


def _lower_end(longest: int) -> int:
    return (longest + 1) // 2


def _draw(seed: str, width: int) -> int:
    """Return a whole number in [0, width), fixed by `seed`."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big") % width
