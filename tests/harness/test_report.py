"""What a check comes to: exit codes, drift, and what the verdict says was never exercised."""

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from specwalk.check import CheckedInstance, exit_code
from specwalk.divergence import Origin
from specwalk.errors import BadInput, EnvironmentProblem, ExitCode
from specwalk.gaps import Gaps
from specwalk.graph import Action
from specwalk.graph.symmetry import Orbits
from specwalk.pins import Pin, read_pin
from specwalk.project import Binding, Instance
from specwalk.report import as_json, print_report
from specwalk.tally import Tally
from specwalk.tlc import Counts, Result, Trace, Verdict, Violation
from specwalk.walk import walk
from tests.harness import toy
from tests.harness.toy import Counter, SnapshotModel, build, model_of

ORIGIN = Origin(model="toy", config="Toy.cfg")
GAPS = Gaps(model="Toy", actions=(Action(name="Leap"),), variables=("far",))
PIN = Pin(distinct=4, generated=9, depth=3)


def walked(implementation: type[Counter] = Counter) -> Tally:
    return walk(build(), model_of(implementation)({}), ORIGIN)


def result(verdict: Verdict = Verdict.OK, distinct: int = 4) -> Result:
    # The depth is one that several workers of TLC came to.
    counts = Counts(generated=9, distinct=distinct, queue=0, depth=4)
    violation = None
    if verdict is Verdict.VIOLATED:
        violation = Violation(kind="deadlock", name=None, trace=Trace(steps=()))
    return Result(verdict=verdict, exit_code=0, counts=counts, violation=violation, seconds=1.0)


def instance(name: str = "Toy", **found: object) -> CheckedInstance:
    fields = {"result": result(), "pin": PIN, "graph": build(), "tally": walked(), **found}
    return CheckedInstance(instance=Instance(name=name, config=Path("spec/Toy.cfg")), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ({}, ExitCode.OK),
        ({"pin": None}, ExitCode.DRIFTED),
        ({"result": result(distinct=5)}, ExitCode.DRIFTED),
        ({"pin": replace(PIN, generated=10)}, ExitCode.DRIFTED),
        ({"pin": replace(PIN, depth=4)}, ExitCode.DRIFTED),
        ({"tally": walked(toy.NeverDown)}, ExitCode.DIVERGENCE),
        ({"tally": walked(toy.NeverDown), "pin": None}, ExitCode.DIVERGENCE),
        ({"result": result(Verdict.VIOLATED)}, ExitCode.PROPERTY_VIOLATED),
        ({"result": result(Verdict.VIOLATED), "tally": walked(toy.NeverDown)}, ExitCode.PROPERTY_VIOLATED),
        (
            {"result": result(Verdict.VIOLATED), "gaps": GAPS, "tally": None},
            ExitCode.BAD_INPUT,
        ),
        ({"result": result(Verdict.SPEC_ERROR), "graph": None, "tally": None}, ExitCode.BAD_INPUT),
        ({"result": result(Verdict.ENVIRONMENT), "graph": None, "tally": None}, ExitCode.ENVIRONMENT),
        ({"failure": EnvironmentProblem("no space"), "tally": None}, ExitCode.ENVIRONMENT),
        ({"failure": BadInput("no value"), "tally": None}, ExitCode.BAD_INPUT),
    ],
)
def test_the_gravest_finding_gives_the_exit_code(found: dict[str, object], code: ExitCode) -> None:
    checked = instance(**found)
    assert checked.exit_code is code
    assert exit_code([instance(), checked]) is code


def test_of_several_instances_the_gravest_counts() -> None:
    drifted, diverged = instance(pin=None), instance(tally=walked(toy.NeverDown))
    assert exit_code([drifted, diverged, instance()]) is ExitCode.DIVERGENCE
    assert exit_code([drifted, instance(failure=BadInput("x")), diverged]) is ExitCode.BAD_INPUT


def test_the_depth_is_that_of_the_graph() -> None:
    assert instance().depth == 3
    assert instance(graph=None).depth is None
    chain = build([(0, "Up", 1), (1, "Up", 2), (2, "Up", 3)], alphabet=())
    assert instance(graph=chain).depth == 4


def test_a_drift_says_the_line_to_write() -> None:
    assert instance().drift is None
    assert instance(pin=None).drift == (
        "no counts are pinned yet. If these are right, write into Toy.cfg\n"
        "    \\* pinned: 4 distinct states, 9 generated, depth 3"
    )
    assert instance(pin=None, graph=None).drift is None
    # Counts of a run that did not end well are not those of the spec.
    assert instance(pin=None, result=result(Verdict.VIOLATED)).drift is None


@pytest.mark.parametrize(
    ("text", "pin"),
    [
        ("\\* pinned: 4 distinct states, 9 generated, depth 3\nINIT I\n", PIN),
        (f"\\* Said before.\n{PIN}\n", PIN),
        (
            "\\* pinned: 31,250 distinct states, 157,120 generated, depth 20\n",
            Pin(distinct=31_250, generated=157_120, depth=20),
        ),
        ("\\* pinned: many\n", None),
        ("INIT I\n", None),
    ],
)
def test_a_pin_is_a_comment_line(tmp_path: Path, text: str, pin: Pin | None) -> None:
    config = tmp_path / "Toy.cfg"
    config.write_text(text)
    assert read_pin(config) == pin


