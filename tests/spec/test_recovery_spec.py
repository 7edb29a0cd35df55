"""Recovery.tla: what a policy keeps is in its configurations; what it breaks has a shortest counterexample.

Which obligations a policy breaks follows from the closed form of the study (tests/recovery/expected.py);
how short a history can break them is counted by hand, below. That something happens at all is a probe: the
claim that it never does is false.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from specwalk.config import read_config
from specwalk.tlc import Verdict, find_toolchain
from specwalk.verify import verify
from tests.recovery.expected import CONTRACTS, FACTS, POLICIES, cell

SPEC = Path(__file__).parents[2] / "spec"
RULES = {
    "RepeatAuthority": "R4",
    "RepeatFreshness": "R5",
    "Multiplicity": "R7",
    "RetainedUncertainty": "R9",
}
#: Claim; admit; and again, for nobody need die; in between the grant may go.
AGAIN = 4
REVOKED_BETWEEN = AGAIN + 1
#: Claim, admit, send, commit; claim, repeat, send, commit.
TWO_EFFECTS = 8
#: Claim, admit; claim, repeat, send, commit, hear, observe, settle: was the first ever sent?
SETTLED_ONCE = 9
#: Where keys deduplicate their window closes first.
CLOSES = 1

#: Per instance, as the README calls it: the steps of the shortest counterexample, where there is one.
SHORTEST = [
    ("cached", "`cached`, P1", REVOKED_BETWEEN, AGAIN, TWO_EFFECTS, SETTLED_ONCE),
    ("revalidate", "`revalidate`, P2", None, AGAIN, TWO_EFFECTS, SETTLED_ONCE),
    (
        *("stable_key", "`stable_key`, P1"),
        *(REVOKED_BETWEEN, AGAIN + CLOSES, TWO_EFFECTS + CLOSES, SETTLED_ONCE + CLOSES),
    ),
    ("live", "`stable_key`, P1, while its keys live", REVOKED_BETWEEN, None, None, None),
]
COUNTEREXAMPLES = [
    (instance, claim, steps)
    for instance, _, *lengths in SHORTEST
    for claim, steps in zip(RULES, lengths, strict=True)
    if steps is not None
]


def claims(config: Path) -> set[str]:
    found = read_config(config)
    return {*found.invariants, *found.properties}


LIVE = SPEC / "Recovery_live.cfg"
#: What ledger reconciliation keeps.
ALL = claims(SPEC / "Recovery_ledger.cfg")


def broken(policy: str, contracts: Iterable[str], schedules: Iterable[str]) -> set[str]:
    """The claims that a policy breaks in some cell."""
    cells = [cell(schedule, contract, policy) for contract in contracts for schedule in schedules]
    rules = {rule for _, _, _, found in cells for rule in found}
    assert rules <= set(RULES.values())
    return {claim for claim, rule in RULES.items() if rule in rules}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_is_checked_for_all_that_the_closed_form_does_not_say_it_breaks(policy: str) -> None:
    configs = {
        path for path in SPEC.glob("Recovery_*.cfg") if read_config(path).constants["Policy"] == policy
    }
    configs -= {LIVE}
    assert len(configs) >= 2
    for config in configs:
        assert claims(config) == ALL - broken(policy, CONTRACTS, FACTS)


def test_while_keys_live_stable_key_breaks_nothing_but_repeat_authority() -> None:
    while_live = [schedule for schedule, facts in FACTS.items() if facts.key_live]
    assert broken("stable_key", ["P1"], while_live) == {"RepeatAuthority"}
    assert claims(LIVE) == ALL - {"RepeatAuthority"}


@pytest.mark.parametrize(("instance", "claim", "steps"), COUNTEREXAMPLES)
def test_what_a_policy_breaks_it_breaks_in_a_history_of_the_least_length(
    instance: str, claim: str, steps: int, tmp_path: Path
) -> None:
    bounds = (SPEC / f"Recovery_{instance}.cfg").read_text().partition("INVARIANTS")[0]
    kind = "INVARIANT" if claim in ("Multiplicity", "RetainedUncertainty") else "PROPERTY"
    config = tmp_path / "Recovery.cfg"
    config.write_text(f"{bounds}{kind} {claim}\n")
    result = verify(SPEC / "Recovery.tla", config, workers=1)
    assert result.verdict is Verdict.VIOLATED
    assert result.violation
    assert result.violation.name == claim
    assert len(result.violation.trace.steps) == 1 + steps


#: What may happen, each as a step.
PROBES = {
    "it is denied": "reported' \\in Denials",
    "it is completed": 'reported\' = "success"',
    "unknown is told, and the reservation held": 'reported\' = "unknown" /\\ reservation\' = "held"',
    "an effect comes late, after a revocation": 'committed\' # committed /\\ "revoked" \\in lost',
    "an effect comes late, after its worker was replaced": """
        /\\ committed' # committed
        /\\ worker["former"].act = "hear" /\\ worker["former"].about \\in committed'""",
    "a former worker is refused what it would persist": """
        /\\ worker["former"].act = "observe"
        /\\ Observe("former")
        /\\ worker'["former"] = Down""",
    "an answer brings what is settled": """
        /\\ worker["holder"].act = "hear"
        /\\ worker'["holder"].act = "observe"
        /\\ charged = 0""",
    "a lookup brings what is settled": """
        /\\ worker["holder"].act = "look_up"
        /\\ worker'["holder"].act = "observe"
        /\\ charged = 0""",
    "a retained observation is settled": """
        /\\ Claim
        /\\ worker'["holder"] = To("settle", observed)
        /\\ charged = 0""",
    "there are two effects": "Cardinality(committed') = 2",
    "it is sent again": "Repeats",
}
SENT_AGAIN = {"there are two effects", "it is sent again"}
LOOKED_UP = {"a lookup brings what is settled"}
NEVER = {"ledger": SENT_AGAIN, "cached": LOOKED_UP, "revalidate": LOOKED_UP, "stable_key": LOOKED_UP}


@pytest.mark.parametrize("policy", POLICIES)
def test_what_may_happen_under_a_policy_does(policy: str, tmp_path: Path) -> None:
    """Instead of a negated invariant for each probe, one run of TLC names the probes at their steps."""
    shutil.copy(SPEC / "Recovery.tla", tmp_path)
    shown = "\n".join(f'/\\ ({probe}) => PrintT("probe: {name}")' for name, probe in PROBES.items())
    (tmp_path / "Probes.tla").write_text(
        f"---- MODULE Probes ----\nEXTENDS Recovery, TLC\nShown ==\n{shown}\n====\n"
    )
    bounds = (SPEC / f"Recovery_{policy}.cfg").read_text().partition("INVARIANTS")[0]
    (tmp_path / "Probes.cfg").write_text(f"{bounds}ACTION_CONSTRAINT Shown\n")
    toolchain = find_toolchain()
    command = [str(toolchain.java), f"-Djava.io.tmpdir={tmp_path}", "-cp", str(toolchain.jar), "tlc2.TLC"]
    run = [*command, "-workers", "1", "Probes"]
    output = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert set(re.findall('"probe: (.*)"', output)) == set(PROBES) - NEVER[policy]


def test_the_readme_tells_how_few_steps_it_takes() -> None:
    readme = (SPEC.parent / "README.md").read_text()
    for _, name, *lengths in SHORTEST:
        told = " | ".join("kept" if steps is None else str(steps) for steps in lengths)
        assert f"| {name} | {told} | kept |" in readme
