"""The signals that end a command, and what becomes of them.

Rule 1: the first one raises KeyboardInterrupt, so that every ``with`` and ``finally`` cleans up.
Rule 2: those that follow find the command cleaning up already, and are ignored.
Rule 3: while a process is being started they wait, so that none starts that nobody knows of.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

__all__ = ["ENDING", "held", "raise_on_signals"]

ENDING = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


def raise_on_signals() -> None:
    """Have the next ending signal raise KeyboardInterrupt; one that is ignored, as under nohup, stays so."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Until the block ends, ending signals wait.

    Masking them would not do: the system hands a signal to any thread that takes it, and Python then
    raises it in the main thread all the same.
    """
    if current_thread() is not main_thread():
        yield  # nothing is ever raised here
        return
    waiting: list[int] = []
    before = {number: signal.signal(number, lambda got, _: waiting.append(got)) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for got in waiting:
            signal.raise_signal(got)
