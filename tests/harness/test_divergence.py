"""What a divergence says, and that its snippet reproduces it: red on the fault, green when mended."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from specwalk.divergence import Divergence, Kind, Origin, Way
from specwalk.walk import walk
from tests.harness import toy
from tests.harness.command import PATHS
from tests.harness.toy import FAULTS, Counter, ToyModel, build, model_of, write_project

ORIGIN = Origin(model="toy", config="Toy.cfg")

# Each test runs in a folder somewhere inside of its project.
CONFTEST = """
import pytest

@pytest.fixture(autouse=True)
def in_its_folder(request, monkeypatch):
    monkeypatch.chdir(request.path.parent)
"""


def snippets(fault: type[Counter], graph: toy.StateGraph | None = None) -> dict[str, str]:
    """The snippet of each finding, by a name for it."""
    findings = walk(graph or build(), model_of(fault)({}), ORIGIN).findings.values()
    return {f"{fault.__name__}_{n}": finding.divergence.snippet() for n, finding in enumerate(findings)}


def outcomes(folder: Path) -> dict[str, str]:
    """The outcome of every test in a folder, by its file's name."""
    options = ("-q", "-rA", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(folder))
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": PATHS, "PATH": ""},
        check=False,
    )
    return {
        name: how for how, name in re.findall(r"^(PASSED|FAILED|ERROR) \S*?test_(\w+)\.py", run.stdout, re.M)
    }


@pytest.mark.parametrize("mended", [False, True])
def test_a_snippet_fails_on_the_fault_and_passes_when_it_is_mended(tmp_path: Path, mended: bool) -> None:
    expected = {}
    for fault in FAULTS:
        project = tmp_path / fault.__name__
        write_project(project, Counter if mended else fault)
        (project / "some/where").mkdir(parents=True)
        (project / "some/where/conftest.py").write_text(CONFTEST)
        for name, snippet in snippets(fault).items():
            (project / "some/where" / f"test_{name}.py").write_text(snippet)
            expected[name] = "PASSED" if mended else "FAILED"
    assert len(expected) >= len(FAULTS)
    assert outcomes(tmp_path) == expected


def test_hidden_state_between_two_starts_is_reproduced(tmp_path: Path) -> None:
    # From the start at 1, Down leads to the start at 0.
    snippet, *_ = snippets(toy.LogsDown, build(initial=(1, 0))).values()
    assert " start={'x': '1', 'odd': 'TRUE'}" in snippet
    assert "same_as_start={'x': '0', 'odd': 'FALSE'}" in snippet
    write_project(tmp_path, toy.LogsDown)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(snippet)
    assert outcomes(tmp_path) == {"it": "FAILED"}


def reported(fault: type[Counter], base: type[ToyModel] = toy.SnapshotModel) -> str:
    (finding,) = walk(build(), model_of(fault, base)({}), ORIGIN).findings.values()
    return str(finding.divergence)


def test_the_report_says_everything() -> None:
    assert reported(toy.JumpsTooFar) == "\n".join(
        [
            "toy at Toy.cfg: Jump(2): "
            "the implementation takes the step to a state that the spec does not allow.",
            "  state before:",
            "    x = 0",
            "    odd = FALSE",
            "  after it (1 allowed; the nearest is shown):",
            "    x: spec 2, implementation 3",
            "    odd: spec FALSE, implementation TRUE",
            "  path to the state before: (the start)",
            "  to see it again:",
            "",
            "    from specwalk.replay import reproduce",
            "",
            "",
            "    def test_jump_2__after_0_steps() -> None:",
            "        reproduce(",
            "            model='toy',",
            "            config='Toy.cfg',",
            "            start={'x': '0', 'odd': 'FALSE'},",
            "            steps=[",
            "                'Jump(2)',",
            "            ],",
            "            allowed=[",
            "                {'x': '2', 'odd': 'FALSE'},",
            "            ],",
            "        )",
        ]
    )


def test_what_agrees_with_the_spec_is_named() -> None:
    # From 3 the spec allows 3 (odd) and 2; the implementation is at 0, which is even as 2 is.
    text = reported(toy.CountsFrom3To1)
    assert "after it (2 allowed; the nearest is shown):" in text
    assert "x: spec 2, implementation 0" in text
    assert "as the spec says: odd" in text
    assert "path to the state before: Jump(2), Up" in text


def test_without_an_observation_the_spec_is_shown_alone() -> None:
    text = reported(toy.RaisesAtTwo)
    assert "the implementation raised an error.\n  ZeroDivisionError: two is too much" in text
    assert "x: spec 3\n" in text
    assert "implementation 3" not in text


def divergence(**changes: object) -> Divergence:
    state = {"x": 0}
    fields = {
        "kind": Kind.NOT_OFFERED,
        "origin": ORIGIN,
        "step": "Up(1)",
        "enabled": True,
        "way": Way(start=state, steps=()),
        "before": state,
        "allowed": (state,),
        **changes,
    }
    return Divergence(**fields)  # type: ignore[arg-type]


def test_divergences_of_one_kind_are_one_finding() -> None:
    one = divergence(detail="row 17 is missing")
    assert one.signature == divergence(detail="row 4 is missing", step="Up(2)").signature
    assert one.signature != divergence(detail="row 4 is missing", step="Down(2)").signature
    assert one.signature != divergence(detail="row 4 is missing", kind=Kind.RAISED).signature
    assert one.signature != divergence(detail="row 4 is gone").signature
    assert one.signature != divergence(detail="row 4 is missing", observed={"x": 1}).signature
