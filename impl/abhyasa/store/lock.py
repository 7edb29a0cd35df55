"""The lock of a store's owner: an empty file beside the store, never removed, locked with flock.

Rule 1: SQLite's own locks do not suffice. They are POSIX record locks, and a process loses all that it
        has on a file when it closes any descriptor of that file: a backup that copies the store from
        inside its owner would open it to a second one. Nobody opens the lock's file but for the lock.
Rule 2: the operating system gives it back when its process dies. A forked child closes its copy, else
        it would hold the lock of a dead parent.
Rule 3: a path that is a symbolic link has the lock of the file to which it leads.
"""

import os
from pathlib import Path

from abhyasa.store.errors import HELD, StoreError

try:
    import fcntl
except ImportError:  # where there is none, SQLite's own locks belong to a descriptor, and suffice
    fcntl = None  # type: ignore[assignment]


class Lock:
    """Held by whoever made it, until `release`. Raises StoreError if another one holds it."""

    def __init__(self, path: str) -> None:
        self._file: int | None = None
        if fcntl is not None:
            self._take(path, f"{Path(path).resolve()}-lock")

    def release(self) -> None:
        """Give the lock back; in a forked child, merely let go of it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __del__(self) -> None:
        self.release()

    def _take(self, path: str, beside: str) -> None:
        try:
            self._file = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.release()
            raise StoreError(f"{path} {HELD.format(f'{beside} is locked')}") from error
        except OSError as error:
            self.release()
            raise StoreError(
                f"{path} cannot be locked ({error}): let this process write the files in its folder"
            ) from error
