"""The framing of ``-tool`` output: ``@!@!@STARTMSG code:severity @!@!@`` .. ``@!@!@ENDMSG code @!@!@``.

Rule 1: a message may stand inside another, as the cause that an exception quotes. The inner one is handed
        over first; its lines are lines of the outer one too.
Rule 2: what stands outside of any message (SANY's report, the spec's own ``PrintT``, Java's complaints) is
        handed over line by line, as ``Code.UNFRAMED``.
Rule 3: a message without its end is an error, whatever it was: the output is not what TLC wrote.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

__all__ = ["Code", "Message", "MessageReader"]

_START = re.compile(r"(.*?)@!@!@STARTMSG (-?\d+):(\d+) @!@!@$")
_END = re.compile(r"@!@!@ENDMSG (-?\d+) @!@!@$")


class Code(IntEnum):
    """The kinds of message that decide something; TLC has some two hundred more."""

    TRUNCATED = -3
    UNFRAMED = -2
    POSITIONS = 2103
    ASSUMPTION = 2104
    INITIAL_INVARIANT = 2107
    INITIAL_PROPERTY = 2108
    INVARIANT = 2110
    ACTION_PROPERTY = 2112
    DEADLOCK = 2114
    TEMPORAL_PROPERTY = 2116
    BEHAVIOR = 2121
    BACK_TO = 2122
    ASSERTION = 2132
    NO_ERROR = 2193
    DEPTH = 2194
    COUNTS = 2199
    PROGRESS = 2200
    STATE = 2217
    STUTTERING = 2218
    SANY_FINISHED = 2219
    COUNTEREXAMPLE = 2264
    NOT_PARSED = 3002


_ERROR_SEVERITIES = (1, 2)  # an error of the spec, and one of TLC itself; 3 warns, 4 is a state


@dataclass(slots=True)
class Message:
    """One message: TLC's code, its severity, and its lines."""

    code: int
    severity: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The lines as one text, without blank ones at either end."""
        return "\n".join(self.lines).strip("\n")

    @property
    def is_error(self) -> bool:
        """Whether TLC reports something that speaks against the spec or the run."""
        return self.severity in _ERROR_SEVERITIES or self.code == Code.TRUNCATED


class MessageReader:
    """Takes lines as they come and hands each message over when it ends."""

    def __init__(self, on_message: Callable[[Message], None]) -> None:
        self._on_message = on_message
        self._open: list[Message] = []

    def line(self, line: str) -> None:
        """Take the next line, without its line end."""
        end = _END.match(line)
        if start := _START.match(line):
            if start[1]:
                self._put(start[1])
            self._open.append(Message(int(start[2]), int(start[3])))
        elif end and self._open and self._open[-1].code == int(end[1]):
            self._hand_over()
        else:
            self._put(line)

    def end(self) -> None:
        """There are no more lines."""
        while self._open:
            self._open[-1].code = Code.TRUNCATED
            self._hand_over()

    def _put(self, line: str) -> None:
        if self._open:
            self._open[-1].lines.append(line)
        else:
            self._on_message(Message(Code.UNFRAMED, 0, [line]))

    def _hand_over(self) -> None:
        message = self._open.pop()
        if self._open:
            self._open[-1].lines.extend(message.lines)
        self._on_message(message)
