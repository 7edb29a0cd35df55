"""What a store says when it cannot be used: what is wrong, and what to change.

Rule 1: trouble of the file or the disk is a StoreError, whichever statement met it. What is wrong
        with a statement itself stays what SQLite raised: it is a mistake of the program.
Rule 2: by then nothing is half done. A write that fails is rolled back as a whole.
"""

import sqlite3
from typing import NoReturn

#: What to say of a path whose lock another one holds.
HELD = "is held by another endpoint ({}): stop that one, or use another path"

# By the primary result code of SQLite.
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_ADVICE = {
    sqlite3.SQLITE_FULL: "could not be written ({}): free space on its disk; nothing was changed",
    sqlite3.SQLITE_IOERR: "could not be read or written ({}): free space on its disk, or repair it",
    sqlite3.SQLITE_READONLY: "could not be written ({}): let this process write the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: {}; make its folder, or let this process read and write it",
    sqlite3.SQLITE_CORRUPT: (
        "is damaged ({}): restore it from a backup, and act by hand on what has happened since"
    ),
    sqlite3.SQLITE_NOTADB: "is not a store: {}; use another path",
}


class StoreError(Exception):
    """The store cannot be used as asked; the message says what to change."""


def raise_explained(path: str, error: sqlite3.Error, held: str = HELD) -> NoReturn:
    """Raise the StoreError that says what to change at `path`, or `error` again if that is not it.

    `held` is what to say where another one holds it.
    """
    code = getattr(error, "sqlite_errorcode", None)  # Python's own complaints have none
    advice = None if code is None else held if code & 0xFF in _BUSY else _ADVICE.get(code & 0xFF)
    if advice is None:
        raise error
    raise StoreError(f"{path} {advice.format(error)}") from error
