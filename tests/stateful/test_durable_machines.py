"""The machines of DurableCustody, Supersession and Recovery under Hypothesis: long behaviours, with crashes.

A walk from snapshots takes one step at a time; here custodians and workers die again and again on the way.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from model.process import MortalCustody, Process
from specwalk.stateful import machine_for

SPEC = Path(__file__).parents[2] / "spec"


@pytest.mark.parametrize(
    ("model", "instance"),
    [
        ("durable", "one"),
        pytest.param("durable", "skewed", marks=pytest.mark.deep),
        pytest.param("durable", "two", marks=pytest.mark.deep),
        ("supersession", "three"),
        pytest.param("recovery", "losses", marks=pytest.mark.deep),
    ],
)
def test_behaviours(model: str, instance: str, effort: settings) -> None:
    run_state_machine_as_test(machine_for(model, instance), settings=effort)


def test_a_custodian_that_wears_out_by_resuming_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it forgets at its third start no single step from a snapshot shows."""
    resume = Process.resume

    def wear_out(process: Any) -> None:
        process.starts = getattr(process, "starts", 0) + 1
        resume(process)
        if process.starts == 3 and isinstance(process.store, MortalCustody):
            process.store._db.execute("UPDATE custody SET deliveries = 0")

    monkeypatch.setattr(Process, "resume", wear_out)
    # Without shrinking by Hypothesis: the walk that is shown is short nevertheless.
    quick = settings(settings.get_profile("quick"), phases=[Phase.generate])
    machine = machine_for("durable", config=SPEC / "DurableCustody_brief.cfg")
    with pytest.raises(AssertionError, match=r"DurableCustody_brief\.cfg: ") as failure:
        run_state_machine_as_test(machine, settings=quick)
    (note,) = (note for note in failure.value.__notes__ if note.startswith("durable at"))
    assert note.count('Resume("custodian")') >= 3
