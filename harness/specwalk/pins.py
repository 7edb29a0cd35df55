r"""Pinned counts: one comment line of a configuration, the only copy of its numbers.

    \* pinned: 31250 distinct states, 157120 generated, depth 20

A change of the spec shows as a change of a number.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from specwalk.config import config_text
from specwalk.replacing import replace

__all__ = ["Pin", "read_pin", "write_pin"]

_PINNED = re.compile(r"\\\*\s*pinned:\s*([\d,]+) distinct states, ([\d,]+) generated, depth (\d+)")
# Also a line that was meant as one.
_LINE = re.compile(r"^[ \t]*\\\*[ \t]*pinned:[^\r\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """The counts that a configuration promises."""

    distinct: int
    generated: int
    depth: int

    def __str__(self) -> str:
        return f"\\* pinned: {self.distinct} distinct states, {self.generated} generated, depth {self.depth}"


def read_pin(config: Path) -> Pin | None:
    """The pin in a configuration file, None if it has none.

    Raises:
        BadInput: the file is missing or not UTF-8.
    """
    found = _PINNED.search(config_text(config))
    if not found:
        return None
    distinct, generated, depth = (int(number.replace(",", "")) for number in found.groups())
    return Pin(distinct=distinct, generated=generated, depth=depth)


def write_pin(config: Path, pin: Pin) -> None:
    """Put a pin into a configuration file, in the place of the one that is there, or as its first line.

    Raises:
        OSError: the file cannot be written, and is as it was.
    """
    with config.open(encoding="utf-8", newline="") as file:
        text = file.read()
    found = _LINE.search(text)
    before, after = (text[: found.start()], text[found.end() :]) if found else ("", f"\n{text}")
    replace(config, f"{before}{pin}{after}")
