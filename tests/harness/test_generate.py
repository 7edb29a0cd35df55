"""Generated traces and tests: what they say, that they fail on faults, and that they are good Python."""

import re
import runpy
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import SkipTest
from zipfile import ZipFile

import pytest
from hypothesis import given

from specwalk.generate.python import layout, literal
from specwalk.generate.suite import suite, trace_of
from specwalk.generate.walks import find_walks
from specwalk.graph import StateGraph
from specwalk.graph.canonical import canonical, shuffled
from specwalk.itf import Trace, read_trace
from specwalk.project import load_binding
from specwalk.values import Function, ModelValue, Value, freeze, show
from tests.harness import toy
from tests.harness.command import PATHS
from tests.harness.test_itf import ATOMS, values
from tests.harness.toy import ROOT, Counter, build, write_project
from tests.harness.ugly import ugly_graph


def generate(project: Path, graph: StateGraph, fault: type[Counter] = Counter) -> Path:
    """Write the suite of a graph into a project: the module of tests."""
    write_project(project, fault)
    return put_suite(project, graph)


def put_suite(project: Path, graph: StateGraph) -> Path:
    binding = load_binding(str(project / "model/toy.py"))
    for path, text in suite(binding, binding.instances[0], graph).items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    return project / "tests/conformance/test_toy.py"


def outcomes(module: Path) -> dict[str, str]:
    """What each test of a module raises, without a traceback; nothing if it passes."""
    found = {}
    for name, test in runpy.run_path(str(module)).items():
        if name.startswith("test_"):
            found[name] = ""
            try:
                test()
            except (AssertionError, SkipTest) as problem:
                found[name] = f"{type(problem).__name__}: {problem}"
    return found


MODULE = '''# Written by `specwalk regenerate toy`: change Toy.tla or the model, and regenerate.
"""Toy.tla at Toy.cfg: all 8 transitions, in behaviours of the fewest steps.

Each test starts the implementation and takes the steps of a trace in traces/toy.
A step names what it changes, of a function the entries; all else must stay as it is.
"""

from pathlib import Path

from specwalk.conformance import Behaviour

MODEL = Path(__file__).parents[2] / "model/toy.py"
CONFIG = "Toy.cfg"


def begin() -> Behaviour:
    """The implementation in the initial state of the spec."""
    return Behaviour(MODEL, CONFIG, x=0, odd=False)
'''


def test_a_module_reads_like_this(tmp_path: Path) -> None:
    text = generate(tmp_path, build()).read_text()
    assert text.startswith(MODULE)
    assert '    behaviour = begin()\n    behaviour.step("Jump", 2, x=2)\n' in text
    assert '    behaviour.step("Up", x=3, odd=True)\n    behaviour.step("Stay")\n' in text


def test_names_and_purposes_come_from_the_content() -> None:
    # By hand: a walk for each half of a diamond, On in both of them, and all that follows in one.
    edges = [(0, "On", 1), (1, "Send(1)", 2), (1, "Send(2)", 3), (2, "Wait", 4), (3, "Wait", 4)]
    edges += [(4, "EndOfAll", 4), (4, "HTTPGet", 5), (5, "HTTPGet", 6), (6, "HTTPGet", 7)]
    walks = find_walks(canonical(build(edges, alphabet=())))
    assert {walk.name: walk.alone for walk in walks} == {
        "on_send_1_wait_end_of_all_http_get_x3": "Send(1) in step 2, Wait in step 3, EndOfAll in step 4 and "
        "HTTPGet in steps 5 to 7",
        "on_send_2_wait": "Send(2) in step 2 and Wait in step 3",
    }


def test_of_long_walks_the_beginning_is_named() -> None:
    edges = [(n, "Up" if n % 2 else "On", n + 1) for n in range(12)]
    (walk,) = find_walks(canonical(build(edges, alphabet=())))
    assert walk.name == "on_up_on_up_on_up_on_up_and_4_more"
    assert walk.alone == "On in step 1, Up in step 2, On in step 3, Up in step 4 and 8 more transitions"


def test_walks_of_one_name_are_numbered() -> None:
    edges = [(0, "Flip", 1), (0, "Flip", 2)]
    assert [walk.name for walk in find_walks(canonical(build(edges, alphabet=())))] == ["flip", "flip_2"]


