"""Validates logs: follows them once, and reads again what the order of the times does not explain.

Rule 1: a subject is rejected exactly when no behaviour of the spec explains its lines in any order that they
        may have had. What its model says of sights and of unobserved steps is taken as said.
Rule 2: the logs are files, not streams: the lines of a subject are kept only if it needs a second look.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG

from specwalk.errors import BadInput, ExitCode
from specwalk.model import Model
from specwalk.progress import Progress
from specwalk.validate.flaws import Flaws
from specwalk.validate.history import histories
from specwalk.validate.lines import Event, read_log
from specwalk.validate.orders import furthest
from specwalk.validate.possible import Possible
from specwalk.validate.rejection import Rejection, explain
from specwalk.validate.track import Tracks

__all__ = ["Validation", "validate"]

#: So many rejected subjects are explained.
TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What the logs came to.

    Attributes:
        events: lines that were read and followed.
        subjects: whom they concern.
        reordered: the subjects that are explained, but not in the order of the times.
        rejected: the subjects that are not explained.
        rejections: the first of those, explained.
        flaws: what is wrong with the logs as logs.
    """

    events: int
    subjects: int
    reordered: tuple[str, ...]
    rejected: tuple[str, ...]
    rejections: tuple[Rejection, ...]
    flaws: Flaws

    @property
    def exit_code(self) -> ExitCode:
        """How the command ends."""
        if self.rejected:
            return ExitCode.DIVERGENCE
        return ExitCode.BAD_INPUT if self.flaws or not self.subjects else ExitCode.OK


def validate(possible: Possible, logs: Sequence[Path], progress: Progress) -> Validation:
    """Say whether the logs of a run are a behaviour of the spec.

    Args:
        possible: the instances, of which each subject may be any; the first one's model reads the lines.
        logs: a file for each process.

    Raises:
        BadInput: the model cannot say what lines mean, or a log is no regular file.
        OSError: a log cannot be read.
    """
    model, flaws = possible.meaning.machines[0].model, Flaws()
    if not model.reads_logs():
        model.read_event({}, {})  # says what to write
    for log in logs:
        if not S_ISREG(log.stat().st_mode):
            raise BadInput(f"{log} is no regular file, and logs are read twice. Save it to a file first.")
    progress.phase("Follow the logs", total=sum(map(_lines, logs)))
    tracks = Tracks(possible, len(logs))
    tracks.follow(_read(logs, model, flaws), progress.stepped)
    suspects = tracks.unexplained()
    progress.phase("Search other orders", total=len(suspects))
    left = histories(suspects, _read(logs, model, Flaws())) if suspects else {}
    reordered = []
    rejected: dict[str, Rejection | None] = {}
    for subject, history in left.items():
        reached = furthest(history, possible)
        if history.end in reached:
            reordered.append(subject)
        elif len(rejected) < TOLD:
            rejected[subject] = explain(subject, history, reached, possible, logs)
        else:
            rejected[subject] = None
        progress.stepped(1)
    return Validation(
        events=tracks.events,
        subjects=len(tracks),
        reordered=tuple(reordered),
        rejected=tuple(rejected),
        rejections=tuple(filter(None, rejected.values())),
        flaws=flaws,
    )


def _read(logs: Sequence[Path], model: Model, flaws: Flaws) -> list[Iterator[Event]]:
    return [read_log(number, log, model, flaws) for number, log in enumerate(logs)]


def _lines(log: Path) -> int:
    with log.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
