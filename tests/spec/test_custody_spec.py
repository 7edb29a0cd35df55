"""Custody.tla and Contract.tla: the published figures, and a bug twin for each claim.

A twin is the smallest change of the spec that breaks one claim. It shows that the claim can fail and
that nothing else stands in for it. Figures are those of the paper's instance, counted independently.
"""

import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from specwalk.config import Config, parse_config, read_config
from specwalk.tlc import Result, Verdict
from specwalk.verify import verify

SPEC = Path(__file__).parents[2] / "spec"


@dataclass(frozen=True)
class Twin:
    """``old`` becomes ``new`` in the spec; then ``claim`` must be violated, checked by itself."""

    claim: str
    old: str
    new: str
    module: str = "Custody"
    instance: str = "_single"


TWINS = {
    "the clock runs past the deadline": Twin(
        "TypeOK", " /\\ clock[o] < Deadline\n", "\n", instance="_deadline"
    ),
    "retries are unbounded": Twin("BoundedRetries", "    /\\ attempts[o] <= MaxRetries\n", ""),
    "a redelivery reapplies": Twin(
        "EffectivelyOnce",
        "LoseAck(o) == AttemptFails(o) /\\ effects' = [effects EXCEPT ![o] = 1]",
        "LoseAck(o) == AttemptFails(o) /\\ effects' = [effects EXCEPT ![o] = @ + 1]",
    ),
    "the ack attests receipt": Twin(
        "AckAttestsApplication",
        "    /\\ effects' = [effects EXCEPT ![o] = 1]\n    /\\ UNCHANGED <<attempts, protected, clock>>",
        "    /\\ UNCHANGED <<attempts, protected, clock, effects>>",
    ),
    "escalation without safe(O)": Twin(
        "EscalatedImpliesSafe",
        '"escalated"]\n    /\\ protected\' = [protected EXCEPT ![o] = TRUE]\n'
        "    /\\ UNCHANGED <<attempts, effects, clock>>",
        '"escalated"]\n    /\\ UNCHANGED <<attempts, effects, clock, protected>>',
    ),
    "escalation deleted, seen as a stuck state": Twin(
        "NoSilentTerminal", "    \\/ EscalateByBudget(o)\n", ""
    ),
    "escalation deleted, seen as a behaviour": Twin("DeliverOrReport", "    \\/ EscalateByBudget(o)\n", ""),
    "escalation deleted, seen by the contract": Twin("RefinesContract", "    \\/ EscalateByBudget(o)\n", ""),
    "escalation by deadline deleted": Twin(
        "DeliverOrReport", "    \\/ EscalateByDeadline(o)\n", "", instance="_deadline"
    ),
    "the custodian need not act": Twin("DeliverOrReport", "[][Next]_vars /\\ Fairness", "[][Next]_vars"),
    "an inadmissible obligation is under custody": Twin(
        "BenignStaysBestEffort",
        'IF o \\in Admissible THEN "pending" ELSE "issued"',
        '"pending"',
        instance="_published",
    ),
    "an outcome is set twice": Twin(
        "RefinesContract",
        "Apply(o) ==\n    /\\ InTime(o)",
        'Apply(o) ==\n    /\\ state[o] \\in {"pending", "declined"}',
    ),
    "an effect follows a decline": Twin(
        "RefinesContract",
        'Apply(o) ==\n    /\\ InTime(o)\n    /\\ state\' = [state EXCEPT ![o] = "applied"]',
        'Apply(o) ==\n    /\\ state[o] \\in {"pending", "declined"}\n'
        '    /\\ state\' = [state EXCEPT ![o] = IF @ = "declined" THEN @ ELSE "applied"]',
    ),
    "contract: escalated without safe(O)": Twin(
        "EscalatedImpliesSafe", '    /\\ r = "escalated" => p\n', "", module="Contract", instance=""
    ),
    "contract: two effects": Twin(
        "TypeOK",
        "e \\in 0..1,\n       p",
        "e \\in 0..2,\n       p",
        module="Contract",
        instance="",
    ),
}


def check(folder: Path, module: str, config: Config) -> Result:
    if module != "Contract":
        shutil.copy(SPEC / "Contract.tla", folder)
    (folder / f"{module}.cfg").write_text(str(config))
    return verify(folder / f"{module}.tla", folder / f"{module}.cfg")


def only(config: Config, claim: str) -> Config:
    """A configuration that checks one claim alone."""
    alone = replace(config, invariants=(), properties=(), check_deadlock=False)
    if claim in config.properties:
        return replace(alone, properties=(claim,))
    assert claim in config.invariants, f"the configuration does not check {claim}"
    return replace(alone, invariants=(claim,))


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


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
def test_each_claim_is_violated_in_its_bug_twin(twin: Twin, tmp_path: Path) -> None:
    source = (SPEC / f"{twin.module}.tla").read_text()
    config = only(read_config(SPEC / f"{twin.module}{twin.instance}.cfg"), twin.claim)
    assert source.count(twin.old) == 1, "the twin no longer applies"
    (tmp_path / f"{twin.module}.tla").write_text(source.replace(twin.old, twin.new))
    broken = check(tmp_path, twin.module, config)
    assert broken.verdict is Verdict.VIOLATED, broken.problems
    assert broken.violation
    assert broken.violation.name == twin.claim


@pytest.mark.parametrize(
    ("retries", "deadline", "states"), [(4, 6, 25), (0, 1, 7), (2, 2, 11), (5, 3, 15), (2, 3, 15)]
)
@pytest.mark.parametrize("protect", ["TRUE", "FALSE"])
def test_one_obligation_has_the_published_number_of_states_in_both_readings_of_a_decline(
    retries: int, deadline: int, states: int, protect: str, tmp_path: Path
) -> None:
    shutil.copy(SPEC / "Custody.tla", tmp_path)
    config = (SPEC / "Custody_single.cfg").read_text()
    config = re.sub(r"MaxRetries = \d+", f"MaxRetries = {retries}", config)
    config = re.sub(r"Deadline = \d+", f"Deadline = {deadline}", config)
    config = re.sub(r"ProtectOnDecline = \w+", f"ProtectOnDecline = {protect}", config)
    result = check(tmp_path, "Custody", parse_config(config))
    assert result.verdict is Verdict.OK
    assert result.counts.distinct == states