def test_long_names_are_cut_and_stay_apart() -> None:
    edges = [(0, f'Send("{"word " * 60}{n}")', n) for n in (1, 2)]
    names = [walk.name for walk in find_walks(canonical(build(edges, alphabet=())))]
    assert len(set(names)) == 2
    assert all(len(name) <= 120 and name.startswith("send_word_word_") for name in names)


def test_names_are_of_ascii_alone() -> None:
    edges = [(0, f'Send("{sign}")', n) for n, sign in enumerate("ﬁ²é", 1)]
    names = [walk.name for walk in find_walks(canonical(build(edges, alphabet=())))]
    assert sorted(names) == ["send", "send_2", "send_3"]


def test_model_values_called_like_builtins_have_other_names(tmp_path: Path) -> None:
    words = [
        frozenset({frozenset({ModelValue(name)})}) for name in ("frozenset", "frozenset_", "None", "len")
    ]
    write_project(tmp_path)
    graph = build([(0, "Up", 1), (1, "Up", 2), (2, "Up", 3)], values=lambda n: (words[n], 0))
    text = put_suite(tmp_path, graph).read_text()
    made = runpy.run_path(str(tmp_path / "tests/conformance/test_toy.py"))
    assert made["frozenset_"] == ModelValue("frozenset")
    assert "x={frozenset({frozenset_})}" in text


def test_how_many_tests_hang_on_a_choice_is_said(tmp_path: Path) -> None:
    write_project(tmp_path)
    text = put_suite(tmp_path, build([(0, "Up", 1), (0, "Up", 2), (0, "Jump(2)", 2)])).read_text()
    assert "The spec leaves open where steps lead in 2 of the 3 tests" in text
    assert "leaves open" not in put_suite(tmp_path, build()).read_text()


def test_a_truth_value_in_the_place_of_a_number_is_a_change(tmp_path: Path) -> None:
    before = (frozenset({0}), Function({"a": 0, "b": 0}))
    after = (frozenset({False}), Function({"a": 1, "b": False}))
    write_project(tmp_path)
    graph = build([(0, "Up", 1)], values=lambda n: (before, after)[n])
    text = put_suite(tmp_path, graph).read_text()
    assert 'behaviour.step("Up", x={False}, odd={"a": 1, "b": False})' in text


@pytest.mark.parametrize("graph", [build(), build(initial=(0, 3)), ugly_graph()], ids=["toy", "two", "ugly"])
def test_traces_and_tests_take_every_transition(tmp_path: Path, graph: StateGraph) -> None:
    generate(tmp_path, graph)
    files = sorted((tmp_path / "traces/toy").glob("*.itf.json"))
    atoms = {ModelValue(name) for name in ("a", "begin", "class", "1st", "MODEL")}
    traces = [read_trace(file.read_text(encoding="utf-8"), atoms) for file in files]
    assert transitions(traces) == transitions([trace_of(graph, [edge]) for edge in range(len(graph))])
    assert {trace.states[0] for trace in traces} <= {graph.states[state] for state in graph.initial}


def transitions(traces: Sequence[Trace]) -> set[tuple[Any, ...]]:
    return {
        step
        for trace in traces
        for step in zip(trace.states, map(str, trace.steps), trace.states[1:], strict=False)
    }


def test_the_order_of_the_graph_makes_no_difference(tmp_path: Path) -> None:
    write_project(tmp_path)
    binding = load_binding(str(tmp_path / "model/toy.py"))
    for graph in (build(initial=(0, 3)), ugly_graph()):
        once = suite(binding, binding.instances[0], graph)
        for seed in range(10):
            assert suite(binding, binding.instances[0], shuffled(graph, seed)) == once


def test_the_sound_implementation_passes(tmp_path: Path) -> None:
    assert list(outcomes(generate(tmp_path, build())).values()) == [""]


def test_each_initial_state_has_its_beginning(tmp_path: Path) -> None:
    module = generate(tmp_path, build([(0, "Up", 1), (2, "Up", 3)], initial=(0, 2)))
    assert outcomes(module) == {"test_up": "", "test_up_2": ""}
    text = module.read_text()
    assert "def begin_1() -> Behaviour:\n" in text
    assert "return Behaviour(MODEL, CONFIG, x=2, odd=False)\n" in text
    assert '    behaviour = begin_2()\n    behaviour.step("Up", x=3, odd=True)\n' in text


