"""Reads one log: a file of JSON lines, which a process and its later runs append to.

Rule 1: one file is one process; the order of its lines is the order in which it did things.
Rule 2: a line that is no JSON is torn if a run ends with it, which is what a kill leaves; elsewhere it is a
        flaw.
Rule 3: a line that cannot be read is a flaw, and the log goes on behind it.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from specwalk.errors import BadInput, SpecwalkError
from specwalk.model import Model, Reading
from specwalk.validate.flaws import Flaws, Kind, Place

__all__ = ["Event", "read_log", "text_at"]


class Event(NamedTuple):
    """A line that was read. (A named tuple, since one is made for each line; sorted by time, log and line.)

    Attributes:
        time: the line's, or that of the last line before it that has one.
        log: the number of the log.
        line: counted from 1.
    """

    time: float
    log: int
    line: int
    reading: Reading


def read_log(log: int, file: Path, model: Model, flaws: Flaws) -> Iterator[Event]:
    """The events of a log in its order; what is wrong with it is added to ``flaws``."""
    yield from _Reader(log, file, model, flaws).events()


def text_at(place: Place) -> str:
    """The text of a line."""
    with place.file.open(encoding="utf-8", errors="replace") as lines:
        return next(text for number, text in enumerate(lines, 1) if number == place.line).strip()


class _Reader:
    def __init__(self, log: int, file: Path, model: Model, flaws: Flaws) -> None:
        self.log = log
        self.file = file
        self.model = model
        self.flaws = flaws
        self.kept: dict[str, Any] = {}
        self.run: object = None
        self.count = 0
        self.broken = 0  # the line before this one, if it is no JSON

    def events(self) -> Iterator[Event]:
        fields, time = self.model.log_fields, 0.0
        clock = fields.time
        numbered = fields.run is not None or fields.count is not None
        with self.file.open(encoding="utf-8", errors="replace", newline="\n") as lines:
            for number, text in enumerate(lines, 1):
                line = self.parsed(number, text)
                if line is None:
                    continue
                reading = self.read(number, line)
                if numbered or self.broken:
                    self.check(number, line, reading is not None and reading.begins)
                if clock is not None:
                    told = line.get(clock)
                    time = told if type(told) is int or type(told) is float else time
                if reading is not None:
                    yield Event(time, self.log, number, reading)
        self.judge_broken(ends=True)

    def parsed(self, number: int, text: str) -> Mapping[str, Any] | None:
        try:
            line = json.loads(text)
            if type(line) is dict:
                return line
        except (ValueError, RecursionError):
            if text.isspace():
                return None
        self.judge_broken(ends=False)
        self.broken = number
        return None

    def judge_broken(self, *, ends: bool) -> None:
        """Say what the broken line before this one was, now that it is known whether a run ended with it."""
        if self.broken and ends:
            self.flaws.torn.append(Place(file=self.file, line=self.broken))
        elif self.broken:
            self.flaws.add(Kind.NO_JSON, self.file, self.broken, "more of the same run follows it")
        self.broken = 0

    def read(self, number: int, line: Mapping[str, Any]) -> Reading | None:
        """The model's reading of a line."""
        try:
            reading = self.model.read_event(line, self.kept)
            if reading is not None and type(reading) is not Reading:
                raise TypeError(f"it returned {reading!r}, which is no Reading")
            if reading is not None and not isinstance(reading.subject, str | None):
                raise BadInput(f"its subject is {reading.subject!r}: name it by a text")
            hash(reading)
            return reading
        except SpecwalkError as problem:
            detail = str(problem)
        except Exception as problem:
            detail = f"{type(problem).__name__}: {problem}"
        self.flaws.add(Kind.UNREADABLE, self.file, number, detail.rstrip("."))
        return None

    def check(self, number: int, line: Mapping[str, Any], begins: bool) -> None:
        """See that runs begin with their start and that no line of a run is missing."""
        fields = self.model.log_fields
        if fields.run is not None and line.get(fields.run) != self.run:
            self.run = line.get(fields.run)
            self.count = 0
            if not begins:
                self.flaws.add(Kind.NO_START, self.file, number, f"run {self.run}")
        self.judge_broken(ends=begins)
        if fields.count is not None:
            count = line.get(fields.count)
            if count != self.count:
                self.flaws.add(Kind.GAP, self.file, number, f"number {count!r}, expected {self.count}")
            self.count = count + 1 if type(count) is int else self.count + 1
