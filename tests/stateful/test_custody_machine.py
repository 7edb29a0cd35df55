"""The custody machine under Hypothesis: behaviours of the real endpoints, each step judged by Custody.tla.

Also beyond the bounds of the instances that are walked: two obligations with seven deliveries each. What
these behaviours show alone is planted here: faults that no single step from a snapshot has.
"""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from abhyasa import Custodian, Due, Status
from specwalk.divergence import Way
from specwalk.project import load_binding, new_model
from specwalk.replay import replay
from specwalk.stateful import machine_for
from specwalk.values import ModelValue, Value, function

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


def believe_a_sixth_early_timer(patch: pytest.MonkeyPatch) -> None:
    """A custodian to which a timer came too early in each of five waits in a row believes the sixth.

    It counts them in memory. A walk from snapshots takes one step at a time, so there it never sees five
    in a row, whatever the bounds.
    """
    real = Custodian.advance

    def advance(custodian: Any, obligation_id: str, now: datetime) -> Due | None:
        record = custodian.record(obligation_id)
        rows = vars(custodian).setdefault("rows", {})
        if record.status is Status.PENDING and custodian.due(obligation_id, now) is None:
            follows = record.deliveries in (1, rows.get(obligation_id, 0) + 1)
            rows[obligation_id] = record.deliveries if follows else 0
            now = record.due_at if rows[obligation_id] > 5 else now
        return real(custodian, obligation_id, now)

    patch.setattr(Custodian, "advance", advance)


def test_a_fault_of_long_behaviours_is_found_beyond_the_bounds(
    beyond: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    believe_a_sixth_early_timer(monkeypatch)
    # Without shrinking by Hypothesis: the walk that is shown is short nevertheless.
    quick = settings(settings.get_profile("quick"), phases=[Phase.generate])
    with pytest.raises(AssertionError, match=r"Custody_beyond\.cfg: ") as failure:
        run_state_machine_as_test(machine_for("custody", config=beyond), settings=quick)
    (note,) = (note for note in failure.value.__notes__ if note.startswith("custody at"))
    (line,) = (line for line in note.splitlines() if line.startswith("  the shortest walk to it: "))
    steps = line.partition(": ")[2].split(", ")
    # Five deliveries of one obligation to which no answer comes, and the sixth.
    assert [step.startswith("Lose") for step in steps[:-1]] == 5 * [True]
    assert len({step.partition("(")[2] for step in steps}) == 1


def test_a_transfer_that_ends_instead_of_a_delivery_leaves_no_copy() -> None:
    """Behaviours found this in the model: a timer that fires may end the transfer, and its copies too."""
    binding = load_binding("custody")
    config = binding.instance("single").config
    o1 = ModelValue("o1")
    pending: dict[str, Value] = {
        "state": "pending",
        "attempts": 0,
        "effects": 0,
        "protected": False,
        "clock": 0,
    }
    escalated: dict[str, Value] = {
        "state": "escalated",
        "attempts": 5,
        "effects": 0,
        "protected": True,
        "clock": 5,
    }
    way = Way(
        start={name: function({o1: value}) for name, value in pending.items()},
        steps=(*5 * ["Lose(o1)"], "try Lose(o1)", "try Apply(o1)"),
    )
    replay(
        lambda: new_model(binding, config),
        way,
        [{name: function({o1: value}) for name, value in escalated.items()}],
    )
