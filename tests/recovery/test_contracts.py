"""What a provider promises decides the figures: change a promise, and they change."""

from dataclasses import replace

import pytest

from tests.recovery.corpus import SCHEDULES
from tests.recovery.providers import P1, P2, P3
from tests.recovery.rig import cells
from tests.recovery.table import by_policy


def passes(contract):
    """Return, by policy, how many of the 14 schedules pass with a contract."""
    table = by_policy(cells(contracts=(contract,)))
    return {policy: row["pass"] for policy, row in table.items()}, {
        policy: row["completions"] for policy, row in table.items()
    }


@pytest.mark.parametrize(
    ("contract", "passed", "completed"),
    [
        # By hand, from the closed form: 5 completions and 5 denials, then S11 to S14.
        pytest.param(P1, (10, 12, 11, 14), (5, 5, 6, 8), id="P1"),
        pytest.param(P2, (10, 12, 10, 14), (5, 5, 5, 8), id="P2"),
        pytest.param(P3, (10, 12, 10, 14), (5, 5, 5, 5), id="P3"),
        # Ledger reconciliation of S11, S12 and S13 finds nothing.
        pytest.param(replace(P1, lookup=False), (10, 12, 11, 14), (5, 5, 6, 5), id="P1 without lookup"),
        # S12 alone closes the window.
        pytest.param(replace(P1, outlives=False), (10, 12, 11, 14), (5, 5, 6, 7), id="outcomes go with keys"),
        # Stable key's S11 is a repetition too.
        pytest.param(replace(P1, dedup=False), (10, 12, 10, 14), (5, 5, 5, 8), id="P1 without deduplication"),
        pytest.param(replace(P3, lookup=True), (10, 12, 10, 14), (5, 5, 5, 8), id="P3 with lookup"),
    ],
)
def test_what_passes_and_completes_follows_from_the_contract(contract, passed, completed):
    policies = ("cached", "revalidate", "stable_key", "ledger")
    assert passes(contract) == (
        dict(zip(policies, passed, strict=True)),
        dict(zip(policies, completed, strict=True)),
    )


def test_a_key_that_is_registered_at_commit_does_not_cover_a_request_that_is_still_pending():
    late = replace(P1, registers="commit")
    (delayed,) = [schedule for schedule in SCHEDULES if schedule.first.commits is False]
    found = {
        contract.registers: cells((delayed,), (contract,))[delayed.name, "P1", "stable_key"]
        for contract in (P1, late)
    }
    assert (found["acceptance"].effects, found["commit"].effects) == (1, 2)
    assert by_policy(cells(contracts=(late,)))["stable_key"]["over the effect allowance"] == 2
    assert by_policy(cells(contracts=(P1,)))["stable_key"]["over the effect allowance"] == 1
