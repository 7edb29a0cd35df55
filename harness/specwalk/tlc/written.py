"""Reads what a program writes, while it still writes.

Rule 1: a line is read once it is whole, and the last one, whole or not, once the writer has ended.
Rule 2: that it has ended is asked before the file is, so nothing that was written is missed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import TypeAlias

__all__ = ["Lines", "Written"]

#: The lines of a file of a folder, by its name.
Lines: TypeAlias = Callable[[str], Iterator[str]]

_PAUSE_SECONDS = 0.02
_CHUNK_BYTES = 1 << 20


class Written:
    """The files in a folder, whose writer has ended or says so later by ``end``."""

    def __init__(self, folder: Path, *, ended: bool = False) -> None:
        self._folder = folder
        self._ended = Event()
        if ended:
            self.end()

    def end(self) -> None:
        """Say that no more will be written."""
        self._ended.set()

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a UTF-8 file, without their ends, as they come; a file may come late, too.

        Raises:
            FileNotFoundError: the writer has ended, and there is no such file.
        """
        file = self._folder / name
        while not file.exists() and not self._ended.wait(_PAUSE_SECONDS):
            pass
        rest = b""
        with file.open("rb") as stream:
            ended = False
            while not ended:
                ended = self._ended.wait(_PAUSE_SECONDS)
                while chunk := stream.read(_CHUNK_BYTES):
                    whole, end, rest = (rest + chunk).rpartition(b"\n")
                    if end:
                        yield from whole.decode().split("\n")
        if rest:
            yield rest.decode()
