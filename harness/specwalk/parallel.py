"""Share work out to processes, one per core, and bring their results together.

Rule 1: workers are forked, so that what they work on need not travel.
Rule 2: workers ignore Ctrl-C, which the parent receives and answers by ending them.
Rule 3: a worker that dies is an error; what it found is not enough for a verdict.
"""

import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Protocol, Self, TypeAlias, TypeVar

from specwalk.errors import EnvironmentProblem, SpecwalkError
from specwalk.interrupts import held

__all__ = ["WHOLE", "OnSteps", "Share", "peak_memory", "share_out"]

OnSteps: TypeAlias = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Share:
    """Sharer ``index`` of ``count``."""

    index: int
    count: int


WHOLE = Share(0, 1)


class Mergeable(Protocol):
    """Results that add up."""

    def merge(self, other: Self, /) -> None:
        """Take another sharer's results in."""


_Result = TypeVar("_Result", bound=Mergeable)
Job: TypeAlias = Callable[[Share, OnSteps], _Result]


def share_out(job: Job[_Result], on_steps: OnSteps, workers: int) -> _Result:
    """Do a job with so many processes; with one, or where processes cannot be forked, in this one.

    Args:
        job: does a share and calls its second argument with each number of steps done.

    Raises:
        EnvironmentProblem: a worker died.
        SpecwalkError: what a worker raised, such as a BadInput for a model that returns no values.
    """
    if workers < 2 or "fork" not in multiprocessing.get_all_start_methods():
        return job(WHOLE, on_steps)
    processes: dict[Connection, BaseProcess] = {}
    results: list[_Result] = []
    try:
        for index in range(workers):
            _start(job, Share(index, workers), processes)
        while processes:
            for pipe in wait(list(processes)):
                assert isinstance(pipe, Connection)
                _receive(pipe, processes, results, on_steps)
    finally:
        for process in processes.values():
            process.kill()
            process.join()
    total, *others = results
    for other in others:
        total.merge(other)
    return total


def peak_memory() -> int:
    """The most that this process has held so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # Linux counts in KiB


def _start(job: Job[_Result], share: Share, processes: dict[Connection, BaseProcess]) -> None:
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    process = fork.Process(target=_work, args=(job, share, there), daemon=True)
    # A signal waits until the worker is known here, and until it has said what signals mean to it.
    with held():
        process.start()
        processes[here] = process
    there.close()


def _receive(
    pipe: Connection, processes: dict[Connection, BaseProcess], results: list[_Result], on_steps: OnSteps
) -> None:
    try:
        message = pipe.recv()
    except EOFError:
        process = processes[pipe]
        process.join()
        raise EnvironmentProblem(
            f"A walking process died (exit code {process.exitcode}). Run with --workers 1 to see where."
        ) from None
    match message:
        case int():
            on_steps(message)
        case SpecwalkError():
            raise message
        case _:
            results.append(message)
            processes.pop(pipe).join()


def _work(job: Job[_Result], share: Share, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    failed = 0
    try:
        pipe.send(job(share, pipe.send))
    except SpecwalkError as problem:
        pipe.send(problem)
    except BaseException:
        traceback.print_exc()
        failed = 1
    finally:
        # What the parent registered to run at its own exit is not a worker's to run.
        os._exit(failed)
