"""Follows all logs in the order of their times, every subject on the graph by itself.

Rule 1: a subject takes part in a log from the line that first names it there. Lines before it that concern
        every subject may have concerned this one too, or not: what a run did to it may all have gone unseen.
Rule 2: what this order explains is a behaviour. What it does not may be one in another order, which
        `orders` decides: time may be told wrongly, and a message may seem to arrive before it was sent.
Rule 3: kept for each subject are the number of a set of states, in which logs it takes part, and its
        messages; for each log the sights that concern every subject. Nothing else grows with the lines.
"""

from collections.abc import Callable, Hashable, Iterable
from heapq import merge

from specwalk.validate.lines import Event
from specwalk.validate.possible import NOWHERE, Possible

__all__ = ["Tracks"]

_TOLD_EVERY = 4096


class _Track:
    """Where one subject is."""

    __slots__ = ("early", "here", "logs", "sent")

    def __init__(self, here: int) -> None:
        self.here = here
        self.logs = 0  # a bit for each
        self.sent: tuple[Hashable, ...] = ()
        self.early: tuple[Hashable, ...] = ()  # received before any line that sends them


class Tracks:
    """Every subject's track. ``events`` counts the lines that were followed."""

    def __init__(self, possible: Possible, logs: int) -> None:
        self.events = 0
        self._possible = possible
        self._tracks: dict[str, _Track] = {}
        self._members: list[list[_Track]] = [[] for _ in range(logs)]
        self._common: list[list[Hashable]] = [[] for _ in range(logs)]

    def __len__(self) -> int:
        """How many subjects there are."""
        return len(self._tracks)

    def unexplained(self) -> list[str]:
        """The subjects whose lines are no behaviour in this order."""
        return [subject for subject, track in self._tracks.items() if track.here == NOWHERE]

    def follow(self, logs: Iterable[Iterable[Event]], told: Callable[[int], None]) -> None:
        """Take all lines of some logs; ``told`` hears how many more were taken, now and then."""
        tracks, after = self._tracks, self._possible.after
        for number, event in enumerate(merge(*logs), 1):
            _, log, _, (subject, sight, _, sends, receives, surely) = event
            if subject is None:
                self._everybody(log, sight)
            else:
                track = tracks.get(subject)
                if track is None:
                    track = tracks[subject] = _Track(self._possible.start)
                if not track.logs >> log & 1:
                    self._enter(track, log)
                if sends is not None or receives is not None:
                    _note_messages(track, sends, receives, surely)
                track.here = after(track.here, sight)
            if not number % _TOLD_EVERY:
                told(_TOLD_EVERY)
            self.events = number

    def _everybody(self, log: int, sight: Hashable) -> None:
        """A line that concerns every subject of its log."""
        self._common[log].append(sight)
        for track in self._members[log]:
            track.here = self._possible.after(track.here, sight)

    def _enter(self, track: _Track, log: int) -> None:
        track.logs |= 1 << log
        self._members[log].append(track)
        for sight in self._common[log]:
            track.here = self._possible.maybe_after(track.here, sight)


def _note_messages(track: _Track, sends: Hashable, receives: Hashable, surely: bool) -> None:
    """Keep a subject's messages; one that arrived before it was sent leaves no behaviour in this order."""
    if receives is not None and receives not in track.sent:
        if surely:
            track.here = NOWHERE
        elif receives not in track.early:
            track.early += (receives,)
    if sends is not None and sends not in track.sent:
        track.sent += (sends,)
        if sends in track.early:
            track.here = NOWHERE
