"""What a run of TLC came to: every way to end, read from what TLC 2.15 printed.

The transcripts are recorded (`tlc_recording`); a few are compared with a run of now, all in deep runs.
"""

from pathlib import Path

import pytest

from specwalk.tlc import Result, Verdict
from specwalk.tlc.messages import MessageReader
from specwalk.tlc.output import Transcript
from specwalk.tlc.problems import Sources
from tests.harness.tlc_cases import SEARCHED
from tests.harness.tlc_errors import ERRORS
from tests.harness.tlc_recording import TRANSCRIPTS, Case, run, write

CASES = {**SEARCHED, **ERRORS}
OFTEN = ("success", "lasso", "strings", "error_in_next", "semantic", "no_initial_state")


def recorded(name: str) -> list[str]:
    return (TRANSCRIPTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def read(lines: list[str], exit_code: int, spec: Path) -> Result:
    modules = {module.stem: module for module in spec.parent.glob("*.tla")}
    transcript = Transcript(Sources(config=spec.with_suffix(".cfg"), modules=modules))
    messages = MessageReader(transcript.add)
    for line in lines:
        messages.line(line)
    messages.end()
    return transcript.result(exit_code, 1.0)


@pytest.fixture
def spec_of(tmp_path):
    def spec_of(case: Case) -> Path:
        (tmp_path / "Spec.cfg").write_text(case.config or "")
        return write(case, tmp_path)

    return spec_of


def steps_of(trace) -> tuple:
    return tuple((step.action, step.state) for step in trace.steps) if trace else ()


def check(case: Case, result: Result) -> None:
    assert (result.verdict, result.exit_code) == (case.verdict, case.exit_code)
    if case.counts:
        counts = result.counts
        assert (counts.generated, counts.distinct, counts.depth) == case.counts
    if case.verdict is Verdict.VIOLATED:
        check_violation(case, result)
    else:
        check_problems(case, result)


def check_violation(case: Case, result: Result) -> None:
    violation = result.violation
    assert violation is not None
    assert result.problems == ()
    assert (violation.kind, violation.name) == case.violated
    assert steps_of(violation.trace) == case.trace
    assert violation.trace.back_to == case.back_to


def check_problems(case: Case, result: Result) -> None:
    problems = result.problems
    assert result.violation is None
    places = tuple((problem.file and Path(problem.file).name, problem.line) for problem in problems)
    assert places == case.places
    if problems:
        first = problems[0]
        assert case.says in first.text
        assert case.advises in first.advice
        for noise in ("@!@!@", "Exception", "\tat ", "behavior up to this point", "nested"):
            assert noise not in first.text
        assert not case.trace or steps_of(first.trace) == case.trace


@pytest.mark.parametrize("name", CASES)
def test_recorded(name, spec_of):
    case = CASES[name]
    check(case, read(recorded(name), case.exit_code, spec_of(case)))


@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.deep) for name in CASES]
)
def test_the_transcripts_are_what_tlc_prints(name, tmp_path):
    result, printed = run(CASES[name], tmp_path)
    assert printed.splitlines() == recorded(name)
    check(CASES[name], result)


def test_every_transcript_is_read():
    assert {path.stem for path in TRANSCRIPTS.iterdir()} == set(CASES)


def test_a_place_is_the_path_that_the_user_gave(spec_of):
    case = CASES["syntax"]
    spec = spec_of(case)
    (problem,) = read(recorded("syntax"), 150, spec).problems
    assert str(problem).startswith(f"{spec}:4: Was expecting")


def test_a_place_in_a_module_that_is_not_the_users_is_no_place(spec_of):
    case = CASES["error_in_next"]
    lines = [line.replace("in Spec", "in Sequences") for line in recorded("error_in_next")]
    (problem,) = read(lines, 75, spec_of(case)).problems
    assert problem.line == 7  # of the action that led to the last state, not of Sequences
    lines = [line.replace("module Spec>", "module Sequences>") for line in lines]
    (problem,) = read(lines, 75, spec_of(case)).problems
    assert (problem.file, problem.line) == (None, None)


@pytest.mark.parametrize(
    "said",
    [
        ": java.io.IOException: No space left on device",
        "java.io.FileNotFoundException: /run/states (Permission denied)",
        ": java.lang.RuntimeException: java.nio.file.FileSystemException: Read-only file system",
    ],
)
def test_a_failing_disk_is_no_error_of_the_spec(said, spec_of):
    lines = ["@!@!@STARTMSG 1000:1 @!@!@", said, "@!@!@ENDMSG 1000 @!@!@"]
    result = read(lines, 255, spec_of(CASES["success"]))
    assert result.verdict is Verdict.ENVIRONMENT
    assert said.rpartition("java.")[2] in result.problems[0].text
    assert "TMPDIR" in result.problems[0].advice


@pytest.mark.parametrize(
    "value",
    [
        "java.lang.OutOfMemoryError",
        "configuration file at line 9",
        "line 2, col 1 to line 2, col 1 of module Spec",
    ],
)
def test_values_of_the_spec_decide_nothing(value, spec_of):
    case = CASES["error_in_property"]
    lines = [line.replace("x = 0", f'x = "{value}"') for line in recorded("error_in_property")]
    result = read(lines, 0, spec_of(case))
    assert result.verdict is Verdict.SPEC_ERROR
    assert (result.problems[0].file, result.problems[0].line) == (None, None)


def test_an_exception_without_a_sentence_keeps_its_name_and_loses_its_stack(spec_of):
    name = "java.lang.NullPointerException"
    said = f"The exception was a {name}\n: {name}\n\tat tlc2.TLC.main(TLC.java)\n"
    head = "TLC threw an unexpected exception.\nThis was probably caused by an error in the spec or model.\n"
    lines = ["@!@!@STARTMSG 1000:1 @!@!@", *(head + said).splitlines(), "@!@!@ENDMSG 1000 @!@!@"]
    (problem,) = read(lines, 255, spec_of(CASES["success"])).problems
    assert problem.text == name


@pytest.mark.parametrize(("exit_code", "name"), [(-9, "SIGKILL"), (143, "SIGTERM"), (130, "SIGINT")])
def test_a_run_that_was_stopped(exit_code, name, spec_of):
    result = read(recorded("success")[:20], exit_code, spec_of(CASES["success"]))
    assert result.verdict is Verdict.ENVIRONMENT
    assert name in result.problems[0].text


def test_java_that_does_not_come_up(spec_of):
    lines = ["Error occurred during initialization of VM", "Too small maximum heap"]
    result = read(lines, 1, spec_of(CASES["success"]))
    assert result.verdict is Verdict.ENVIRONMENT
    assert "Too small maximum heap" in result.problems[0].text
    assert "JDK_JAVA_OPTIONS" in result.problems[0].advice
