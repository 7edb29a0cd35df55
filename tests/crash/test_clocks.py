"""A wall clock that jumps under a running custodian: forward escalates, back lengthens no window."""

import time

from tests.crash.plan import Item, Plan
from tests.crash.processes import CUSTODIAN, Run, free_port, together

HOUR = 3600.0


async def _jump(run: Run, seconds: float) -> None:
    """Let a custodian make its first attempt on a dead channel, then put its wall clock forward or back."""
    run.start(CUSTODIAN)
    await run.logged(CUSTODIAN, "attempt")
    run.jump(seconds)
    await run.finish()


def test_a_clock_that_jumps_past_the_deadline_escalates(tmp_path):
    # A window of half an hour: the test ends only if the jump is noticed.
    run = Run(tmp_path / "run", Plan(items=[Item(id="o")], tick=HOUR / 6, port=free_port()))
    together(_jump(run, HOUR), patience=30)
    assert run.seen.escalations["o"][0] == "deadline"
    assert run.seen.custody["o"].deliveries == 1


def test_a_clock_that_is_put_back_does_not_lengthen_the_window(tmp_path):
    # A clock that followed would come to the deadline in an hour.
    run = Run(tmp_path / "run", Plan(items=[Item(id="o")], tick=0.2, port=free_port()))
    together(_jump(run, -HOUR), patience=30)
    assert run.seen.custody["o"].status == "escalated"
    assert run.seen.escalations["o"][2] / 1e6 <= time.time()
