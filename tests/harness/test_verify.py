"""How TLC is asked to check a spec: shortest counterexamples, names, and keywords that it does not know."""

from pathlib import Path

from specwalk.tlc import Result, Verdict
from specwalk.verify import verify
from tests.harness.toy import TOY_CFG, TOY_TLA


def check(folder: Path, config: str, tla: str = TOY_TLA, workers: int = 2) -> Result:
    (folder / "Toy.tla").write_text(tla)
    (folder / "Toy.cfg").write_text(config)
    return verify(folder / "Toy.tla", folder / "Toy.cfg", workers=workers)


def test_a_counterexample_is_a_shortest_one(tmp_path: Path) -> None:
    below = TOY_TLA.replace("Even ==", "Below == x < 3\nEven ==")
    violation = check(tmp_path, TOY_CFG + "INVARIANT Below\n", below).violation
    assert violation is not None
    assert (violation.kind, violation.name) == ("invariant", "Below")
    # Of the ways to 3 only Jump(2), Up has two steps.
    assert [step.state["x"] for step in violation.trace.steps] == [0, 2, 3]


def test_an_action_property_is_named(tmp_path: Path) -> None:
    # TLC shows its formula; the name is found by checking each property alone.
    rising = TOY_TLA.replace("Even ==", "Bounded == [][x' <= Top]_vars\nRising == [][x' >= x]_vars\nEven ==")
    violation = check(tmp_path, TOY_CFG + "PROPERTY Bounded\nPROPERTY Rising\n", rising).violation
    assert violation is not None
    assert (violation.kind, violation.name) == ("action property", "Rising")
    assert violation.trace.steps[-1].state["x"] < violation.trace.steps[-2].state["x"]  # type: ignore[operator]


def test_deadlock_is_looked_for_unless_the_configuration_forbids_it(tmp_path: Path) -> None:
    stuck = TOY_TLA.replace("Next == Up \\/ Down \\/", "Next == Up \\/").replace("\\/ Stay", "")
    violation = check(tmp_path, TOY_CFG, stuck).violation
    assert violation is not None
    assert violation.kind == "deadlock"
    assert [step.state["x"] for step in violation.trace.steps] == [0, 2, 3]
    # TLC 2.15 knows no CHECK_DEADLOCK.
    result = check(tmp_path, TOY_CFG + "CHECK_DEADLOCK FALSE\n", stuck)
    assert (result.verdict, result.counts.distinct) == (Verdict.OK, 4)
