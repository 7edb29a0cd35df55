"""The lines of one subject, log by log, and which of them must wait for which.

Rule 1: the lines of a log keep their order.
Rule 2: a line that receives a message waits for the first line of any log that sends it, if there is one.
        If there is none, though one surely sent it, no behaviour has the line.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from specwalk.validate.lines import Event

__all__ = ["History", "Line", "Position", "histories"]

#: For each log, how many of its lines were taken.
Position: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a log, as it concerns a subject; ``optional`` if it may not concern it."""

    event: Event
    optional: bool = False

    def order(self) -> tuple[float, int, int]:
        """What sorts lines by their times."""
        return self.event[:3]


@dataclass(frozen=True, slots=True)
class History:
    """For each log the lines of a subject."""

    logs: tuple[Sequence[Line], ...]
    _sent: dict[Hashable, list[tuple[int, int]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for log, lines in enumerate(self.logs):
            for place, line in enumerate(lines):
                sends = line.event.reading.sends
                if sends is not None:
                    self._sent.setdefault(sends, []).append((log, place))

    @property
    def start(self) -> Position:
        return (0,) * len(self.logs)

    @property
    def end(self) -> Position:
        return tuple(map(len, self.logs))

    def next(self, position: Position) -> Iterable[tuple[Line, Position]]:
        """The lines that may come next, and the positions behind them."""
        return ((line, behind) for line, behind in self.ready(position) if not self.unsent(line))

    def unsent(self, line: Line) -> bool:
        """Whether a line receives what no line sends, though one surely did."""
        return line.event.reading.surely and line.event.reading.receives not in self._sent

    def ready(self, position: Position) -> Iterable[tuple[Line, Position]]:
        """The lines that wait for no other, those that no behaviour has among them."""
        for log, (lines, place) in enumerate(zip(self.logs, position, strict=True)):
            if place < len(lines) and not self._waits(lines[place], position):
                yield lines[place], (*position[:log], place + 1, *position[log + 1 :])

    def left(self, position: Position) -> list[Line]:
        """The first line of each log that was not taken, earliest first."""
        logs = zip(self.logs, position, strict=True)
        left = (lines[place] for lines, place in logs if place < len(lines))
        return sorted(left, key=Line.order)

    def _waits(self, line: Line, position: Position) -> bool:
        senders = self._sent.get(line.event.reading.receives)
        return senders is not None and all(position[log] <= place for log, place in senders)


def histories(subjects: Iterable[str], logs: Sequence[Iterable[Event]]) -> dict[str, History]:
    """The lines of some subjects, as rule 1 of `track` says which are theirs."""
    found: dict[str, list[list[Line]]] = {subject: [[] for _ in logs] for subject in subjects}
    for number, log in enumerate(logs):
        common: list[Line] = []
        inside: dict[str, list[Line]] = {}
        for event in log:
            reading = event.reading
            if reading.subject is None:
                common.append(Line(event=event, optional=True))
                for lines in inside.values():
                    lines.append(Line(event=event))
            elif reading.subject in found:
                lines = found[reading.subject][number]
                if reading.subject not in inside:
                    inside[reading.subject] = lines
                    lines += common
                lines.append(Line(event=event))
    return {subject: History(tuple(lines)) for subject, lines in found.items()}
