"""Searches every order that the lines of a subject may have had.

Two orders that have taken the same lines are in one position; the states that a spec can be in there are
those of all orders together. So the work is that of positions, not of orders.
"""

from dataclasses import dataclass

from specwalk.validate.history import History
from specwalk.validate.possible import NOWHERE, Possible

__all__ = ["Furthest", "furthest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Furthest:
    """The positions with the most lines that some behaviour explains, each with its set of states."""

    positions: dict[tuple[int, ...], int]

    def explains(self, history: History) -> bool:
        """Whether that is all lines."""
        return history.end in self.positions


def furthest(history: History, possible: Possible) -> Furthest:
    """How far any order gets."""
    layer = {history.start: possible.start}
    while found := _next_layer(layer, history, possible):
        layer = found
    return Furthest(positions=layer)


def _next_layer(
    layer: dict[tuple[int, ...], int], history: History, possible: Possible
) -> dict[tuple[int, ...], int]:
    """The positions with one line more that can be reached."""
    found: dict[tuple[int, ...], int] = {}
    for position, here in layer.items():
        for line, behind in history.next(position):
            step = possible.maybe_after if line.optional else possible.after
            there = step(here, line.event.reading.sight)
            if there != NOWHERE:
                found[behind] = possible.either(found.get(behind, NOWHERE), there)
    return found
