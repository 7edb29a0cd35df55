"""Puts generated files into a project, and takes away those of earlier runs that are no longer wanted.

Rule 1: a file that we did not write for the same model is never touched; where one is in the place of a
        file to write, none of the model's is written.
Rule 2: a file that would stay as it is is not written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from specwalk.errors import BadInput
from specwalk.generate.ours import written_for
from specwalk.generate.suite import TESTS, TRACES

__all__ = ["Changes", "owners", "put"]


@dataclass(slots=True, kw_only=True)
class Changes:
    """What became of a project's files."""

    written: list[Path] = field(default_factory=list)
    unchanged: list[Path] = field(default_factory=list)
    removed: list[Path] = field(default_factory=list)


def put(project: Path, files: Mapping[Path, str], model: str, changes: Changes) -> None:
    """Write a model's files, remove others that were written for it, and note the changes.

    Raises:
        BadInput: a file that was not written for this model is in the way.
        OSError: a file cannot be written.
    """
    foreign = [path for path in files if (project / path).exists() and written_for(project / path) != model]
    if foreign:
        raise BadInput(
            f"specwalk did not write {', '.join(map(str, foreign))} for {model}, and will not replace it: "
            "give it another name."
        )
    for path, text in files.items():
        _write(project / path, text, changes)
    for path, owner in _ours(project):
        if owner == model and path not in files:
            (project / path).unlink()
            _remove_empty(project / path)
            changes.removed.append(project / path)


def owners(project: Path) -> set[str]:
    """The models for which a project has files."""
    return {owner for _, owner in _ours(project)}


def _write(file: Path, text: str, changes: Changes) -> None:
    if file.exists() and file.read_bytes() == text.encode():
        changes.unchanged.append(file)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    changes.written.append(file)


def _ours(project: Path) -> list[tuple[Path, str]]:
    """The files of earlier runs, each with its model."""
    files = sorted((*(project / TRACES).rglob("*.itf.json"), *(project / TESTS).glob("test_*.py")))
    return [(file.relative_to(project), owner) for file in files if (owner := written_for(file))]


def _remove_empty(file: Path) -> None:
    """Remove the folders of traces that are empty without a file."""
    for folder in file.parents:
        if TRACES.name not in folder.parts or any(folder.iterdir()):
            break
        folder.rmdir()
