"""The component study (section 6), at a provider that counts: its authority cases, and its recovery cases.

A01 to A10 ask for a first dispatch; `test_authority` says with which reason each is denied. R01 to R06
are response loss, and settlement rolled back. After each of these the old worker, which is alive and was
replaced, heartbeats: refused, and nothing happens.
"""

import json
from collections import Counter
from dataclasses import replace

import pytest

from abhyasa.recovery import Application, Boundary, Fact, Lease, RecoveryStore, ledger
from abhyasa.recovery.checker import regrade
from tests.recovery.clock import Clock
from tests.recovery.corpus import EXPIRES_AT, INSTANCE, LEASE_SPAN, LOST, PROMPT, SCOPE, STRANGER, Run
from tests.recovery.providers import CONTRACTS, P1, SimulatedProvider
from tests.recovery.stage import DirectProvider, Stage, advance, set_up

#: An instance for which nobody was asked, and which outlives every lease.
UNAPPROVED = replace(INSTANCE, id="refund-19", approval=None, expires_at=3 * LEASE_SPAN)


def counted(instance=INSTANCE, said=(), at=0, scope=SCOPE, dependency=None):
    """Run an instance, with its admission no earlier than `at`; count effects, requests and lookups."""
    counts, store, clock = Counter(), RecoveryStore(), Clock()
    simulated = SimulatedProvider(P1, PROMPT, clock, lambda kind, _: counts.update([kind]))
    application = Application(
        store=store,
        provider=DirectProvider(simulated),
        policy=ledger,
        clock=clock,
        lease_span=LEASE_SPAN,
        dependency=dependency,
    )
    set_up(store, clock)
    store.register(instance)
    for fact, value in said:
        store.set_fact(fact, SCOPE, value, clock())
    steps = application.steps(instance.id, scope, "w1")
    advance(steps, Boundary.PRE_ADMIT)
    clock.reach(at)
    advance(steps, None)
    return tuple(counts[kind] for kind in ("effects", "requests", "lookups"))


def crash(_):
    raise ConnectionError("the dependency is down")


@pytest.mark.parametrize(
    ("case", "counts"),
    [
        pytest.param({"instance": UNAPPROVED}, (1, 1, 0), id="A01"),
        pytest.param({"said": [(Fact.APPROVAL_REQUIRED, 1)]}, (1, 1, 0), id="A02"),
        pytest.param({"said": [(Fact.GRANT, 0)]}, (0, 0, 0), id="A03"),
        pytest.param({"said": [(Fact.POLICY_EPOCH, 2)]}, (0, 0, 0), id="A04"),
        pytest.param({"instance": UNAPPROVED, "said": [(Fact.APPROVAL_REQUIRED, 1)]}, (0, 0, 0), id="A05"),
        pytest.param({"dependency": lambda _: False}, (0, 0, 0), id="A06 refuses"),
        pytest.param({"dependency": crash}, (0, 0, 0), id="A06 is down"),
        pytest.param({"instance": UNAPPROVED, "at": 2 * LEASE_SPAN}, (0, 0, 0), id="A07"),
        pytest.param({"said": [(Fact.CANCELLED, 1)]}, (0, 0, 0), id="A08"),
        pytest.param({"scope": STRANGER}, (0, 0, 0), id="A09"),
        pytest.param({"at": EXPIRES_AT}, (0, 0, 0), id="A10"),
    ],
)
def test_what_is_permitted_is_sent_once_and_what_is_denied_never(case, counts):
    assert counted(**case) == counts


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
