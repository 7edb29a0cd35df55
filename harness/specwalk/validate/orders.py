"""Searches every order that the lines of a subject may have had.

Two orders that have taken the same lines are in one position; the states that a spec can be in there are
those of all orders together. So the work is that of positions, of which there are the product of the logs'
lengths, not that of orders.
"""

from collections.abc import Mapping

from specwalk.validate.history import History, Position
from specwalk.validate.possible import NOWHERE, Possible

__all__ = ["furthest"]


def furthest(history: History, possible: Possible) -> Mapping[Position, int]:
    """The positions with the most lines that some behaviour explains, each with its set of states.

    Where the history's end is among them, it explains them all.
    """
    layer = {history.start: possible.start}
    while found := _next_layer(layer, history, possible):
        layer = found
    return layer


def _next_layer(layer: Mapping[Position, int], history: History, possible: Possible) -> dict[Position, int]:
    """The positions with one line more that can be reached."""
    found: dict[Position, int] = {}
    for position, here in layer.items():
        for line, behind in history.next(position):
            step = possible.maybe_after if line.optional else possible.after
            there = step(here, line.event.reading.sight)
            if there != NOWHERE:
                found[behind] = possible.either(found.get(behind, NOWHERE), there)
    return found
