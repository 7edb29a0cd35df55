"""The 168 cells, played in one process, against the published figures and a closed form."""

import pytest

from tests.recovery import expected
from tests.recovery.corpus import EXTENSIONS
from tests.recovery.providers import P1
from tests.recovery.rig import cells
from tests.recovery.table import by_policy


@pytest.fixture(scope="module")
def corpus():
    return cells()


def seen(verdict):
    return verdict.grade, verdict.report, verdict.effects, verdict.rules


def test_every_cell_is_what_the_closed_form_says(corpus):
    wanted = {
        (schedule, contract, policy): expected.cell(schedule, contract, policy)
        for schedule in expected.FACTS
        for contract in expected.CONTRACTS
        for policy in expected.POLICIES
    }
    assert len(wanted) == 168
    assert {cell: seen(verdict) for cell, verdict in corpus.items()} == wanted


@pytest.mark.parametrize(("heading", "published"), expected.PUBLISHED.items())
def test_the_cells_come_to_the_published_figures(corpus, heading, published):
    table = by_policy(corpus)
    assert {policy: table[policy][heading] for policy in published} == published
    assert all(row["histories"] == 42 for row in table.values())


def test_the_two_kinds_of_findings_of_stable_key_overlap_in_as_many_as_the_failures_leave(corpus):
    row = by_policy(corpus)["stable_key"]
    either = row["over the effect allowance"] + row["authority findings"] - row["both findings"]
    assert row["both findings"] == 4  # 9 + 6 - 4 = 11 = 42 - 31
    assert either == row["histories"] - row["pass"]


def test_ledger_reconciliation_passes_the_extension_histories_too():
    verdicts = cells(EXTENSIONS)
    assert {cell[0] for cell in verdicts} == {schedule.name for schedule in EXTENSIONS}
    assert all(verdict.grade != "failure" for cell, verdict in verdicts.items() if cell[2] == "ledger")


def test_a_key_that_was_live_at_the_intent_may_be_dead_when_the_request_arrives():
    """R5 judges the intent, so it has nothing to say; there are two effects nevertheless."""
    (late,) = [schedule for schedule in EXTENSIONS if schedule.name == "X08_sent_too_late_for_its_key"]
    verdicts = cells((late,), (P1,))
    assert verdicts[late.name, "P1", "stable_key"].rules == {"R7"}
    assert verdicts[late.name, "P1", "stable_key"].effects == 2
