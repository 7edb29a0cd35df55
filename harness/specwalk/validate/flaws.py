"""What is wrong with logs as logs, whatever the spec says: each kind with what to do about it."""

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

__all__ = ["Flaw", "Flaws", "Kind", "Place"]

#: Of each kind so many are told in full.
TOLD = 5


class Kind(Enum):
    """What is wrong, and what to do."""

    NO_JSON = "no JSON object. Remove the line, or see what else writes to this file"
    UNREADABLE = "the model cannot read this line. Correct its read_event(), or whoever writes the line"
    GAP = "lines are missing before this one, so the verdict is not to be relied on. Find what lost them"
    NO_START = "a run that does not begin with its start. See whether two processes write to this file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line of a log, counted from 1."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """Something wrong in one place."""

    kind: Kind
    place: Place
    detail: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind.value} ({self.detail})."


class Flaws:
    """All that was found; the first few of each kind are kept, all are counted.

    ``torn`` are lines that a process was writing as it died. They are no flaws: a kill leaves such lines, and
    what they would have shown went unseen.
    """

    def __init__(self) -> None:
        self.told: list[Flaw] = []
        self.counts: Counter[Kind] = Counter()
        self.torn: list[Place] = []

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, kind: Kind, file: Path, line: int, detail: str) -> None:
        """Keep or only count a flaw."""
        self.counts[kind] += 1
        if self.counts[kind] <= TOLD:
            self.told.append(Flaw(kind=kind, place=Place(file=file, line=line), detail=detail))
