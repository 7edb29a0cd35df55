"""Cells played in one process and graded, for the tests that need many of them."""

import json

from abhyasa.recovery import POLICIES
from abhyasa.recovery.checker import regrade
from tests.recovery.corpus import SCHEDULES
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import Stage, play

_ALL = tuple(CONTRACTS.values())


def graded(schedule, contract, policy, **parts):
    """Play a cell and grade what is left of it after a round trip through JSON."""
    stage = Stage(policy, contract, schedule.first, **parts)
    history = play(schedule, stage)
    stage.store.close()
    return regrade(json.loads(json.dumps(history)))


def cells(schedules=SCHEDULES, contracts=_ALL):
    """Return the verdicts of all policies, by (schedule, contract, policy)."""
    return {
        (schedule.name, contract.name, name): graded(schedule, contract, policy)
        for schedule in schedules
        for contract in contracts
        for name, policy in POLICIES.items()
    }
