"""Quotes a definition from a spec's source, with the comment above it."""

from collections.abc import Sequence
from pathlib import Path

from specwalk.sany.tree import Location

__all__ = ["quoted"]


def quoted(folder: Path, location: Location | None) -> Sequence[str]:
    """The lines of a definition and of the comments right above it, after a line that says where.

    Nothing if it is not known where it stands, or not in a module of this folder.
    """
    if location is None:
        return ()
    file = folder / f"{location.module}.tla"
    if not file.is_file():
        return ()
    lines = file.read_text(encoding="utf-8", errors="replace").expandtabs(8).split("\n")
    first = _first_comment(lines, location.line - 1)
    text = (line.rstrip() for line in lines[first : location.end_line])
    return (f"{file.name}, line {location.line}:", *text)


def _first_comment(lines: Sequence[str], number: int) -> int:
    """The number of the first line of the comments that end right above a line."""
    while number > 0:
        above = lines[number - 1].strip()
        if above.endswith("*)"):
            number -= 1
            while number > 0 and "(*" not in lines[number]:
                number -= 1
        elif above.startswith("\\*"):
            number -= 1
        else:
            break
    return number
