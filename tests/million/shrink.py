"""The smallest part of a failing batch that still breaks the same rule."""

from collections.abc import Callable, Sequence


def smallest(parts: Sequence[str], fails: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return parts that still fail, and of which none can be left out alone.

    Halves are left out first, then quarters, and so on to single parts, for as long as that helps.
    """
    kept, size = list(parts), len(parts)
    while size > 0:
        fewer = _without_pieces(kept, size, fails)
        # A part that was needed may be so no more: single ones are tried again until none can go.
        size = 1 if size == 1 and len(fewer) < len(kept) else size // 2
        kept = fewer
    return kept


def _without_pieces(kept: list[str], size: int, fails: Callable[[Sequence[str]], bool]) -> list[str]:
    start = 0
    while start < len(kept):
        rest = kept[:start] + kept[start + size :]
        if fails(rest):
            kept = rest
        else:
            start += size
    return kept
