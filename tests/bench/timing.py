"""Times of commands and of parts of the work, and their ratios.

Rule 1: what is compared is taken in turns, so that a busy minute falls on both sides, and judged by medians.
Rule 2: processor time is that of a command with everything it started, and of this process with all its
        children. It tells work; elapsed time tells how long one waits, which is what limits are for.
"""

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryFile
from typing import Self, TypeVar

from specwalk.errors import EnvironmentProblem

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds: elapsed ones, and those of all processors together."""

    elapsed: float
    processor: float

    @classmethod
    def middle(cls, timings: Sequence[Self]) -> Self:
        """The medians of several timings of one thing."""
        return cls(
            elapsed=median(timing.elapsed for timing in timings),
            processor=median(timing.processor for timing in timings),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How much longer a command of ours takes than one of TLC's.

    Attributes:
        limit, aim: for the ratio of elapsed times: what is required, and what is strived for.
    """

    name: str
    ours: Timing
    theirs: Timing
    limit: float
    aim: float | None = None

    @property
    def elapsed(self) -> float:
        return self.ours.elapsed / self.theirs.elapsed

    @property
    def processor(self) -> float:
        return self.ours.processor / self.theirs.processor

    @property
    def met(self) -> bool:
        return self.elapsed <= self.limit


def time_command(command: Sequence[str | Path], folder: Path) -> Timing:
    """Run a command to its end in a folder.

    Raises:
        EnvironmentProblem: it failed; the message has its output.
    """
    with TemporaryFile("w+") as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            raise EnvironmentProblem(f"{' '.join(map(str, command))} failed:\n{output.read()}")
    return Timing(elapsed=elapsed, processor=used.ru_utime + used.ru_stime)


def timed(work: Callable[[], _Result]) -> tuple[_Result, Timing]:
    """Do a part of the work in this process."""
    began, used = time.perf_counter(), _processor_seconds()
    result = work()
    return result, Timing(elapsed=time.perf_counter() - began, processor=_processor_seconds() - used)


def busy() -> float:
    """The load of this machine for each of its processors."""
    return os.getloadavg()[0] / (os.cpu_count() or 1)


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
