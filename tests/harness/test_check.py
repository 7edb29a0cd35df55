"""Whole checks by the command line: every finding in one run, the gravest one's exit code, nothing left."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.harness import toy
from tests.harness.command import Ran, finish, folders, javas, runs_java, specwalk, start
from tests.harness.toy import TOY_CFG, TOY_PIN, TOY_TLA, write_project

DRIFTED = TOY_PIN.replace("9 generated", "10 generated") + TOY_CFG
LIVE = TOY_CFG + "PROPERTY Stops\nPROPERTY Ends\n"
# Every behaviour may stop in its first state; Ends alone needs fairness, Stops holds.
TOY_LIVE = TOY_TLA.replace("Begins ==", "Stops == [](x <= Top)\nBegins ==")
ENDLESS = """---- MODULE Endless ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Spec == Init /\\ [][Next]_x
====
"""


@pytest.fixture(scope="module")
def conforming(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    project = tmp_path_factory.mktemp("conforming")
    write_project(project)
    return specwalk("check", "toy", "--json", "verdict.json", project=project), project


def test_a_conforming_implementation(conforming: tuple[Ran, Path]) -> None:
    ran, _ = conforming
    assert (ran.code, ran.err, ran.left) == (0, "", [])
    rows = dict(line.strip("│ ").split(" │ ") for line in ran.out.splitlines() if line.startswith("│"))
    assert {title.strip(): value.strip() for title, value in rows.items()} == {
        "TLC": "no error",
        "distinct states": "4",
        "states generated": "9",
        "invariants checked": "1",
        "properties checked": "0",
        "depth": "3",
        "pinned counts": "hold",
        "transitions, no stutters": "7",
        "transitions walked": "8/8",
        "hidden state compared": "5",
        "states x instances": "4 x 5 - 8",
        "= refusals tried": "12",
        "did what is allowed": "0",
        "divergences": "0",
        "Up": "3",
        "Down": "3",
        "Jump(n)": "1",
        "Stay": "1",
    }
    assert ran.out.endswith("OK: 8 transitions and 12 refusals agree with the spec.\n")


def test_the_verdict_for_machines(conforming: tuple[Ran, Path]) -> None:
    _, project = conforming
    verdict = json.loads((project / "verdict.json").read_text())
    assert verdict["exit_code"] == 0
    (instance,) = verdict["instances"]
    assert instance["name"] == "Toy"
    assert (instance["distinct"], instance["generated"], instance["depth"]) == (4, 9, 3)
    assert (instance["transitions_walked"], instance["refusals_tried"], instance["enabled_pairs"]) == (
        8,
        12,
        8,
    )
    assert instance["action_counts"] == {"Up": 3, "Down": 3, "Jump": 1, "Stay": 1}
    assert (instance["pins"], instance["findings"]) == ("hold", [])


# What goes wrong, and what the run must say about it. Two faults at once are both reported.
WRONG = {
    "drift": (
        {"cfg": DRIFTED},
        6,
        [
            "Toy: the counts have drifted from their pin.",
            "replace in Toy.cfg\n"
            "    \\* pinned: 4 distinct states, 10 generated, depth 3\n"
            "  by\n"
            "    \\* pinned: 4 distinct states, 9 generated, depth 3",
        ],
    ),
    "drift and divergence": (
        {"cfg": DRIFTED, "implementation": toy.JumpsTooFar},
        5,
        [
            "drifted",
            "Jump(2): the implementation takes the step to a state",
            "def test_jump_2__after_0_steps()",
        ],
    ),
    "invariant and missing method": (
        {"cfg": TOY_PIN + TOY_CFG + "INVARIANT Even\n", "more": "    stay = None\n"},
        2,
        [
            "TLC: invariant Even violated:\n1: Initial predicate\n",
            "\n2: Up\n  /\\ odd = TRUE\n  /\\ x = 1\n",
            "Toy: Toy has no method for the action Stay.\n",
            "What Toy lacks is written out in model/toy_missing.py: move it into Toy and fill it in.\n",
        ],
    ),
    "invariant and divergence": (
        {"cfg": TOY_PIN + TOY_CFG + "INVARIANT Even\n", "implementation": toy.NeverDown},
        4,
        ["invariant Even violated", "Down: the implementation does not offer", "(2 more like this one)"],
    ),
    "liveness": (
        {"cfg": TOY_PIN + LIVE, "tla": TOY_LIVE},
        4,
        ["TLC: temporal property Ends violated:\n1: Initial predicate\n", "then it stutters for ever"],
    ),
    "lasso": (
        {
            "cfg": TOY_PIN + LIVE.replace("SPECIFICATION Spec", "SPECIFICATION Fair"),
            "tla": TOY_LIVE.replace("Small ==", "Fair == Spec /\\ WF_vars(Next)\nSmall =="),
        },
        4,
        ["TLC: temporal property Ends violated:\n1: Initial predicate\n", "\nback to "],
    ),
    "surplus and misfit methods": (
        {
            "more": '    @action("Leap")\n    def leap(self): ...\n'
            '    @action("Jump")\n    def jump(self, n, m): ...\n'
        },
        2,
        [
            "Toy.leap is for the action Leap, which the spec's Next does not have.",
            "Toy.jump must take (self, n)",
        ],
    ),
    "syntax": (
        {"tla": TOY_TLA.replace("Init ==", "Init = =")},
        2,
        ["spec/Toy.tla:7: ", "Correct the syntax"],
    ),
    "constructor": (
        {"more": "    def __init__(self, constants): constants['Bottom']\n"},
        2,
        ["Toy: Toy cannot be made: KeyError: 'Bottom' (", "model/toy.py:8)."],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_exit_code(tmp_path: Path, name: str) -> None:
    changes, code, says = WRONG[name]
    write_project(tmp_path, **changes)  # type: ignore[arg-type]
    ran = specwalk("check", "toy", project=tmp_path)
    for text in says:
        assert text in ran.out
    assert (ran.code, ran.err, ran.left) == (code, "", [])
    assert ran.out.splitlines()[-1].endswith(f"exit code {code} ({_NAMES[code]}).")


_NAMES = {2: "bad_input", 4: "property_violated", 5: "divergence", 6: "drifted"}


def test_each_instance_is_checked_whatever_the_others_come_to(tmp_path: Path) -> None:
    write_project(tmp_path, cfg=DRIFTED, more='    instances = ("", "lost", "wide")\n')
    (tmp_path / "spec/Toy_lost.cfg").write_text("CONSTANT Top = 3\nINIT Lost\nNEXT Next\n")
    wide = TOY_CFG.replace("Top = 3", "Top = 2")
    (tmp_path / "spec/Toy_wide.cfg").write_text(wide)
    ran = specwalk("walk", "toy", "--json", "-", project=tmp_path)
    # With Top = 2 the counter, which goes to 3, does what the spec forbids.
    verdict = json.loads(ran.out)
    assert [instance["exit_code"] for instance in verdict["instances"]] == [0, 2, 5]
    assert (ran.code, verdict["exit_code"]) == (2, 2)
    # The people's report is on the other stream.
    assert "Up: the implementation does something that the spec forbids." in ran.err
    assert "Lost" in verdict["instances"][1]["findings"][0]


def test_a_dotted_name_and_one_instance_of_several(tmp_path: Path) -> None:
    write_project(tmp_path, more='    instances = ("", "lost")\n')
    (tmp_path / "spec/Toy_lost.cfg").write_text("lost\n")
    (tmp_path / "model").rename(tmp_path / "models")
    ran = specwalk("walk", "models.toy", "--instance", "Toy", project=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert "OK: 8 transitions" in ran.out


def test_a_large_instance_is_checked_when_it_is_named_and_says_what_that_took(tmp_path: Path) -> None:
    write_project(tmp_path, more='    instances = ("", "wide")\n    large = ("wide",)\n')
    (tmp_path / "spec/Toy_wide.cfg").write_text(TOY_CFG)
    small = specwalk("walk", "toy", project=tmp_path)
    assert "not checked here, for they are large: specwalk check toy --instance wide" in small.out
    assert "OK: 8 transitions" in small.out
    large = specwalk("walk", "toy", "--instance", "wide", project=tmp_path)
    assert "not checked here" not in large.out
    assert re.search(r"wide: walked in 20 steps, \d+ s, [\d,]+ a second, at most [\d,]+ MiB", large.out)


# Where the output goes


def test_a_full_disk_for_the_report(tmp_path: Path) -> None:
    write_project(tmp_path)
    with open("/dev/full", "w") as full:
        ran = specwalk("walk", "toy", project=tmp_path, stdout=full)
    assert ran.code == 3
    assert ran.err.count("\n") == 1
    assert "No space left on device" in ran.err


def test_a_full_disk_for_the_json(tmp_path: Path) -> None:
    write_project(tmp_path)
    ran = specwalk("walk", "toy", "--json", "/dev/full", project=tmp_path)
    assert ran.code == 3
    assert ran.err.count("\n") == 1
    assert "No space left on device" in ran.err


@pytest.mark.parametrize("options", [(), ("--json", "-")])
def test_a_reader_that_goes_away_changes_no_verdict(tmp_path: Path, options: tuple[str, ...]) -> None:
    write_project(tmp_path, toy.NeverDown)
    process = start("walk", "toy", *options, project=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    ran = finish(process, tmp_path)
    assert (ran.code, ran.left) == (5, [])
    assert "Errno" not in ran.err


def test_a_full_disk_for_temporary_files(tmp_path: Path) -> None:
    write_project(tmp_path)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    ran = specwalk("check", "toy", project=tmp_path, preexec=limited)
    assert ran.code == 3
    assert "Toy: Cannot prepare a folder to run TLC in: [Errno 27] File too large" in ran.out
    assert (ran.err, ran.left) == ("", [])


# Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "Endless.tla").write_text(ENDLESS)
    (tmp_path / "Endless.cfg").write_text("SPECIFICATION Spec\n")
    process = start("graph", "Endless.tla", project=tmp_path)
    _wait_for_java(process, tmp_path)
    os.kill(process.pid, number)
    ran = finish(process, tmp_path)
    assert (ran.code, ran.left) == (130, [])
    assert ran.err.strip() == "specwalk: Interrupted; nothing was left running."


def test_time_runs_out(tmp_path: Path) -> None:
    (tmp_path / "Endless.tla").write_text(ENDLESS)
    (tmp_path / "Endless.cfg").write_text("SPECIFICATION Spec\n")
    ran = specwalk("graph", "Endless.tla", "--timeout", "1.5", project=tmp_path)
    assert (ran.code, ran.left) == (3, [])
    assert "1.5 seconds" in ran.err


def _wait_for_java(process: subprocess.Popen[str], project: Path) -> None:
    while not runs_java(project):
        assert process.poll() is None
        time.sleep(0.05)


# graph


def test_graph_for_people_and_machines(tmp_path: Path) -> None:
    write_project(tmp_path)
    ran = specwalk("graph", "spec/Toy.tla", "--json", "toy.json", "--dot", "-", project=tmp_path)
    assert (ran.code, ran.left) == (0, [])
    assert "leaf actions" in ran.err
    assert "Jump(n)" in ran.err
    assert ran.err.endswith("\nlabels: from the wrapper, paired with TLC's dump\n")
    graph = json.loads((tmp_path / "toy.json").read_text())
    assert graph["variables"] == ["x", "odd"]
    assert graph["states"][graph["initial"][0]] == ["0", "FALSE"]
    x = [int(state[0]) for state in graph["states"]]
    assert sorted((x[s], step, x[t]) for s, step, t in graph["edges"]) == sorted(toy.COUNTER)
    assert set(graph["alphabet"]) == set(toy.ALPHABET)
    lines = ran.out.splitlines()
    assert (lines[0], lines[-1]) == ("digraph {", "}")
    assert sum(" -> " in line for line in lines) == 8
    assert sum("style=filled" in line for line in lines) == 1


def test_the_helpers_see_what_is_left(tmp_path: Path) -> None:
    (tmp_path / "tmp/specwalk-here").mkdir(parents=True)
    assert folders(tmp_path) == ["specwalk-here"]
    waiting = "import time; print('here', flush=True); time.sleep(60)"
    marked = [sys.executable, "-c", waiting, f"{tmp_path}/tmp/specwalk-here"]
    with subprocess.Popen(marked, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        seen = runs_java(tmp_path)
        process.kill()
    assert seen
    assert not javas(tmp_path)


def test_what_its_own_steps_do_not_show_gets_no_snippet(tmp_path: Path) -> None:
    write_project(tmp_path, toy.TiresOut)
    ran = specwalk("check", "toy", project=tmp_path)
    assert ran.code == 5
    assert "RuntimeError: tired" in ran.out
    assert "Taken from the start, these steps do not show it" in ran.out
    assert "Let snapshot() and restore() hold all of the implementation" in ran.out
    assert "reproduce(" not in ran.out
