"""Progress is drawn on a terminal, after the first second, and nowhere else."""

import io

import pytest
from rich.console import Console

from specwalk import progress
from specwalk.progress import Bar
from specwalk.tlc import Counts


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def drawn(seconds: float, monkeypatch: pytest.MonkeyPatch, terminal: bool = True) -> str:
    """What is drawn when a walk of ten steps is half done after so many seconds."""
    clock, output = Clock(), io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", clock.monotonic)
    with Bar(Console(file=output, force_terminal=terminal, width=100)) as bar:
        bar.phase("TLC lists")
        bar.counted(Counts(generated=0, distinct=1_234, queue=0, depth=1))
        clock.now += seconds
        bar.counted(Counts(generated=0, distinct=5_678, queue=0, depth=1))
        clock.now += seconds
        bar.phase("walk", total=10)
        bar.stepped(5)
    return output.getvalue()


def test_nothing_is_drawn_in_the_first_second(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(0.4, monkeypatch) == ""


def test_counts_and_phases_are_drawn_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(1.5, monkeypatch)
    assert "TLC lists" in text
    assert "5,678 states" in text
    assert "1,234" not in text
    assert "walk" in text


def test_nothing_is_drawn_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(1.5, monkeypatch, terminal=False) == ""