# All faults but those that only a refusal or hidden state shows.
@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (toy.StartsAtOne, r"toy at Toy.cfg: start: the implementation does not start in the initial state"),
        (toy.NeverDown, r"step 2: toy at Toy.cfg: Down: the implementation does not offer a step"),
        (toy.JumpsTooFar, r"step 1: .*Jump\(2\): .*before:\n    x = 0\n.*x: spec 2, implementation 3"),
        (toy.RaisesAtTwo, r"step 6: .*Up: the implementation raised an error.\n  ZeroDivisionError: two"),
        (toy.BlindAtThree, r"step 6: .*implementation cannot be observed.\n  OSError: the store is closed"),
        (toy.LacksThree, r"step 6: .*cannot be observed.\n  x: None \(NoneType\) is not a TLA\+ value"),
    ],
    ids=lambda thing: thing.__name__ if isinstance(thing, type) else "",
)
def test_a_fault_fails_and_the_step_is_told(tmp_path: Path, fault: type[Counter], says: str) -> None:
    # By hand: the one walk is Jump(2), Down, Down, Up, Up, Up, Stay, Down.
    (text,) = outcomes(generate(tmp_path, build(), fault)).values()
    assert re.match(f"AssertionError: {says}", text, re.DOTALL)


def test_pytest_shows_the_step_in_the_test(tmp_path: Path) -> None:
    module = generate(tmp_path, build(), toy.JumpsTooFar)
    options = ("-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", str(tmp_path))
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(module)],
        capture_output=True,
        text=True,
        cwd="/",
        env={"PYTHONPATH": PATHS, "PATH": ""},
        check=False,
    )
    assert ran.returncode == 1
    assert '>       behaviour.step("Jump", 2, x=2)\nE       AssertionError: step 1: toy at' in ran.stdout
    assert "conformance.py" not in ran.stdout


def test_another_branch_that_the_spec_allows_skips_the_rest(tmp_path: Path) -> None:
    # Jump(2) may also lead to 3; the counter goes to 2.
    found = outcomes(generate(tmp_path, build([*toy.COUNTER, (0, "Jump(2)", 3), (2, "Jump(2)", 2)])))
    skipped = [text for text in found.values() if text]
    assert skipped == ["SkipTest: the implementation takes Jump(2) elsewhere, as the spec allows"]
    text = (tmp_path / "tests/conformance/test_toy.py").read_text()
    assert '    behaviour.or_else(x=3, odd=True)\n    behaviour.step("Jump", 2, x=2)\n' in text
    assert '    behaviour.or_else(x=2)\n    behaviour.step("Jump", 2, x=3, odd=True)\n' in text


UGLY = """
from tests.harness.ugly import Player

class Ugly(Player):
    spec = "../spec/Toy.tla"
"""


@pytest.fixture(scope="module")
def ugly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("ugly")
    write_project(project)
    (project / "model/toy.py").write_text(UGLY)
    return put_suite(project, ugly_graph())


def test_values_that_need_care_are_right(ugly: Path) -> None:
    assert set(outcomes(ugly).values()) == {""}
    text = ugly.read_text(encoding="utf-8")
    for line in (
        'class_ = ModelValue("class")',
        '_begin = ModelValue("begin")',
        '_1st = ModelValue("1st")',
        'MODEL_ = ModelValue("MODEL")',
        'plain=6, held={a: {"field": 1, "other": 3}}',
    ):
        assert line in text


@pytest.mark.parametrize(
    "tool", [("ruff", "check"), ("ruff", "format", "--check"), ("mypy", "--strict")], ids=" ".join
)
def test_generated_code_is_clean(ugly: Path, tool: Sequence[str]) -> None:
    settings = {"ruff": "--config", "mypy": "--config-file"}[tool[0]]
    command = [sys.executable, "-m", *tool, settings, str(ROOT / "pyproject.toml"), str(ugly)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@given(values)
def test_the_source_of_a_value_is_that_value(value: Value) -> None:
    names = {atom: atom.name for atom in ATOMS}
    source = layout(literal(value, names))
    read = eval(source, {"Function": Function, **{atom.name: atom for atom in ATOMS}})
    assert show(freeze(read)) == show(value)


def test_the_package_has_its_templates(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    templates = {file.name for file in (ROOT / "harness/specwalk/generate/templates").iterdir()}
    assert templates
    names = ZipFile(wheel).namelist()
    assert templates == {Path(name).name for name in names if "specwalk/generate/templates/" in name}
