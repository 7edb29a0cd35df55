"""The event log of one endpoint: JSON lines, appended to on every start.

Rule 1: a line is one write of the operating system, so a process that is killed tears at most the
        last one; whoever writes next ends a torn line first.
Rule 2: a line is written after the commit that it tells of. It is not synced: the store is the
        truth, the log is a witness.
Rule 3: trouble with the log stops no host. What could not be written is missing, `n` has a gap, and
        the first such line is warned of.

Each line has `run` (one per start of the process), `n` (0, 1, ... within the run), `side`, `name`,
`at` (microseconds since 1970, UTC), `event`, `obligation` (but for start and stop), and the fields
that `abhyasa.runtime.events` names.
"""

import json
import logging
import os
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self
from uuid import uuid4

from abhyasa.core.values import to_micros
from abhyasa.runtime.events import Event

_log = logging.getLogger(__name__)
_NEWLINE = b"\n"


class EventLog:
    """The log of an endpoint that is called `name`, in a file of its own."""

    def __init__(self, path: str | Path, side: Literal["custodian", "receiver"], name: str) -> None:
        self._path = path
        self._run = uuid4().hex
        self._count = 0
        self._endpoint = {"side": side, "name": name}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        size = os.fstat(self._file).st_size
        self._torn = size > 0 and os.pread(self._file, 1, size - 1) != _NEWLINE
        self._ailing = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        os.close(self._file)

    def write(self, event: Event, now: datetime) -> None:
        """Append an event that happened at `now`."""
        name, obligation, fields = event
        about = {} if obligation is None else {"obligation": obligation}
        common = {"run": self._run, "n": self._count, **self._endpoint, "at": to_micros(now), "event": name}
        line = {**common, **about, **fields}
        self._count += 1
        self._append(json.dumps(line, separators=(",", ":")).encode("ascii") + _NEWLINE)

    def _append(self, line: bytes) -> None:
        text = _NEWLINE + line if self._torn else line
        try:
            written = os.write(self._file, text)
        except OSError as error:
            self._warn(error)
            return
        self._torn = written < len(text)
        if self._torn:
            self._warn("it took only a part of a line")

    def _warn(self, reason: object) -> None:
        if not self._ailing:
            _log.warning("events are missing from %s from here on: %s; free space there", self._path, reason)
        self._ailing = True
