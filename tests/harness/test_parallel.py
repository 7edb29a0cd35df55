"""A walk shared out to processes: the same verdict as one, and no worker survives."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specwalk.divergence import Origin
from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.graph import StateGraph
from specwalk.tally import Tally
from specwalk.walk import WORTH_SHARING, walk, walk_in_parallel
from tests.harness.toy import ROOT, Counter, SnapshotModel, build, model_of

ORIGIN = Origin(model="toy", config="Toy.cfg")
TOP = WORTH_SHARING + 100

CHAIN = build(
    [(n, "Up", n + 1) for n in range(TOP)] + [(n + 1, "Down", n) for n in range(TOP)], alphabet=("Jump(2)",)
)


class High(Counter):
    def up(self) -> None:
        self.need(self.x < TOP)
        self.x += 1

    def jump(self, n: int) -> None:
        self.need(False)


class Faulty(High):
    """Goes down by two at each tenth state, and raises at some others."""

    def down(self) -> None:
        if self.x % 100 == 7:
            raise ValueError(self.x)
        super().down()
        self.x -= self.x % 10 == 9


class ExitsAt300(High):
    def up(self) -> None:
        if self.x == 300:
            os._exit(7)
        super().up()


class KilledAt300(High):
    def up(self) -> None:
        if self.x == 300:
            os.kill(os.getpid(), signal.SIGKILL)
        super().up()


class LacksOddAt300(High):
    def see(self) -> dict[str, object]:
        return {"x": 300} if self.x == 300 else super().see()


def shared(implementation: type[Counter], workers: int, graph: StateGraph = CHAIN) -> tuple[Tally, int]:
    steps: list[int] = []
    model = model_of(implementation)
    tally = walk_in_parallel(graph, lambda: model({}), ORIGIN, steps.append, workers)
    return tally, sum(steps)


@pytest.mark.parametrize("implementation", [High, Faulty])
@pytest.mark.parametrize("workers", [2, 3])
def test_several_processes_find_what_one_finds(implementation: type[Counter], workers: int) -> None:
    alone = walk(CHAIN, model_of(implementation)({}), ORIGIN)
    tally, steps = shared(implementation, workers)
    assert {key: (f.count, f.divergence.way) for key, f in tally.findings.items()} == {
        key: (f.count, f.divergence.way) for key, f in alone.findings.items()
    }
    assert (tally.states, tally.edges, tally.refusals) == (alone.states, alone.edges, alone.refusals)
    assert bool(tally.findings) is (implementation is Faulty)
    assert steps == (TOP + 1) * 3


def test_a_small_graph_is_walked_in_this_process() -> None:
    pids = set()

    class Noting(SnapshotModel):
        def observe(self) -> object:  # type: ignore[override]
            pids.add(os.getpid())
            return super().observe()

    walk_in_parallel(build(), lambda: Noting({}), ORIGIN, lambda _: None, workers=2)
    assert pids == {os.getpid()}


@pytest.mark.parametrize(("implementation", "code"), [(ExitsAt300, "7"), (KilledAt300, "-9")])
def test_a_worker_that_dies_is_a_problem(implementation: type[Counter], code: str, others: list[str]) -> None:
    with pytest.raises(EnvironmentProblem, match=rf"died \(exit code {code}\)\. Run with --workers 1"):
        shared(implementation, 2)
    assert children() == others


def test_a_worker_that_raises_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    class Unmade(SnapshotModel):
        def __init__(self, _constants: object) -> None:
            raise ArithmeticError("no model today")

    with pytest.raises(EnvironmentProblem, match=r"exit code 1"):
        walk_in_parallel(CHAIN, lambda: Unmade({}), ORIGIN, lambda _: None, workers=2)
    assert "ArithmeticError: no model today" in capfd.readouterr().err


def test_bad_input_in_a_worker_reaches_the_parent(others: list[str]) -> None:
    with pytest.raises(BadInput, match=r"variables x, odd; it returns x\."):
        shared(LacksOddAt300, 2)
    assert children() == others


@pytest.fixture
def others() -> list[str]:
    """Those that tests before have left for tests to come: a fork server."""
    return children()


def children() -> list[str]:
    """The processes that this one has started and that still run or wait to be collected."""
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


SLOW = """
import os, sys, time
from specwalk.walk import walk_in_parallel
from tests.harness.test_parallel import CHAIN, ORIGIN, High
from tests.harness.toy import model_of

class Slow(High):
    def up(self):
        time.sleep(0.1)
        super().up()

def on_steps(_):
    print("walking", *open(f"/proc/self/task/{os.getpid()}/children").read().split(), flush=True)

walk_in_parallel(CHAIN, lambda: model_of(Slow)({}), ORIGIN, on_steps, 2)
"""


def test_an_interrupt_leaves_no_worker() -> None:
    walking = subprocess.Popen(
        [sys.executable, "-c", SLOW],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with walking:
        assert walking.stdout is not None
        _, *workers = walking.stdout.readline().split()
        assert len(workers) == 2
        # As a terminal does: to the whole group.
        os.killpg(walking.pid, signal.SIGINT)
        _, errors = walking.communicate(timeout=20)
    assert errors.count("Traceback") == 1
    assert "KeyboardInterrupt" in errors
    assert not [pid for pid in workers if is_running(pid)]


def is_running(pid: str) -> bool:
    for _ in range(50):
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return False
        time.sleep(0.1)
    return True
