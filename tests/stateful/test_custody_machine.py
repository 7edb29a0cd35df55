"""The custody machine under Hypothesis: behaviours of the real endpoints, each step judged by Custody.tla.

Also beyond the bounds of the instances that are walked: two obligations with seven deliveries each. What
these behaviours show alone is planted here: faults that no single step from a snapshot has.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from abhyasa.endpoint import Custodian
from specwalk.divergence import Way
from specwalk.project import load_binding, new_model
from specwalk.replay import replay
from specwalk.stateful import machine_for
from specwalk.values import ModelValue

BEYOND = """
CONSTANTS
    Obligations = {o1, o2}
    Admissible = {o1, o2}
    MaxRetries = 6
    Deadline = 9
    ProtectOnDecline = TRUE
SPECIFICATION Spec
"""


@pytest.fixture(scope="module")
def beyond(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration with larger bounds than those of the model's instances."""
    config = tmp_path_factory.mktemp("beyond") / "Custody_beyond.cfg"
    config.write_text(BEYOND)
    return config


@pytest.mark.parametrize("instance", ["single", "deadline"])
def test_behaviours_at_the_bounds_that_are_walked(instance: str, effort: settings) -> None:
    run_state_machine_as_test(machine_for("custody", instance), settings=effort)


def test_behaviours_beyond_those_bounds(beyond: Path, effort: settings) -> None:
    run_state_machine_as_test(machine_for("custody", config=beyond), settings=effort)


def open_the_circuit_after_five(patch: pytest.MonkeyPatch) -> None:
    """A custodian that made five deliveries of an obligation in a row makes no sixth.

    It counts them in memory. A walk from snapshots takes one step at a time, so there it never makes
    five in a row; nor does any instance that is walked allow a sixth.
    """
    real = Custodian._execute

    def execute(custodian: Any, commands: Any) -> None:
        vars(custodian).setdefault("row", {})
        real(custodian, tuple(command for command in commands if not _tripped(custodian.row, command)))

    patch.setattr(Custodian, "_execute", execute)


def _tripped(row: dict[str, int], command: Any) -> bool:
    delivery = getattr(command, "delivery", None)
    if delivery is None:
        return False
    name, made = delivery.obligation.id, delivery.attempt
    row[name] = made if made in (1, row.get(name, 0) + 1) else 0
    return row[name] > 5


def test_a_fault_of_long_behaviours_is_found_beyond_the_bounds(
    beyond: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_the_circuit_after_five(monkeypatch)
    # Without shrinking by Hypothesis: the walk that is shown is short nevertheless.
    quick = settings(settings.get_profile("quick"), phases=[Phase.generate])
    with pytest.raises(AssertionError, match=r"does not offer a step") as failure:
        run_state_machine_as_test(machine_for("custody", config=beyond), settings=quick)
    (note,) = (note for note in failure.value.__notes__ if note.startswith("custody at"))
    (line,) = (line for line in note.splitlines() if line.startswith("  the shortest walk to it: "))
    steps = line.partition(": ")[2].split(", ")
    # Five deliveries of one obligation whose answers do not come, and the sixth.
    assert [step.startswith("Lose") for step in steps[:-1]] == 5 * [True]
    assert len({step.partition("(")[2] for step in steps}) == 1


def test_a_transfer_that_ends_instead_of_a_delivery_leaves_no_copy() -> None:
    """Behaviours found this in the model: a timer that fires may end the transfer, and its copies too."""
    binding = load_binding("custody")
    config = binding.instance("single").config
    o1 = ModelValue("o1")
    pending = {"state": "pending", "attempts": 0, "effects": 0, "protected": False, "clock": 0}
    escalated = {"state": "escalated", "attempts": 5, "effects": 0, "protected": True, "clock": 5}
    way = Way(
        start={name: {o1: value} for name, value in pending.items()},
        steps=(*5 * ["Lose(o1)"], "try Lose(o1)", "try Apply(o1)"),
    )
    replay(
        lambda: new_model(binding, config), way, [{name: {o1: value} for name, value in escalated.items()}]
    )
