"""A power cut, seen from SQLite's files: what each of them held when it was last synced.

SIGKILL keeps the page cache, so no kill shows a missing sync. Here SQLite's own `xSync`, which it
calls to have a file on the disk, is watched in the running process: after each call the file is
kept as it is then. What was written later is dropped when the power is cut. That is one of the
states in which a disk may be then (some of what was not synced may have got there), and that a
file's name is in its folder is taken for granted.
"""

import _sqlite3
import ctypes
import sqlite3
from pathlib import Path

# Of SQLite's C interface: https://www.sqlite.org/c3ref/io_methods.html and c_fcntl_begin_atomic_write.html
_FILE_POINTER, _JOURNAL_POINTER = 7, 28
_METHODS_SIZE = 19 * ctypes.sizeof(ctypes.c_void_p)
_X_SYNC = 5  # the position of xSync in the table, in pointers
#: What C points to. A store may be closed when its disk is forgotten, so all of it is kept.
_kept: list[object] = []

_XSync = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)


class Disk:
    """What would be left of a store's files after a power cut. Made on an open store, by its path."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._log = path, path.with_name(f"{path.name}-wal")
        self._synced = {path: path.read_bytes(), self._log: b""}
        for file, pointer in ((path, _FILE_POINTER), (self._log, _JOURNAL_POINTER)):
            self._watch(file, _pointer(connection, pointer))

    def after_power_cut(self, folder: Path) -> Path:
        """Write what would be left into a folder."""
        folder.mkdir()
        for file, content in self._synced.items():
            (folder / file.name).write_bytes(content)
        return folder

    def _watch(self, file: Path, handle: ctypes.c_void_p) -> None:
        """Replace the file's table of methods by a copy whose `xSync` is seen."""
        methods = ctypes.cast(handle, ctypes.POINTER(ctypes.c_void_p))
        table = ctypes.create_string_buffer(ctypes.string_at(methods[0], _METHODS_SIZE), _METHODS_SIZE)
        slots = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
        original = _XSync(slots[_X_SYNC])

        @_XSync
        def sync(handle: int, flags: int) -> int:
            code = int(original(handle, flags))
            if code == sqlite3.SQLITE_OK:
                self._synced[file] = file.read_bytes()
            return code

        _kept.extend((table, sync))
        slots[_X_SYNC] = ctypes.cast(sync, ctypes.c_void_p).value
        methods[0] = ctypes.addressof(table)


def _pointer(connection: sqlite3.Connection, what: int) -> ctypes.c_void_p:
    """Ask SQLite for one of the connection's files."""
    # SQLite's functions are in what this module is linked to, or in the interpreter as it is.
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    # The first field of a connection object, behind its reference count and type, is SQLite's own.
    database = ctypes.c_void_p.from_address(id(connection) + object.__basicsize__)
    found = ctypes.c_void_p()
    code = library.sqlite3_file_control(database, b"main", what, ctypes.byref(found))
    assert (code, bool(found)) == (sqlite3.SQLITE_OK, True)
    return found
