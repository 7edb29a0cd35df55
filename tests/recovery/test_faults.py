"""Each planted fault is caught by the rule that is meant for it, and what is sound is not."""

import pytest

from tests.recovery import expected
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.faults import FAULTS, UNSEEN
from tests.recovery.providers import CONTRACTS
from tests.recovery.rig import graded
from tests.recovery.test_corpus import seen

BY_NAME = {schedule.name: schedule for schedule in (*SCHEDULES, *EXTENSIONS)}


def planted(fault, schedule, contract):
    return graded(
        schedule, CONTRACTS[contract], fault.policy, application=fault.application, store=fault.store
    )


@pytest.mark.parametrize("name", [*FAULTS, *UNSEEN])
def test_a_fault_is_caught_by_its_rule(name):
    fault = (FAULTS | UNSEEN)[name]
    schedule = BY_NAME[fault.schedule]
    assert fault.rule not in graded(schedule, CONTRACTS[fault.contract], fault.sound).rules
    assert fault.rule in planted(fault, schedule, fault.contract).rules


@pytest.mark.parametrize("name", UNSEEN)
def test_the_schedules_of_the_study_do_not_show_what_the_extensions_are_for(name):
    for schedule in SCHEDULES:
        for contract in CONTRACTS:
            found = seen(planted(UNSEEN[name], schedule, contract))
            assert found == expected.cell(schedule.name, contract, "ledger")


def test_every_rule_has_a_fault_that_it_catches():
    assert {fault.rule for fault in FAULTS.values()} == {f"R{number}" for number in range(1, 15)}
