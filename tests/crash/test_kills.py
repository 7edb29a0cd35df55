"""SIGKILL at every commit of either side, at each place around it: what is left is audited from the files."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.crash import audit
from tests.crash.death import PLACES, Point
from tests.crash.plan import Item, Plan
from tests.crash.processes import CUSTODIAN, KILLED, RECEIVER, Run, free_port, together

# Waits in seconds. Where a machine is so slow that a process misses a wait, the case has not happened
# as it is meant, and is run again with longer ones.
TICKS = (0.2, 0.8, 3.2)

COMMIT = ("before", "inside", "after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A transfer, the commits of the victim at which it is killed, and how it must end."""

    item: Item
    victim: str
    commits: dict[tuple[str, int], tuple[str, ...]]
    ends: str
    dead_channel: bool = False

    def points(self) -> Iterator[Point]:
        for (commit, number), places in self.commits.items():
            for place in places:
                yield Point(commit=commit, number=number, place=place)


APPLIED = Item(id="o")
DECLINED = Item(id="o", answer="declined")
DEFERRED = Item(id="o", answer="deferred")
RESOLVED = Item(id="o", answer="deferred", later="applied")
TOO_LATE = Item(id="o", answer="deferred", later="applied", after=3.2)
BENIGN = Item(id="o", benign=True)

# The commit that makes a new file a store, too.
CREATED = {("_create", 1): COMMIT}

SCENARIOS = {
    "custodian, applied": Scenario(
        item=APPLIED,
        victim=CUSTODIAN,
        commits={**CREATED, ("accept", 1): COMMIT, ("attempt", 1): PLACES, ("discharge", 1): COMMIT},
        ends="applied",
    ),
    "custodian, declined": Scenario(
        item=DECLINED, victim=CUSTODIAN, commits={("discharge", 1): COMMIT}, ends="declined"
    ),
    "custodian, deferred": Scenario(
        item=DEFERRED, victim=CUSTODIAN, commits={("mark_deferred", 1): COMMIT}, ends="escalated"
    ),
    "custodian, dead channel": Scenario(
        item=APPLIED,
        victim=CUSTODIAN,
        commits={("attempt", 1): PLACES, ("attempt", 2): PLACES, ("escalate", 1): COMMIT},
        ends="escalated",
        dead_channel=True,
    ),
    "custodian, late answer": Scenario(
        item=TOO_LATE, victim=CUSTODIAN, commits={("note", 1): COMMIT}, ends="escalated"
    ),
    "custodian, best effort": Scenario(
        item=BENIGN, victim=CUSTODIAN, commits={("accept", 1): PLACES}, ends="best_effort"
    ),
    "receiver, applied": Scenario(
        item=APPLIED, victim=RECEIVER, commits={**CREATED, ("apply", 1): PLACES}, ends="applied"
    ),
    "receiver, declined": Scenario(
        item=DECLINED, victim=RECEIVER, commits={("decline", 1): PLACES}, ends="declined"
    ),
    "receiver, deferred": Scenario(
        item=RESOLVED, victim=RECEIVER, commits={("defer", 1): PLACES}, ends="applied"
    ),
    "receiver, resolved": Scenario(
        item=RESOLVED, victim=RECEIVER, commits={("apply", 1): PLACES}, ends="applied"
    ),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_lost_or_done_twice_whatever_commit_a_kill_hits(tmp_path, name):
    scenario = SCENARIOS[name]
    together(*(_killed(tmp_path, scenario, point) for point in scenario.points()))


async def _killed(folder: Path, scenario: Scenario, point: Point) -> None:
    for tick in TICKS:
        plan = Plan(items=[scenario.item], tick=tick, port=free_port(), linger=2)
        run = Run(folder / f"{point}-{tick}", plan)
        died = await _transfer(run, scenario, point)
        await run.finish()
        ends = run.seen.custody["o"].status
        if died and ends == scenario.ends:
            return
    raise AssertionError(f"{point}: {'' if died else 'never reached, '}{ends}, not {scenario.ends}")


async def _transfer(run: Run, scenario: Scenario, point: Point) -> bool:
    """Begin a transfer whose victim dies at a point, and go on with another; tell whether it died."""
    points = {scenario.victim: point}
    if not scenario.dead_channel:
        run.start(RECEIVER, points.get(RECEIVER))
        if point.commit != "_create" or scenario.victim == CUSTODIAN:
            await run.listening()
    run.start(CUSTODIAN, points.get(CUSTODIAN))
    died = await run.died(scenario.victim)
    if died:
        run.start(scenario.victim)
    return died


def test_a_receiver_that_is_killed_between_commit_and_answer_answers_again(tmp_path):
    async def killed(place: str) -> None:
        run = Run(tmp_path / place, Plan(items=[APPLIED], tick=TICKS[-1], port=free_port()))
        run.start(RECEIVER, Point(commit="apply", number=1, place=place))
        await run.listening()
        run.start(CUSTODIAN)
        assert await run.ended(RECEIVER) == KILLED
        acked_at = audit.agent(run.folder).ledger["o"][1]
        run.start(RECEIVER)
        await run.finish()
        row = run.seen.custody["o"]
        assert (row.status, row.deliveries) == ("applied", 2)
        assert audit.agent(run.folder).ledger["o"][1] == acked_at

    together(killed("after"), killed("unsent"))


def test_a_custodian_that_keeps_crashing_past_the_deadline_escalates_before_any_retry(tmp_path):
    async def crash_loop(tick: float) -> int:
        run = Run(tmp_path / f"{tick}", Plan(items=[APPLIED], tick=tick, port=free_port()))
        run.start(RECEIVER)
        await run.listening()
        code, crashes = KILLED, 0
        while code == KILLED:
            run.start(CUSTODIAN, Point(commit="attempt", number=1, place="inside"))
            code = await run.ended(CUSTODIAN)
            crashes += code == KILLED
        await run.finish()
        row, escalation = run.seen.custody["o"], run.seen.escalations["o"]
        assert (row.status, row.deliveries, escalation[0]) == ("escalated", 0, "deadline")
        assert audit.agent(run.folder).ledger == {}
        return crashes

    async def until_it_crashed_twice() -> None:
        for tick in TICKS:
            if await crash_loop(tick) > 1:
                return
        raise AssertionError("it came to its end too soon, however long the waits")

    together(until_it_crashed_twice())


def test_a_custodian_that_was_down_at_the_deadline_escalates_when_it_is_back(tmp_path):
    async def late() -> None:
        run = Run(tmp_path / "run", Plan(items=[APPLIED], tick=0.1, port=free_port()))
        run.start(RECEIVER)
        run.start(CUSTODIAN, Point(commit="attempt", number=1, place="unsent"))
        assert await run.ended(CUSTODIAN) == KILLED
        await asyncio.sleep(run.seen.custody["o"].deadline / 1e6 - time.time())
        run.start(CUSTODIAN)
        await run.finish()
        assert run.seen.custody["o"].deliveries == 1
        assert run.seen.escalations["o"][0] == "deadline"

    together(late())
