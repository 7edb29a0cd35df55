"""Files that specwalk may replace: the last line has a checksum of all that stands above it.

So a file that a person wrote, or edited, is known for one.
"""

import re
from hashlib import sha256
from pathlib import Path

__all__ = ["is_ours", "signed"]

_SIGNATURE = "# specwalk wrote this file, and may replace it as long as nobody has edited it: "
_SIGNED = re.compile(rf"(.*\n){re.escape(_SIGNATURE)}([0-9a-f]{{16}})\n", re.DOTALL)


def signed(text: str) -> str:
    """A Python text with its signature."""
    text = f"{text}\n\n"
    return f"{text}{_SIGNATURE}{_checksum(text)}\n"


def is_ours(file: Path) -> bool:
    """Whether a file is, to the letter, what specwalk wrote."""
    if not file.is_file() or file.is_symlink():
        return False
    found = _SIGNED.fullmatch(file.read_bytes().decode(errors="replace"))
    return found is not None and _checksum(found[1]) == found[2]


def _checksum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
