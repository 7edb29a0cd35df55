"""A bug twin of each claim: a fault of the spec by which the claim is violated when checked by itself.

It shows that the claim can fail, and that nothing else stands in for it. `make teeth` shows what the
whole configuration says of the same faults.
"""

import shutil
from pathlib import Path

import pytest

from tests.teeth.fault import Fault
from tests.teeth.spec_checks import INSTANCES, SPECS, check, claims_by_kind, root_of, spec_suite


def claims_of(instance: str) -> list[str]:
    return [claim for claims in claims_by_kind(instance).values() for claim in claims]


def violated_by(fault: Fault, instance: str) -> list[str]:
    """The claims with which a fault's rule begins, the paper's names of them in parentheses left out."""
    named = fault.rule.partition(" (")[0].split(", ")
    return [claim for claim in claims_of(instance) if claim in named]


FAULTS = [(instance, fault) for instance in INSTANCES for fault in spec_suite(instance).faults()]
TWINS = [(instance, fault, claim) for instance, fault in FAULTS for claim in violated_by(fault, instance)]


@pytest.mark.parametrize(
    ("instance", "fault", "claim"), [pytest.param(*twin, id=f"{twin[1].name}-{twin[2]}") for twin in TWINS]
)
def test_a_claim_is_violated_in_its_bug_twin(instance: str, fault: Fault, claim: str, tmp_path: Path) -> None:
    shutil.copytree(SPECS, tmp_path / "spec")
    fault.plant(tmp_path)
    violation = check(tmp_path / "spec", instance, claim).violation
    assert violation
    assert (violation.name or violation.kind) == claim


@pytest.mark.parametrize("spec", sorted({config.stem.partition("_")[0] for config in SPECS.glob("*.cfg")}))
def test_every_claim_of_a_spec_has_a_bug_twin(spec: str) -> None:
    wanted = {claim for config in SPECS.glob(f"{spec}*.cfg") for claim in claims_of(config.stem)}
    assert wanted
    assert wanted == {claim for instance, _, claim in TWINS if root_of(instance) == spec}


def test_a_fault_that_violates_no_claim_is_caught_by_the_walk_alone() -> None:
    claimless = [fault.caught_by for instance, fault in FAULTS if not violated_by(fault, instance)]
    assert set(claimless) == {("walk",)}
