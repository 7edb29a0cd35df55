"""A case that ends before its processes do takes them with it."""

from collections.abc import Iterator
from multiprocessing.process import BaseProcess

import pytest

from tests.crash.plan import Item, Plan
from tests.crash.processes import CUSTODIAN, KILLED, RECEIVER, Run, free_port, together


@pytest.fixture(scope="module")
def left() -> Iterator[list[BaseProcess]]:
    """What a case has left, looked at after it."""
    processes: list[BaseProcess] = []
    yield processes
    assert [process.exitcode for process in processes] == [KILLED, KILLED]


def test_what_a_case_has_started_is_killed_after_it(tmp_path, left):
    run = Run(tmp_path / "run", Plan(items=[Item(id="o")], tick=600.0, port=free_port()))

    async def begun() -> None:
        for program in (CUSTODIAN, RECEIVER):
            run.start(program)
            await run.logged(program, "start")

    together(begun())
    left.extend(run.running.values())
