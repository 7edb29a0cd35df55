"""Why a subject's lines are no behaviour of the spec, told so that a person can act on it."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from specwalk.divergence import State, state_text
from specwalk.validate.flaws import Place
from specwalk.validate.history import History, Line, Position
from specwalk.validate.lines import text_at
from specwalk.validate.nearest import Edit, EditKind, nearest
from specwalk.validate.possible import Possible

__all__ = ["Rejection", "explain"]

STATES_TOLD = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A subject whose lines no behaviour explains, in no order that they may have had.

    Attributes:
        place, sight, text: the first line that cannot be explained, and what it shows.
        waits: whether that is since it receives a message that is sent only behind it, or never.
        explained, lines: how many lines could be explained, and how many there are.
        states: some states that the spec could have been in before that line.
        possible: how many there were.
        allowed: the steps that the spec would have allowed there.
        meant: the steps that the line may be in other states.
        nearest: what would have to be changed to make the logs legal, in a few ways that are equally near;
            none if that is too much.
    """

    subject: str
    place: Place
    sight: Hashable
    text: str
    waits: bool
    explained: int
    lines: int
    states: tuple[State, ...]
    possible: int
    allowed: tuple[str, ...]
    meant: tuple[str, ...]
    nearest: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.subject}: {self.place}: the spec does not allow {show_sight(self.sight)} here."
        yield f"  {self.text}"
        if self.waits:
            yield "  it receives a message that no line before it sends"
        yield f"  lines explained before it: {self.explained} of {self.lines}"
        few = f", the first {len(self.states)}" if self.possible > len(self.states) else ""
        yield f"  states that the spec could have been in: {self.possible:,}{few}:"
        yield from (f"    {state_text(state)}" for state in self.states)
        yield f"  it would have allowed: {', '.join(self.allowed) or 'nothing that is observed'}"
        yield f"  the line may be, in other states: {', '.join(self.meant) or 'nothing'}"
        yield f"  nearest legal reading: {'any one of' if self.nearest else 'none within a few changes'}"
        yield from (f"    {reading}" for reading in self.nearest)


def explain(
    subject: str, history: History, reached: Mapping[Position, int], possible: Possible, logs: Sequence[Path]
) -> Rejection:
    """Explain why no order of a subject's lines is a behaviour.

    Args:
        reached: how far the orders get, as `furthest` says.
        logs: the files, by the number of the log.
    """
    meaning = possible.meaning
    # Of several positions the one that agrees longest with the order of the times.
    position = max(reached, key=lambda place: history.left(place)[0].order())
    here = sorted(possible.states(reached[position]))
    free = sorted((line for line, _ in history.ready(position)), key=Line.order)
    line = (free or history.left(position))[0]
    sight, place = line.event.reading.sight, _place(line, logs)
    return Rejection(
        subject=subject,
        place=place,
        sight=sight,
        text=text_at(place),
        waits=not free or history.unsent(line),
        explained=sum(position),
        lines=sum(history.end),
        states=tuple(meaning.state(state) for state in here[:STATES_TOLD]),
        possible=len(here),
        allowed=tuple(dict.fromkeys(str(step) for state in here for step, _ in meaning.seen(state))),
        meant=tuple(map(str, meaning.steps(sight))),
        nearest=tuple(
            " and ".join(_edit_text(edit, logs) for edit in edits) for edits in nearest(history, meaning)
        ),
    )


def show_sight(sight: Hashable) -> str:
    """What is seen, in words: of a tuple the texts of its items."""
    return " ".join(map(str, sight)) if isinstance(sight, tuple) else str(sight)


def _place(line: Line, logs: Sequence[Path]) -> Place:
    return Place(file=logs[line.event.log], line=line.event.line)


def _edit_text(edit: Edit, logs: Sequence[Path]) -> str:
    if edit.line is None:
        return f"{edit.step} is missing at the end"
    place = _place(edit.line, logs)
    match edit.kind:
        case EditKind.MISSING:
            return f"{edit.step} is missing before {place}"
        case EditKind.SURPLUS:
            return f"{place} ({show_sight(edit.line.event.reading.sight)}) is one too many"
    return f"{place} ({show_sight(edit.line.event.reading.sight)}) should be {edit.step}"