def bound(checked: Sequence[CheckedInstance], model: type[toy.ToyModel] = SnapshotModel) -> Binding:
    return Binding(
        name="toy",
        model=model,
        file=Path("model/toy.py"),
        spec=Path("spec/Toy.tla"),
        instances=tuple(one.instance for one in checked),
    )


def printed(
    checked: Sequence[CheckedInstance],
    model: type[toy.ToyModel] = SnapshotModel,
    skeleton: str | None = None,
) -> str:
    output = io.StringIO()
    binding = bound(checked, model)
    print_report(binding, checked, Console(file=output, width=120), skeleton)
    assert as_json(binding, checked)["exit_code"] == exit_code(checked)
    return output.getvalue()


def test_what_was_never_exercised_is_said() -> None:
    class Modest(SnapshotModel):
        not_modelled = ("overflow",)

        def content(self) -> None:
            return None

    silent = build([(0, "Up", 1), (1, "Down", 0)], alphabet=("Stay", "Jump(2)"))
    text = printed(
        [instance("small", graph=silent, tally=walk(silent, Modest({}), ORIGIN)), instance("large")], Modest
    )
    assert "small: Stay is never taken, so nothing about it was checked here; it is taken in large" in text
    assert "small: hidden state was not compared (the model has no content())" in text
    assert "large: Up is never taken" not in text
    assert "not modelled in this machine: overflow" in text
    assert "it is taken in none of the instances" in printed([instance("small", graph=silent)])


def test_successors_never_chosen_and_states_never_reached_are_said() -> None:
    forked = build([(0, "Up", 1), (0, "Up", 2), (2, "Up", 3)], alphabet=())
    text = printed([instance(graph=forked, tally=walk(forked, SnapshotModel({}), ORIGIN))])
    assert (
        "Toy: Up has 1 successors that the implementation never chose, "
        "the first: from x = 0, odd = FALSE to x = 2, odd = FALSE" in text
    )
    assert "Toy: 2 states of the spec were not reached" in text


def test_gaps_are_told_once_for_all_instances_and_nothing_was_walked_there() -> None:
    fits = instance("fits")
    text = printed([instance("small", gaps=GAPS, tally=None), fits, instance("big", gaps=GAPS, tally=None)])
    assert text.count("Toy has no method for the action Leap.") == 1
    assert "\nsmall, big: Toy has no method for the action Leap.\n" in text
    assert "\nsmall, big: Toy.observe() lacks the variable far.\n" in text
    assert "\nsmall, big: nothing was walked, for the model does not fit the spec\n" in text
    assert text.endswith("2 findings, printed above; exit code 2 (bad_input).\n")
    assert "nothing was walked" not in printed([fits])


def test_the_place_of_a_skeleton_is_told_to_people_and_machines() -> None:
    sentence = "What Toy lacks is written out in model/toy_missing.py"
    assert f"\n{sentence}\n" in printed([instance(gaps=GAPS, tally=None)], skeleton=sentence)
    assert as_json(bound([instance()]), [instance()], sentence)["skeleton"] == sentence
    (told,) = as_json(bound([]), [instance("small", gaps=GAPS)])["instances"]
    assert told["findings"] == [f"small: {problem}" for problem in GAPS.problems]


def test_the_refusals_are_counted_out() -> None:
    text = printed([instance()])
    assert "4 x 5 - 8" in text
    assert text.endswith("OK: 8 transitions and 12 refusals agree with the spec.\n")
    # What is enabled and not taken is no refusal; neither is a second successor, of 3 transitions here.
    assert "4 x 5 - 8" in printed([instance(tally=walked(toy.NeverDown))])
    forked = build([(0, "Up", 1), (0, "Up", 2), (1, "Down", 0)], alphabet=())
    tally = walk(forked, SnapshotModel({}), ORIGIN)
    assert "2 x 2 - 2" in printed([instance(graph=forked, tally=tally)])


def test_symmetry_is_shown_where_there_is_any() -> None:
    text = printed([instance(up_to_symmetry=Orbits(states=5_850, transitions=27_535))])
    assert "states up to symmetry" in text
    assert "5,850" in text
    assert "symmetry" not in printed([instance()])


def test_transitions_are_counted_by_action_and_those_generated_twice_are_named() -> None:
    twice = replace(build(), repeated={0: 2})
    text = printed([instance(graph=twice)])
    assert re.search(r"Up +│ +3 │", text)
    assert re.search(r"Jump\(n\) +│ +1 │", text)
    step = str(twice.labels[twice.label[0]])
    assert f"Toy: {step}: 1 transitions were generated more than once; each was walked once" in text


def test_every_finding_is_printed_in_full() -> None:
    checked = instance(
        result=result(Verdict.VIOLATED), tally=walked(toy.NeverDown), failure=EnvironmentProblem("no space")
    )
    text = printed([checked])
    assert "Toy: TLC: deadlock violated:" in text
    assert "Toy: no space" in text
    assert "Down: the implementation does not offer a step that the spec has.\n  the counter refuses" in text
    assert "(2 more like this one)" in text
    assert text.endswith("3 findings, printed above; exit code 3 (environment).\n")
