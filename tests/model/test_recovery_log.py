"""Every scripted history is a path of Recovery.tla's graph, hidden half included; that of a fault is none.

What is validated is what the study keeps of a cell: the store's records, and the provider's ledger.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from abhyasa.recovery import POLICIES, ledger
from model.recovery_log import lines
from specwalk.errors import ExitCode
from specwalk.project import load_binding, new_model
from specwalk.validate import Machine, Possible, Validation, validate
from tests.explored import explored
from tests.harness.logs import Silent
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.faults import FAULTS, UNSEEN
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import Stage, play


@cache
def possible(policy: str) -> Possible:
    """What TLC explores of a policy: every contract, every way to lose authority."""
    binding = load_binding("recovery")
    config = binding.instance(f"{policy}_any").config
    return Possible([Machine(graph=explored(binding.spec, config), model=new_model(binding, config))])


def validated(history: Mapping[str, Any], policy: str, folder: Path) -> Validation:
    """Validate what a history is after a round trip through JSON."""
    log = folder / "history.jsonl"
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines(json.loads(json.dumps(history)))))
    return validate(possible(policy), [log], Silent())


@pytest.mark.parametrize(
    "policy",
    [pytest.param(name, marks=[] if name == "ledger" else [pytest.mark.deep]) for name in POLICIES],
)
@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_scripted_history_is_a_behaviour_of_the_spec(
    policy: str, contract: str, tmp_path: Path
) -> None:
    # The bounds of the others have no third dispatch, which some extensions ask for.
    for schedule in (*SCHEDULES, *(EXTENSIONS if policy == "ledger" else ())):
        stage = Stage(POLICIES[policy], CONTRACTS[contract], schedule.first)
        found = validated(play(schedule, stage), policy, tmp_path)
        assert not found.rejections, f"{schedule.name}: {found.rejections[0]}"
        assert found.exit_code == 0
        assert not found.reordered


LEDGERS = {name: fault for name, fault in (FAULTS | UNSEEN).items() if fault.sound is ledger}
#: What the spec does not speak of: content, the numbers of leases, and that nothing more comes.
UNSPOKEN = {"another principal", "another amount", "epochs skip", "says nothing"}


@pytest.mark.parametrize("name", LEDGERS)
def test_the_history_of_a_fault_is_none_unless_the_spec_does_not_speak_of_it(
    name: str, tmp_path: Path
) -> None:
    fault = LEDGERS[name]
    schedule = next(one for one in (*SCHEDULES, *EXTENSIONS) if one.name == fault.schedule)
    parts = {"application": fault.application, "store": fault.store}
    stage = Stage(fault.policy, CONTRACTS[fault.contract], schedule.first, **parts)
    found = validated(play(schedule, stage), "ledger", tmp_path)
    assert found.exit_code == (ExitCode.OK if name in UNSPOKEN else ExitCode.DIVERGENCE)
