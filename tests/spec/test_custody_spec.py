"""Custody.tla: every instance checks every claim, and the figures are those of the paper's instance,
counted independently. The bug twins of the claims are in test_bug_twins.py."""

import re
from pathlib import Path

import pytest

from specwalk.config import read_config
from specwalk.tlc import Verdict
from specwalk.verify import verify

SPEC = Path(__file__).parents[2] / "spec"


@pytest.mark.parametrize("instance", ["single", "mixed", "published", "deadline"])
def test_every_instance_of_custody_checks_every_claim(instance: str) -> None:
    config = read_config(SPEC / f"Custody_{instance}.cfg")
    assert set(config.invariants) == {
        "TypeOK",
        "BoundedRetries",
        "EffectivelyOnce",
        "AckAttestsApplication",
        "EscalatedImpliesSafe",
        "NoSilentTerminal",
        "BenignStaysBestEffort",
    }
    assert set(config.properties) == {"DeliverOrReport", "RefinesContract"}
    assert config.check_deadlock


def test_both_readings_of_a_decline_are_walked() -> None:
    readings = {
        name: read_config(SPEC / f"Custody_{name}.cfg").constants["ProtectOnDecline"]
        for name in ("single", "published", "deadline")
    }
    assert readings == {"single": True, "published": True, "deadline": False}


@pytest.mark.parametrize(
    ("retries", "deadline", "states"), [(4, 6, 25), (0, 1, 7), (2, 2, 11), (5, 3, 15), (2, 3, 15)]
)
@pytest.mark.parametrize("protect", ["TRUE", "FALSE"])
def test_one_obligation_has_the_published_number_of_states_in_both_readings_of_a_decline(
    retries: int, deadline: int, states: int, protect: str, tmp_path: Path
) -> None:
    config = (SPEC / "Custody_single.cfg").read_text()
    config = re.sub(r"MaxRetries = \d+", f"MaxRetries = {retries}", config)
    config = re.sub(r"Deadline = \d+", f"Deadline = {deadline}", config)
    config = re.sub(r"ProtectOnDecline = \w+", f"ProtectOnDecline = {protect}", config)
    (tmp_path / "Custody.cfg").write_text(config)
    result = verify(SPEC / "Custody.tla", tmp_path / "Custody.cfg")
    assert result.verdict is Verdict.OK
    assert result.counts.distinct == states
