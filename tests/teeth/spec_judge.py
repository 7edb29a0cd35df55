"""What notices a mutant of a spec: its claims, the walk of the implementation, the pinned counts.

Rule 1: the claims of every configuration are tried before anything else; a mutant that violates one
        is looked at no further.
Rule 2: then the unchanged implementation is walked along the mutant. That the counts have changed comes
        last, for it is weaker: it says that something is different, not that it is wrong.
Rule 3: what TLC cannot take or evaluate is no spec, and counts neither way.
"""

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory

from specwalk.errors import EnvironmentProblem
from specwalk.verify import verify
from tests.teeth.spec_checks import MODELS, PATIENCE_SECONDS, SPECS, divergence, drift, root_of
from tests.teeth.spec_mutants import Mutant

__all__ = ["SUBJECTS", "Caught", "Judged", "Subject", "catch", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A spec to be mutated, and the names of the configurations that may notice: its own first, then
    those of specs that refine it. The first says which constants are numbers."""

    spec: str
    configs: tuple[str, ...]


_CUSTODY = ("Custody_single", "Custody_deadline", "Custody_mixed")

SUBJECTS = (
    Subject(spec="Contract", configs=("Contract", *_CUSTODY)),
    Subject(spec="Custody", configs=_CUSTODY),
    Subject(
        spec="DurableCustody",
        configs=(
            "DurableCustody_brief",
            "DurableCustody_willing",
            "DurableCustody_benign",
            "DurableCustody_skewed",
        ),
    ),
    Subject(spec="Supersession", configs=("Supersession_revoked", "Supersession_granted")),
    Subject(
        spec="Recovery",
        configs=(
            *("Recovery_ledger", "Recovery_losses"),
            *("Recovery_revalidate", "Recovery_stable_key", "Recovery_cached"),
        ),
    ),
)


class Caught(Enum):
    """What caught a mutant; the last two say that nothing did."""

    CLAIM = "claim"
    WALK = "walk"
    PIN = "pinned counts alone"
    INVALID = "no spec"
    SURVIVED = "SURVIVED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What caught a mutant, and where or how."""

    mutant: Mutant
    caught: Caught
    where: str = ""


def judge(subject: Subject, mutant: Mutant) -> Judged:
    """Try everything that may notice a mutant, up to the first that does."""
    with TemporaryDirectory(prefix="mutant-") as folder:
        specs = Path(folder)
        shutil.copytree(SPECS, specs, dirs_exist_ok=True)
        (specs / f"{mutant.module}.tla").write_text(mutant.text)
        caught, where = catch(subject, specs)
    return Judged(mutant=mutant, caught=caught, where=where)


def catch(subject: Subject, specs: Path) -> tuple[Caught, str]:
    """What in a folder of specs catches a change, and where: SURVIVED if nothing does."""
    drifted, walkable = [], []
    for name in subject.configs:
        config = specs / f"{name}.cfg"
        started = time.monotonic()
        try:
            result = verify(specs / f"{root_of(name)}.tla", config, timeout=PATIENCE_SECONDS)
        except EnvironmentProblem:
            if time.monotonic() - started < PATIENCE_SECONDS:
                raise
            drifted.append(f"{name}: no end within {PATIENCE_SECONDS} seconds")
            continue
        if result.violation:
            return Caught.CLAIM, f"{name}: {result.violation.name or result.violation.kind}"
        if result.problems:
            return Caught.INVALID, result.problems[0].text.partition("\n")[0]
        drifted += filter(None, [drift(config, result)])
        walkable.append(name)
    for where in _divergences(specs, walkable):
        return Caught.WALK, where
    return (Caught.PIN, drifted[0]) if drifted else (Caught.SURVIVED, "")


def _divergences(specs: Path, names: list[str]) -> Iterator[str]:
    """Where the implementation parts from the mutant, one by one, at the configurations of its model."""
    return filter(None, (divergence(specs, name) for name in names if root_of(name) in MODELS))
