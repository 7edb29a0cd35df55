"""Puts generated files into projects, and takes away those of earlier runs that are no longer wanted.

Rule 1: a file that is not, to the letter, what we wrote in its place for the same model is never touched.
Rule 2: where anything is in the way of any file, nothing is written.
Rule 3: a file that would stay as it is is not written; each is written whole or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from specwalk.errors import BadInput
from specwalk.generate.ours import written_for
from specwalk.generate.signed import is_ours
from specwalk.generate.suite import TESTS, TRACES
from specwalk.replacing import replace

__all__ = ["Changes", "Wanted", "owners", "put"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """All files that a project should have for a model, by their paths there."""

    project: Path
    model: str
    files: Mapping[Path, str]


@dataclass(slots=True, kw_only=True)
class Changes:
    """What became of the files.

    Attributes:
        left: what is as it was, although it says that it was written for a model which does not want it:
            it has been edited or copied since.
    """

    written: list[Path] = field(default_factory=list)
    unchanged: list[Path] = field(default_factory=list)
    removed: list[Path] = field(default_factory=list)
    left: list[Path] = field(default_factory=list)


def put(all_wanted: Sequence[Wanted]) -> Changes:
    """Write the files of some models, remove others that were written for these, and note the changes.

    Raises:
        BadInput: something is in the way; the message names all of it.
        OSError: a file cannot be written.
    """
    obstacles = [_obstacle(wanted, path) for wanted in all_wanted for path in wanted.files]
    if any(obstacles):
        raise BadInput("\n".join(["Nothing was written.", *dict.fromkeys(filter(None, obstacles))]))
    changes = Changes()
    for wanted in all_wanted:
        for path, text in wanted.files.items():
            _write(wanted.project / path, text, changes)
        for path, owner in _marked(wanted.project):
            if owner == wanted.model and path not in wanted.files:
                _remove(wanted.project, path, changes)
    return changes


def owners(project: Path) -> set[str]:
    """The models for which a project has files."""
    return {owner for _, owner in _marked(project)}


def _obstacle(wanted: Wanted, path: Path) -> str | None:
    """What is in the way of a file, with what to do about it; None if nothing is."""
    file = wanted.project / path
    for part in (path, *path.parents):
        there = wanted.project / part
        if part.parts and there.is_symlink():
            return f"{part} is a symbolic link, and specwalk does not write through it: rename it."
        if there.exists() and there.is_dir() is (part == path):
            return f"{part} is {'a folder' if part == path else 'no folder'}: rename it."
    if not file.exists() or _is(file, wanted.files[path]) or is_ours(wanted.project, path):
        return None
    if written_for(file) == wanted.model:
        return (
            f"{path} is no longer as specwalk wrote it: rename it to keep what was edited, or delete it to "
            "have it written anew."
        )
    return f"specwalk did not write {path} for {wanted.model}, and will not replace it: rename it."


def _is(file: Path, text: str) -> bool:
    return file.is_file() and file.read_bytes() == text.encode()


def _write(file: Path, text: str, changes: Changes) -> None:
    if _is(file, text):
        changes.unchanged.append(file)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    replace(file, text)
    changes.written.append(file)


def _remove(project: Path, path: Path, changes: Changes) -> None:
    file = project / path
    if not is_ours(project, path):
        changes.left.append(file)
        return
    file.unlink()
    _remove_empty(file)
    changes.removed.append(file)


def _marked(project: Path) -> list[tuple[Path, str]]:
    """The files that say for which model they were written, each with that model."""
    files = sorted((*(project / TRACES).rglob("*.itf.json"), *(project / TESTS).glob("test_*.py")))
    return [(file.relative_to(project), owner) for file in files if (owner := written_for(file))]


def _remove_empty(file: Path) -> None:
    """Remove the folders of traces that are empty without a file."""
    for folder in file.parents:
        if TRACES.name not in folder.parts or any(folder.iterdir()):
            break
        folder.rmdir()
