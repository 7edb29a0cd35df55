"""Files that specwalk may replace: a line in each has a checksum of the rest, and of where it stands.

So a file that a person wrote, edited or copied is known for one.
"""

import re
from hashlib import sha256
from pathlib import Path

__all__ = ["SIGNATURE", "UNSIGNED", "is_ours", "signed"]

SIGNATURE = "specwalk wrote this file, and may replace it as long as nobody has edited it"
# What stands for the checksum in a text that is still to be signed.
UNSIGNED = "0" * 16
# In a comment of Python, or as an entry of a JSON object.
_SIGNED = re.compile(rf'(?:# {SIGNATURE}: |"{SIGNATURE}": ")([0-9a-f]{{16}})')


def signed(text: str, path: Path) -> str:
    """A text with its signature.

    Args:
        text: has a place for the signature, or is Python, which gets a last line for it.
        path: where the file will stand in its project.
    """
    if not _SIGNED.search(text):
        text = f"{text}\n\n# {SIGNATURE}: {UNSIGNED}\n"
    return _with_checksum(text, _checksum(text, path))


def is_ours(project: Path, path: Path) -> bool:
    """Whether the file at a path in a project is, to the letter, what specwalk wrote there."""
    file = project / path
    if not file.is_file() or any((project / part).is_symlink() for part in (path, *path.parents[:-1])):
        return False
    text = file.read_bytes().decode(errors="replace")
    found = _SIGNED.search(text)
    return found is not None and found[1] == _checksum(text, path)


def _checksum(text: str, path: Path) -> str:
    blank = _with_checksum(text, UNSIGNED)
    return sha256(f"{path.as_posix()}\n{blank}".encode()).hexdigest()[:16]


def _with_checksum(text: str, checksum: str) -> str:
    return _SIGNED.sub(lambda found: found[0].replace(found[1], checksum), text, count=1)
