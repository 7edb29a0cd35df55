"""Pins are read and written, and nothing else in a configuration changes."""

from pathlib import Path

import pytest

from specwalk.pins import Pin, read_pin, write_pin

PIN = Pin(distinct=31250, generated=157120, depth=20)
LINE = b"\\* pinned: 31250 distinct states, 157120 generated, depth 20"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"INIT Init\nNEXT Next\n", LINE + b"\nINIT Init\nNEXT Next\n"),
        (
            b"\\* One.\n\\* pinned: 4 distinct states, 9 generated, depth 3\nINIT Init\n",
            b"\\* One.\n" + LINE + b"\nINIT Init\n",
        ),
        (b"INIT Init\r\n  \\* pinned: not yet\r\nNEXT Next", b"INIT Init\r\n" + LINE + b"\r\nNEXT Next"),
        (b"", LINE + b"\n"),
    ],
    ids=["none", "another", "with CRLF", "empty"],
)
def test_a_pin_takes_the_place_of_the_one_before(tmp_path: Path, before: bytes, after: bytes) -> None:
    config = tmp_path / "M.cfg"
    config.write_bytes(before)
    write_pin(config, PIN)
    assert config.read_bytes() == after
    assert read_pin(config) == PIN
