"""The modules' source texts in a workspace, copied from by location.

Rule 1: a copied stretch keeps its columns, so that junction lists stay aligned; it stands on lines
of its own.
Rule 2: columns are SANY's: tabs expanded to multiples of eight; bytes for TLC 2.15, which reads
byte by byte, UTF-16 units for its successors.
Rule 3: the word LOCAL is blanked in these private copies, since a wrapper extends the modules from
outside.
"""

import re
from pathlib import Path

from specwalk.sany.tree import Location

__all__ = ["Sources", "read_sources"]

_LOCAL = re.compile(r"^(\s*)LOCAL(?=\s)", re.MULTILINE)


class Sources:
    """The text of every module of a folder."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._lines = {name: text.expandtabs(8).split("\n") for name, text in texts.items()}

    def __contains__(self, module: str) -> bool:
        return module in self._lines

    def fresh(self, stem: str) -> str:
        """A name that begins with `stem` and occurs in no module."""
        text = "\n".join(line for lines in self._lines.values() for line in lines)
        while stem in text:
            stem += "z"
        return stem

    def copy(self, location: Location) -> str:
        """The text at a location, its first line padded with blanks to its own column."""
        lines = self._lines[location.module][location.line - 1 : location.end_line]
        lines[-1] = "".join(_units(lines[-1])[: location.end_column])
        start = location.column - 1
        lines[0] = " " * start + "".join(_units(lines[0])[start:])
        return "\n".join(lines)


def read_sources(folder: Path, encoding: str) -> Sources:
    """Read every module in the folder, and blank LOCAL there (Rule 3)."""
    texts = {}
    for path in sorted(folder.glob("*.tla")):
        text = path.read_text(encoding=encoding, errors="surrogateescape")
        texts[path.stem] = _LOCAL.sub(r"\1     ", text)
        if texts[path.stem] != text:
            path.write_text(texts[path.stem], encoding=encoding, errors="surrogateescape")
    return Sources(texts)


def _units(line: str) -> list[str]:
    """The columns of a line: a character beyond 16 bits fills two, the second one empty."""
    return [unit for char in line for unit in ((char, "") if char > "\uffff" else (char,))]
