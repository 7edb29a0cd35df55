"""Plant the faults of a suite one by one, and see which of its checks catch each.

Rule 1: a check is an ordinary one of the project. It runs in a copy, in processes of its own.
Rule 2: before any fault is planted the checks run on an unchanged copy, where none may catch anything.
Rule 3: all copies are of one original, so that work in the project meanwhile disturbs no run.
Rule 4: the checks run one after another until two kinds, and all that its head names, have caught a
        fault. So what the table shows as caught by one kind alone was put to every check.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from tests.teeth.fault import Fault, read_faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """An ordinary check. `run` looks at a copy of the project and returns where it caught something,
    by kind of check; `kinds` are all that it can return."""

    kinds: tuple[str, ...]
    run: Callable[[Path], Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What caught a fault: where, by kind of check; and the kinds that were not asked any more."""

    fault: Fault
    caught: Mapping[str, str]
    unasked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A folder of faults, the checks that must catch them, and the kinds that must prove themselves:
    for each of these some fault is caught by it alone."""

    name: str
    folder: Path
    checks: Sequence[Check]
    alone: tuple[str, ...]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of checks, in the order of the table's columns."""
        return tuple(kind for check in self.checks for kind in check.kinds)

    def faults(self) -> list[Fault]:
        """Read the faults."""
        return read_faults(self.folder, self.kinds)

    def complaints(self, original: Path) -> Mapping[str, str]:
        """Return what the checks catch in an unchanged copy, where nothing is to be caught."""
        with _copy(original) as copy:
            return {kind: where for check in self.checks for kind, where in check.run(copy).items()}

    def catch(self, fault: Fault, original: Path) -> Outcome:
        """Plant a fault and run the checks until enough of them have caught it."""
        caught: dict[str, str] = {}
        waiting = list(self.checks)
        with _copy(original) as copy:
            fault.plant(copy)
            while waiting and not (len(caught) > 1 and caught.keys() >= set(fault.caught_by)):
                caught.update(waiting.pop(0).run(copy))
        unasked = tuple(kind for check in waiting for kind in check.kinds)
        return Outcome(fault=fault, caught=caught, unasked=unasked)


@contextmanager
def _copy(original: Path) -> Iterator[Path]:
    with TemporaryDirectory(prefix="teeth-") as folder:
        copytree(original, folder, dirs_exist_ok=True)
        yield Path(folder)


def plant_all(suite: Suite, faults: Sequence[Fault], original: Path, workers: int) -> Iterator[Outcome]:
    """Plant faults, `workers` at a time, and yield each outcome as it comes."""
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(suite.catch, fault, original) for fault in faults]
        try:
            for done in as_completed(running):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def problems(outcomes: Sequence[Outcome]) -> list[str]:
    """Say what keeps these outcomes, of one fault or several, from being a success."""
    found = []
    for outcome in outcomes:
        missed = [kind for kind in outcome.fault.caught_by if kind not in outcome.caught]
        if not outcome.caught:
            found.append(f"{outcome.fault.name} is not caught: {outcome.fault.sentence}")
        elif missed:
            found.append(f"{outcome.fault.name} is not caught by {', '.join(missed)}, as its head says")
    return found


def without_proof(suite: Suite, outcomes: Sequence[Outcome]) -> list[str]:
    """Say for which kinds of checks no fault was caught by them alone."""
    proven = sole_catches(outcomes)
    return [
        f"no fault is caught by {kind} alone, so nothing shows that it is needed: plant one"
        for kind in suite.alone
        if kind not in proven
    ]


def sole_catches(outcomes: Sequence[Outcome]) -> dict[str, list[str]]:
    """The names of the faults that one kind of check alone caught, by kind."""
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        if len(outcome.caught) == 1:
            [kind] = outcome.caught
            found.setdefault(kind, []).append(outcome.fault.name)
    return found
