"""A fault: a unified diff, and a head that says what it breaks and what must catch it.

Rule 1: the head stands before the diff: a sentence, then the lines `Rule:` and `Caught by:`. The
        latter lists kinds of checks; others may catch the fault too.
Rule 2: a diff applies as it is, without fuzz. One that does not is out of date, which is an error.
Rule 3: a fault is planted in a copy of the project, made of the files that git does not ignore.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from specwalk.errors import BadInput, EnvironmentProblem

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault: its name, what it does, the rule it breaks, and the kinds of checks that must catch it."""

    name: str
    sentence: str
    rule: str
    caught_by: tuple[str, ...]
    diff: Path

    def plant(self, copy: Path) -> None:
        """Apply the diff to a copy of the project. Raises BadInput if it does not apply as it is."""
        # No repository above the copy may have a say in what a path means.
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(copy.parent)}
        applied = subprocess.run(
            ["git", "apply", str(self.diff)], cwd=copy, env=environment, capture_output=True, text=True
        )
        if applied.returncode:
            raise BadInput(
                f"{self.diff} does not apply any more: {applied.stderr.strip()}. Make the same fault in "
                "today's code, and replace the diff below the head by that of `git diff`."
            )


def read_faults(folder: Path, kinds: Collection[str]) -> list[Fault]:
    """Read every fault of a folder, in the order of their names.

    Raises BadInput for a head that lacks something or names a kind of check that is not in `kinds`.
    """
    return [_read_fault(diff, kinds) for diff in sorted(folder.glob("*.diff"))]


def _read_fault(diff: Path, kinds: Collection[str]) -> Fault:
    head = re.split("^(?:diff|---) ", diff.read_text(), maxsplit=1, flags=re.MULTILINE)[0]
    found = re.fullmatch(r"(.+?)\nRule: (.+?)\nCaught by: (.+?)\s*", head, flags=re.DOTALL)
    if found is None:
        raise BadInput(
            f"The head of {diff} is a sentence, then `Rule: ...`, then `Caught by: ...`; it reads\n{head}"
        )
    sentence, rule, caught_by = (" ".join(part.split()) for part in found.groups())
    named = tuple(caught_by.split(", "))
    if unknown := set(named) - set(kinds):
        raise BadInput(f"{diff} names {sorted(unknown)}; the kinds of checks are {', '.join(kinds)}.")
    return Fault(name=diff.stem, sentence=sentence, rule=rule, caught_by=named, diff=diff)


def copy_project(copy: Path) -> None:
    """Copy the project's files, as they are now, into an empty folder."""
    # New files count too: a module that is not added yet may already be imported.
    ours = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(ours, cwd=PROJECT, capture_output=True, text=True)
    if listed.returncode:
        raise EnvironmentProblem(
            f"The faults need a git checkout of the project, and {PROJECT} is none: {listed.stderr}"
        )
    for name in filter(None, listed.stdout.split("\0")):
        if (PROJECT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, copy / name)
