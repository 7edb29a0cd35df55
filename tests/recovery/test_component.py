"""The six recovery cases of the component study (section 6): response loss, and settlement rolled back.

After each the old worker, which is alive and was replaced, heartbeats: refused, and nothing happens.
"""

import json

import pytest

from abhyasa.recovery import Boundary, Lease, ledger
from abhyasa.recovery.checker import regrade
from tests.recovery.corpus import INSTANCE, LEASE_SPAN, LOST, PROMPT, Run
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import Stage


def replaced(contract, first, old_run):
    """Let a worker replace one that stands where its run has got to, and grade the history."""
    stage = Stage(ledger, CONTRACTS[contract], first)
    stage.run(old_run)
    stage.run(Run(worker="w2"))
    old = Lease(instance_id=INSTANCE.id, epoch=1, worker="w1")
    assert not stage.store.heartbeat(old, LEASE_SPAN, stage.clock())
    reservation = stage.store.reservation(INSTANCE.id)
    return regrade(json.loads(json.dumps(stage.finish()))), reservation


@pytest.mark.parametrize(
    ("contract", "grade", "reservation"),
    [
        pytest.param("P1", "completion", "charged", id="R01"),
        pytest.param("P2", "completion", "charged", id="R02"),
        pytest.param("P3", "unknown", "held", id="R03"),
    ],
)
def test_a_lost_response_is_looked_up_and_nothing_is_sent_again(contract, grade, reservation):
    verdict, left = replaced(contract, LOST, Run(worker="w1", to=Boundary.NOACK))
    assert (verdict.grade, left) == (grade, reservation)
    assert (verdict.effects, verdict.requests, verdict.lookups) == (1, 1, 1)


@pytest.mark.parametrize(
    "contract", [pytest.param("P1", id="R04"), pytest.param("P2", id="R05"), pytest.param("P3", id="R06")]
)
def test_a_settlement_that_was_rolled_back_is_made_from_what_was_observed(contract):
    aborted = Run(worker="w1", to=Boundary.SETTLE_ABORTED, settle_fails=True)
    verdict, left = replaced(contract, PROMPT, aborted)
    assert (verdict.grade, left) == ("completion", "charged")
    assert (verdict.effects, verdict.requests, verdict.lookups) == (1, 1, 0)
