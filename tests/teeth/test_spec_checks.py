"""What judges a changed spec: each of its verdicts on a mutant made for it, and the kinds of claims."""

import pytest

from tests.teeth.spec_checks import SPECS, claims_by_kind
from tests.teeth.spec_edits import Change
from tests.teeth.spec_judge import Caught, Subject, judge
from tests.teeth.spec_mutants import Mutant

CUSTODY = Subject(spec="Custody", configs=("Custody_single",))
CONTRACT = Subject(spec="Contract", configs=("Contract",))


@pytest.mark.parametrize(
    ("subject", "old", "new", "caught", "where"),
    [
        (CUSTODY, "    \\/ EscalateByBudget(o)\n", "", Caught.CLAIM, "NoSilentTerminal"),
        (CUSTODY, "= ProtectOnDecline]", "= ~ProtectOnDecline]", Caught.WALK, "Decline(o1)"),
        (CUSTODY, "    \\/ Settled\n", "    \\/ Settled \\/ Gone\n", Caught.INVALID, "Gone"),
        (CUSTODY, "    /\\ UNCHANGED <<state, protected>>\n", "", Caught.INVALID, "not completely specified"),
        (CONTRACT, "Next ==\n", "Next == UNCHANGED vars \\/\n", Caught.PIN, "1541 generated"),
        (CONTRACT, "0..1,\n       p", "{0, 1},\n       p", Caught.SURVIVED, ""),
    ],
)
def test_a_mutant_is_caught_by_a_claim_or_the_walk_or_a_pinned_count_or_not_at_all(
    subject: Subject, old: str, new: str, caught: Caught, where: str
) -> None:
    text = (SPECS / f"{subject.spec}.tla").read_text()
    assert text.count(old) == 1
    mutant = Mutant(name="it", change=Change.GUARD, module=subject.spec, text=text.replace(old, new))
    judged = judge(subject, mutant)
    assert judged.caught is caught
    assert where in judged.where


def test_claims_are_told_apart_by_what_they_say() -> None:
    custody, contract = claims_by_kind("Custody_single"), claims_by_kind("Contract")
    assert list(custody) == ["deadlock", "invariant", "liveness", "refinement"]
    assert custody["liveness"] == ("DeliverOrReport",)
    assert custody["refinement"] == ("RefinesContract",)
    assert contract["invariant"] == ("TypeOK", "EscalatedImpliesSafe")
    assert contract["action property"] == ("OutcomesAreFinal", "NoEffectFollowsADecline", "NothingIsUndone")
