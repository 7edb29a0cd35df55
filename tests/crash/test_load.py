"""SIGKILL at random times under load: a seed is printed, and draws the obligations, victims and times."""

import asyncio
import os
import random
from pathlib import Path

import pytest

from tests.crash import audit
from tests.crash.plan import ORDERS, Consenting, Item, Plan, consents
from tests.crash.processes import CUSTODIAN, RECEIVER, Run, free_port, together

# Every way in which an obligation can go.
ANSWERS = (
    {},
    {"answer": "declined"},
    {"answer": "deferred"},
    {"answer": "deferred", "later": "applied"},
    {"answer": "deferred", "later": "declined", "after": 1.5},
    {"answer": "deferred", "later": "applied", "after": 3.2},
    {"benign": True},
)
ROUNDS = 6
TICK = 0.12
KILLS_AT_MOST = 10


async def _load(folder: Path, seed: int) -> tuple[int, Run]:
    """Run a load to its end under random kills; return how many there were."""
    draw = random.Random(seed)
    items: list[Item | Consenting] = []
    for number in range(ROUNDS):
        ways = draw.sample(ANSWERS, len(ANSWERS))
        items += [Item(id=f"o{number}-{way}", **fields) for way, fields in enumerate(ways)]
        items += consents(f"scope{number}", *draw.choice(list(ORDERS.values())))
    run = Run(folder, Plan(items=items, tick=TICK, port=free_port(), gap=0.05, linger=2))
    run.start(RECEIVER)
    run.start(CUSTODIAN)
    kills = 0
    while CUSTODIAN in run.running and kills < KILLS_AT_MOST:
        victim = draw.choice((CUSTODIAN, RECEIVER))
        if draw.random() < 0.8:  # else it may be killed while it starts
            await run.logged(victim, "start")
        await asyncio.sleep(draw.uniform(0.0, 2 * TICK))
        killed = await run.kill(victim)
        kills += killed
        await asyncio.sleep(draw.choice((0.0, 0.0, 0.5 * TICK, 4 * TICK)))
        if killed:
            run.start(victim)
    await run.finish()
    return kills, run


def _kill_under_load(folder: Path, seed: int, runs: int) -> int:
    """Do several loads at once; return how many kills they had in all, and see that they had variety."""
    print(f"seed {seed}")
    done: list[tuple[int, Run]] = []

    async def one(number: int) -> None:
        done.append(await _load(folder / str(number), seed + number))

    together(*(one(number) for number in range(runs)))
    statuses = {row.status for _, run in done for row in run.seen.custody.values()}
    answers = {answer for _, run in done for answer, *_ in audit.agent(run.folder).ledger.values()}
    assert statuses == {"applied", "declined", "escalated", "best_effort"}
    assert answers == {"applied", "declined", "deferred"}
    return sum(kills for kills, _ in done)


def test_nothing_is_lost_or_done_twice_under_kills_at_random_times(tmp_path):
    assert _kill_under_load(tmp_path, seed=1, runs=3) >= 20


@pytest.mark.deep
def test_nothing_is_lost_or_done_twice_under_500_kills_at_random_times(tmp_path):
    kills, seed = 0, int(os.environ.get("SEED") or random.SystemRandom().randrange(10**6))
    while kills < 500:
        kills += _kill_under_load(tmp_path / str(kills), seed + kills, runs=6)
    print(f"{kills} kills, 0 violations")
