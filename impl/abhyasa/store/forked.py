"""A store in a forked child: a copy of its parent's connection, which the child must not touch.

SQLite cannot see that it was forked. A child that closed the connection, or merely ended and so
dropped it, would check-point the write-ahead log and delete it under its parent, and what the
parent commits from then on would be lost. So in the child the connection is replaced by one that
refuses, and is never released: the operating system takes its files back when the child ends. Its
copy of the lock's descriptor is closed at once.
"""

import ctypes
import os
from typing import Any, NoReturn, Protocol
from weakref import WeakSet

from abhyasa.store.errors import StoreError
from abhyasa.store.lock import Lock


class _OnFile(Protocol):
    _db: Any
    _path: str
    _lock: Lock | None


_opened: WeakSet[_OnFile] = WeakSet()

#: Call it for each store on a file, before anything can fork.
watch = _opened.add


class _Inherited:
    """What stands in a child for the connection of its parent."""

    def __init__(self, path: str) -> None:
        self._path = path

    def close(self) -> None:
        """Do nothing: the connection is the parent's to close."""

    def __getattr__(self, name: str) -> NoReturn:
        raise StoreError(
            f"{self._path} belongs to the process that opened it, and this one was forked from that: "
            "close stores before a fork, or open another one after it"
        )


def _disown() -> None:
    for store in _opened:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(store._db))
        store._db = _Inherited(store._path)
        if store._lock is not None:
            store._lock.release()  # the parent's copy goes on to hold it


if hasattr(os, "register_at_fork"):  # where there is none, nothing is forked
    os.register_at_fork(after_in_child=_disown)
