"""Replaces a file as a whole: a full disk or a death leaves either the file as it was, or the new one.

Rule 1: the text is on the disk, beside the file, before it takes the file's place.
Rule 2: where the file is a symbolic link, what it leads to is replaced; a file keeps its permissions.
"""

import os
import shutil
from pathlib import Path

__all__ = ["replace"]


def replace(file: Path, text: str) -> None:
    """Put a text, in UTF-8 and with its line ends as they are, in the place of a file, or make the file.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    file = file.resolve()
    beside = file.with_name(f".specwalk-{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="") as new:
            new.write(text)
            new.flush()
            os.fsync(new.fileno())
        if file.exists():
            shutil.copymode(file, beside)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
