"""Decisions on one authority, issued close together: whatever a kill hits, neither side falls back.

Each run is audited from the files, and its logs are validated against both specs.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.crash import audit, receiver
from tests.crash.death import Point, read_point
from tests.crash.plan import ORDERS, Plan, consents
from tests.crash.processes import CUSTODIAN, RECEIVER, Run, free_port, together

# Waits in seconds, as in `test_kills`: where a machine is too slow, the case is run again with longer ones.
TICKS = (0.2, 0.8, 3.2)

#: Who is killed where, one after another.
Deaths: TypeAlias = Sequence[tuple[str, Point]]


def deaths(*told: str) -> Deaths:
    """Read deaths such as "custodian attempt:1:unsent"."""
    named = {"custodian": CUSTODIAN, "receiver": RECEIVER}
    return [(named[victim], read_point(point)) for victim, point in map(str.split, told)]


KILLS = [
    *[
        f"custodian {commit}:{place}"
        for commit in ("accept:2", "discharge:1")
        for place in ("inside", "after")
    ],
    *[f"custodian attempt:1:{place}" for place in ("inside", "after", "unsent")],
    *[
        f"receiver {commit}:{place}"
        for commit in ("apply:1", "apply:2")
        for place in ("inside", "after", "unsent")
    ],
]

# The first delivery of the first decision is lost with its process; that of the second one arrives.
OVERTAKEN = "custodian attempt:1:unsent"


@pytest.mark.parametrize("order", ORDERS)
def test_neither_side_falls_back_whatever_commit_a_kill_hits(tmp_path, order):
    together(*(_ended(tmp_path / kill, ORDERS[order], deaths(kill)) for kill in KILLS))


# How the first decision ends: its status, why the receiver declined it, and whether safe(O) was applied.
DECLINED = ("declined", "superseded", 0)
UNHEARD = ("escalated", "superseded", 0)
LOST = ("escalated", None, 0)


@pytest.mark.parametrize("order", ORDERS)
def test_what_was_overtaken_is_declined_or_its_loss_is_reported_and_nothing_gives_way_to_it(tmp_path, order):
    # Its second delivery comes when all others are done: it is the last attempt of the second run.
    lost = f"custodian attempt:{len(ORDERS[order])}:unsent"
    ends = {
        (OVERTAKEN,): DECLINED,
        (OVERTAKEN, "receiver decline:1:inside"): LOST,
        (OVERTAKEN, "receiver decline:1:after"): UNHEARD,
        (OVERTAKEN, "receiver decline:1:unsent"): UNHEARD,
        (OVERTAKEN, lost): LOST,
        (OVERTAKEN, lost, "custodian escalate:1:inside"): LOST,
        (OVERTAKEN, lost, "custodian escalate:1:after"): LOST,
    }
    together(
        *(_ended(tmp_path / kills[-1], ORDERS[order], deaths(*kills), end) for kills, end in ends.items())
    )


async def _ended(
    folder: Path, grants: Sequence[bool], deaths: Deaths, end: tuple[str, str | None, int] | None = None
) -> None:
    """Run decisions whose processes die as told, until that has happened, and the first ended as it must."""
    for tick in TICKS:
        run = Run(folder / str(tick), Plan(items=consents("calendar", *grants), tick=tick, port=free_port()))
        died = await _decided(run, deaths)
        await run.finish()
        reasons = dict(audit.look(run.folder / receiver.STORE, said="SELECT id, reason FROM ledger")["said"])
        first = run.seen.custody["calendar-1"]
        ended = (first.status, reasons.get("calendar-1"), first.protected)
        if died and end in (ended, None):
            return
    raise AssertionError(f"{deaths}: {'' if died else 'not all reached, '}{ended}, not {end}")


async def _decided(run: Run, deaths: Deaths) -> bool:
    """Start both sides; restart whoever dies; tell whether all deaths came about."""
    left = {
        program: [point for victim, point in deaths if victim == program] for program in (RECEIVER, CUSTODIAN)
    }

    def start(program: str) -> None:
        run.start(program, left[program].pop(0) if left[program] else None)

    start(RECEIVER)
    await run.listening()
    start(CUSTODIAN)
    for victim, _ in deaths:
        if not await run.died(victim):
            return False
        start(victim)
    return True
