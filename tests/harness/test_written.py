"""What is read while it is written: whole lines, as they come, and all of them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from specwalk.tlc import Written


def test_a_line_comes_once_it_is_whole_and_the_last_one_at_the_end(tmp_path: Path) -> None:
    written = Written(tmp_path)
    lines = written.lines("log")
    with (tmp_path / "log").open("wb", buffering=0) as file:
        file.write(b"one\n\ntw")
        assert [next(lines), next(lines)] == ["one", ""]
        euro = "€".encode()
        file.write(b"o " + euro[:1])
        file.write(euro[1:] + b"\nthree")
        assert next(lines) == "two €"
        written.end()
        assert list(lines) == ["three"]


def test_a_file_may_come_late(tmp_path: Path) -> None:
    written = Written(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, written.lines("log"))
        (tmp_path / "log").write_text("late\n")
        assert first.result() == "late"


def test_a_file_that_never_came_is_missed(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(Written(tmp_path, ended=True).lines("log"))
