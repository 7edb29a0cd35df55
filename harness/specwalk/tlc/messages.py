"""The framing of ``-tool`` output: ``@!@!@STARTMSG code:severity @!@!@`` .. ``@!@!@ENDMSG code @!@!@``.

A message may start inside another (an exception that quotes its cause), and what SANY and the spec's
own ``PrintT`` write stands outside of any message.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["Message", "read_messages"]

_START = re.compile(r"(.*?)@!@!@STARTMSG (\d+):(\d+) @!@!@$")
_END = re.compile(r"@!@!@ENDMSG (\d+) @!@!@$")

UNFRAMED = 0


@dataclass(slots=True)
class Message:
    """One message: TLC's code, its severity (1 is an error), and its lines."""

    code: int
    severity: int
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def read_messages(lines: Iterable[str]) -> Iterator[Message]:
    """The messages in the order in which they end; a line outside of any is one of code ``UNFRAMED``."""
    open_messages: list[Message] = []
    for line in lines:
        if start := _START.match(line):
            if open_messages and start[1]:
                open_messages[-1].lines.append(start[1])
            open_messages.append(Message(int(start[2]), int(start[3])))
        elif open_messages and _END.match(line):
            yield open_messages.pop()
        elif open_messages:
            open_messages[-1].lines.append(line)
        else:
            yield Message(UNFRAMED, 0, [line])
