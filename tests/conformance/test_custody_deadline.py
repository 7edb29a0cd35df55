# Written by `specwalk regenerate custody`: change Custody.tla or the model, and regenerate.
"""Custody.tla at Custody_deadline.cfg: all 28 transitions, in behaviours of the fewest steps.

Each test starts the implementation and takes the steps of a trace in traces/custody/deadline.
A step names what it changes, of a function the entries; all else must stay as it is.
"""

from pathlib import Path

from specwalk.conformance import Behaviour
from specwalk.values import ModelValue

MODEL = Path(__file__).parents[2] / "model/custody.py"
CONFIG = "Custody_deadline.cfg"

o1 = ModelValue("o1")


def begin() -> Behaviour:
    """The implementation in the initial state of the spec."""
    return Behaviour(
        MODEL,
        CONFIG,
        state={o1: "pending"},
        attempts={o1: 0},
        effects={o1: 0},
        protected={o1: False},
        clock={o1: 0},
    )


def test_apply_settled() -> None:
    """Only this test takes Apply(o1) in step 1 and Settled in step 2."""
    behaviour = begin()
    behaviour.step("Apply", o1, state={o1: "applied"}, effects={o1: 1})
    behaviour.step("Settled")


def test_decline_settled() -> None:
    """Only this test takes Decline(o1) in step 1 and Settled in step 2."""
    behaviour = begin()
    behaviour.step("Decline", o1, state={o1: "declined"})
    behaviour.step("Settled")


def test_lose_apply_settled() -> None:
    """Only this test takes Apply(o1) in step 2 and Settled in step 3."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("Apply", o1, state={o1: "applied"}, effects={o1: 1})
    behaviour.step("Settled")


def test_lose_decline_settled() -> None:
    """Only this test takes Decline(o1) in step 2 and Settled in step 3."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("Decline", o1, state={o1: "declined"})
    behaviour.step("Settled")


def test_lose_x2_apply_settled() -> None:
    """Only this test takes Apply(o1) in step 3 and Settled in step 4."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("Lose", o1, attempts={o1: 2}, clock={o1: 2})
    behaviour.step("Apply", o1, state={o1: "applied"}, effects={o1: 1})
    behaviour.step("Settled")


def test_lose_x2_decline_settled() -> None:
    """Only this test takes Decline(o1) in step 3 and Settled in step 4."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("Lose", o1, attempts={o1: 2}, clock={o1: 2})
    behaviour.step("Decline", o1, state={o1: "declined"})
    behaviour.step("Settled")


def test_lose_x3_escalate_by_deadline_settled() -> None:
    """Only this test takes Lose(o1) in step 3, EscalateByDeadline(o1) in step 4 and Settled in step 5."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("Lose", o1, attempts={o1: 2}, clock={o1: 2})
    behaviour.step("Lose", o1, attempts={o1: 3}, clock={o1: 3})
    behaviour.step("EscalateByDeadline", o1, state={o1: "escalated"}, protected={o1: True})
    behaviour.step("Settled")


def test_lose_x2_lose_ack_escalate_by_deadline_settled() -> None:
    """Only this test takes LoseAck(o1) in step 3, EscalateByDeadline(o1) in step 4 and Settled in step 5."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("Lose", o1, attempts={o1: 2}, clock={o1: 2})
    behaviour.step("LoseAck", o1, attempts={o1: 3}, effects={o1: 1}, clock={o1: 3})
    behaviour.step("EscalateByDeadline", o1, state={o1: "escalated"}, protected={o1: True})
    behaviour.step("Settled")


def test_lose_lose_ack_apply() -> None:
    """Only this test takes LoseAck(o1) in step 2 and Apply(o1) in step 3."""
    behaviour = begin()
    behaviour.step("Lose", o1, attempts={o1: 1}, clock={o1: 1})
    behaviour.step("LoseAck", o1, attempts={o1: 2}, effects={o1: 1}, clock={o1: 2})
    behaviour.step("Apply", o1, state={o1: "applied"})


def test_lose_ack_apply() -> None:
    """Only this test takes Apply(o1) in step 2."""
    behaviour = begin()
    behaviour.step("LoseAck", o1, attempts={o1: 1}, effects={o1: 1}, clock={o1: 1})
    behaviour.step("Apply", o1, state={o1: "applied"})


def test_lose_ack_lose_x2() -> None:
    """Only this test takes Lose(o1) in steps 2 to 3."""
    behaviour = begin()
    behaviour.step("LoseAck", o1, attempts={o1: 1}, effects={o1: 1}, clock={o1: 1})
    behaviour.step("Lose", o1, attempts={o1: 2}, clock={o1: 2})
    behaviour.step("Lose", o1, attempts={o1: 3}, clock={o1: 3})


def test_lose_ack_x3() -> None:
    """Only this test takes LoseAck(o1) in steps 2 to 3."""
    behaviour = begin()
    behaviour.step("LoseAck", o1, attempts={o1: 1}, effects={o1: 1}, clock={o1: 1})
    behaviour.step("LoseAck", o1, attempts={o1: 2}, clock={o1: 2})
    behaviour.step("LoseAck", o1, attempts={o1: 3}, clock={o1: 3})


# specwalk wrote this file, and may replace it as long as nobody has edited it: d8684a635070b6c9
