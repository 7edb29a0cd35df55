"""Share a walk out to processes, one per core, and bring their tallies together.

Rule 1: workers are forked, so that graph and model need not travel; each makes its own model.
Rule 2: workers ignore Ctrl-C, which the parent receives and answers by ending them.
Rule 3: a worker that dies is an error; what it found is not enough for a verdict.
"""

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from specwalk.divergence import Origin
from specwalk.errors import EnvironmentProblem, SpecwalkError
from specwalk.graph import StateGraph
from specwalk.interrupts import held
from specwalk.model import Model
from specwalk.tally import Tally
from specwalk.walk import OnSteps, Share, walk

__all__ = ["walk_in_parallel"]

# Below this many states, starting processes costs more than it saves.
WORTH_SHARING = 500

Job = Callable[[Share, OnSteps], Tally]


def walk_in_parallel(
    graph: StateGraph, make_model: Callable[[], Model], origin: Origin, on_steps: OnSteps, workers: int
) -> Tally:
    """Walk the whole graph with up to ``workers`` processes.

    Raises:
        EnvironmentProblem: a worker died.
        SpecwalkError: what a worker raised, such as a BadInput for a model that returns no values.
    """

    def job(share: Share, report: OnSteps) -> Tally:
        return walk(graph, make_model(), origin, share, report)

    forks = "fork" in multiprocessing.get_all_start_methods()
    if workers < 2 or not forks or len(graph.states) < WORTH_SHARING:
        return job(Share(), on_steps)
    return _gather(job, workers, on_steps)


def _gather(job: Job, workers: int, on_steps: OnSteps) -> Tally:
    processes: dict[Connection, BaseProcess] = {}
    total = Tally()
    try:
        for index in range(workers):
            _start(job, Share(index, workers), processes)
        while processes:
            for pipe in wait(list(processes)):
                assert isinstance(pipe, Connection)
                _receive(pipe, processes, total, on_steps)
    finally:
        for process in processes.values():
            process.kill()
            process.join()
    return total


def _start(job: Job, share: Share, processes: dict[Connection, BaseProcess]) -> None:
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    process = fork.Process(target=_work, args=(job, share, there), daemon=True)
    # A signal waits until the worker is known here, and until it has said what signals mean to it.
    with held():
        process.start()
        processes[here] = process
    there.close()


def _receive(
    pipe: Connection, processes: dict[Connection, BaseProcess], total: Tally, on_steps: OnSteps
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
        case Tally():
            total.merge(message)
            processes.pop(pipe).join()
        case SpecwalkError():
            raise message


def _work(job: Job, share: Share, pipe: Connection) -> None:
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
