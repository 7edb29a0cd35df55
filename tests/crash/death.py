"""Where a program kills itself with SIGKILL: at the n-th commit of a kind, at one of four places.

`before` nothing of the transaction has happened; `inside` its statements are done and its COMMIT is
not; `after` COMMIT has just returned, and nobody was told; `unsent` it is committed and logged, and
its message has not left. Written as "attempt:2:inside".
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

PLACES = ("before", "inside", "after", "unsent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point of death: the kind of commit is the name of the store's method."""

    commit: str
    number: int
    place: str

    def __str__(self) -> str:
        return f"{self.commit}:{self.number}:{self.place}"


def read_point(text: str) -> Point:
    """Read what `str` of a point wrote."""
    commit, number, place = text.split(":")
    return Point(commit=commit, number=int(number), place=place)


def die(*_: object) -> NoReturn:
    """End as a process ends that is killed: nothing more is done, and nothing is told."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a process outlived SIGKILL")


class Deadly(sqlite3.Connection):
    """A connection that, once `fatal` is a place, dies there in its next COMMIT."""

    fatal: str | None = None

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        if statement == "COMMIT" and self.fatal == "inside":
            die()
        done = super().execute(statement, *parameters)
        if statement == "COMMIT" and self.fatal == "after":
            die()
        return done


def doomed(store: type, point: Point | None, unsent: Callable[[], None] = die) -> type:
    """Return a class of stores that die at a point; at `unsent`, `unsent` is called after the commit."""
    if point is None:
        return store
    original = getattr(store, point.commit)
    calls = iter(range(1, sys.maxsize))

    def commit(self: Any, *arguments: object) -> None:
        if next(calls) != point.number:
            original(self, *arguments)
            return
        if point.place == "before":
            die()
        self._db.fatal = point.place
        original(self, *arguments)
        if point.place == "unsent":
            unsent()

    return type("Doomed", (store,), {"_CONNECTION": Deadly, point.commit: commit})
