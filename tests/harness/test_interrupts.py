"""Signals that come again while a command cleans up, and what holds them back."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from specwalk.interrupts import ENDING, held, raise_on_signals
from tests.harness.command import finish, runs_java, start
from tests.harness.test_check import ENDLESS


@pytest.fixture(autouse=True)
def handlers():
    before = {number: signal.getsignal(number) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_an_impatient_user_leaves_nothing_either(tmp_path: Path) -> None:
    (tmp_path / "Endless.tla").write_text(ENDLESS)
    (tmp_path / "Endless.cfg").write_text("SPECIFICATION Spec\n")
    process = start("graph", "Endless.tla", project=tmp_path)
    while not runs_java(tmp_path):
        assert process.poll() is None
        time.sleep(0.02)
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if process.poll() is None:
            os.kill(process.pid, number)
        time.sleep(0.003)
    ran = finish(process, tmp_path)
    assert (ran.code, ran.left) == (130, [])
    assert ran.err.strip() == "specwalk: Interrupted; nothing was left running."


@pytest.mark.parametrize("number", sorted(ENDING))
def test_the_first_signal_is_raised_and_the_next_ones_are_ignored(number: signal.Signals) -> None:
    raise_on_signals()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(number)
    for other in ENDING:
        signal.raise_signal(other)


def test_a_signal_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise_on_signals()
    signal.raise_signal(signal.SIGHUP)


@pytest.mark.parametrize("number", sorted(ENDING))
def test_a_signal_waits_while_it_is_held_though_another_thread_would_take_it(number: signal.Signals) -> None:
    raise_on_signals()
    done = []
    over = threading.Event()
    idle = threading.Thread(target=over.wait)
    idle.start()
    try:
        with pytest.raises(KeyboardInterrupt), held():  # noqa: PT012
            os.kill(os.getpid(), number)
            time.sleep(0.01)
            done.append("the block")
    finally:
        over.set()
        idle.join()
    assert done == ["the block"]
