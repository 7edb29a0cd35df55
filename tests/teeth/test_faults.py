"""Faults and suites: heads are read strictly, diffs apply as they are, and the verdict cannot flatter."""

import shutil
from pathlib import Path

import pytest

from specwalk.errors import BadInput
from tests.teeth.fault import PROJECT, Fault, copy_project, read_faults
from tests.teeth.report import table, told
from tests.teeth.suite import Check, Outcome, Suite, plant_all, problems, sole_catches, without_proof

DIFF = """\
--- a/code.py
+++ b/code.py
@@ -1,3 +1,3 @@
 one
-two
+zwei
 three
"""


def write(folder: Path, head: str, diff: str = DIFF) -> Path:
    (folder / "swap.diff").write_text(head + diff)
    return folder


def test_a_head_is_a_sentence_a_rule_and_kinds_of_checks(tmp_path):
    write(tmp_path, "Two becomes\nzwei.\nRule: AB-1\nCaught by: edge, unit\n\n")
    [fault] = read_faults(tmp_path, ["edge", "unit"])
    assert (fault.name, fault.sentence, fault.rule) == ("swap", "Two becomes zwei.", "AB-1")
    assert fault.caught_by == ("edge", "unit")


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("Two becomes zwei.\nCaught by: edge\n", "`Rule: ...`"),
        ("Two becomes zwei.\nRule: AB-1\n", "`Caught by: ...`"),
        ("Rule: AB-1\nCaught by: edge\n", "a sentence"),
        ("Two becomes zwei.\nRule: AB-1\nCaught by: luck\n", "'luck'.*edge, unit"),
    ],
)
def test_a_head_that_lacks_something_is_told(tmp_path, head, said):
    write(tmp_path, head)
    with pytest.raises(BadInput, match=said):
        read_faults(tmp_path, ["edge", "unit"])


@pytest.mark.parametrize("today", ["one\nzwei\nthree\n", "eins\ntwo\nthree\n", "one\nnew\ntwo\nthree\n"])
def test_a_diff_applies_as_it_is_or_not_at_all(tmp_path, today):
    diff = write(tmp_path, "Fault.\n") / "swap.diff"
    fault = Fault(name="swap", sentence="Fault.", rule="AB-1", caught_by=("edge",), diff=diff)
    (tmp_path / "code.py").write_text("one\ntwo\nthree\n")
    fault.plant(tmp_path)
    assert (tmp_path / "code.py").read_text() == "one\nzwei\nthree\n"
    (tmp_path / "code.py").write_text(today)
    with pytest.raises(BadInput, match=r"(?s)does not apply any more.*git diff"):
        fault.plant(tmp_path)
    assert (tmp_path / "code.py").read_text() == today


def test_the_copy_is_the_project_without_what_git_ignores(tmp_path):
    copy_project(tmp_path)
    assert (tmp_path / "spec/Custody.tla").read_bytes() == (PROJECT / "spec/Custody.tla").read_bytes()
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize(
    "diff", sorted((PROJECT / "tests/teeth/faults/impl").glob("*.diff")), ids=lambda diff: diff.stem
)
def test_each_fault_of_the_implementation_applies_to_the_code_of_today(tmp_path, diff):
    shutil.copytree(PROJECT / "impl/abhyasa", tmp_path / "impl/abhyasa")
    Fault(name=diff.stem, sentence="", rule="", caught_by=(), diff=diff).plant(tmp_path)


# Suites


def suite_of(folder: Path, *checks: Check) -> Suite:
    return Suite(name="words", folder=folder, checks=checks, alone=("german", "length"))


def german(copy: Path) -> dict[str, str]:
    return {"german": "line 2"} if "zwei" in (copy / "code.py").read_text() else {}


def never(_: Path) -> dict[str, str]:
    return {}


@pytest.fixture
def original(tmp_path):
    """A project of one file, in the place of this one."""
    folder = tmp_path / "original"
    folder.mkdir()
    (folder / "code.py").write_text("one\ntwo\nthree\n")
    return folder


def test_a_fault_is_planted_in_a_copy_and_what_catches_it_is_told(tmp_path, original):
    write(tmp_path, "Two becomes zwei.\nRule: AB-1\nCaught by: german\n")
    suite = suite_of(tmp_path, Check(kinds=("german",), run=german), Check(kinds=("length",), run=never))
    assert suite.complaints(original) == {}
    [outcome] = plant_all(suite, suite.faults(), original, workers=2)
    assert outcome.caught == {"german": "line 2"}
    assert (original / "code.py").read_text() == "one\ntwo\nthree\n"
    assert "german: line 2" in told(outcome)
    assert problems([outcome]) == []
    assert without_proof(suite, [outcome]) == [
        "no fault is caught by length alone, so nothing shows that it is needed: plant one"
    ]


def always(kind: str) -> Check:
    return Check(kinds=(kind,), run=lambda _: {kind: "everywhere"})


@pytest.mark.parametrize(("named", "asked"), [("one", 2), ("three", 3)])
def test_checks_run_until_two_kinds_and_all_that_the_head_names_have_caught(tmp_path, original, named, asked):
    write(tmp_path, f"Two becomes zwei.\nRule: AB-1\nCaught by: {named}\n")
    kinds = ["one", "two", "three", "four"]
    suite = suite_of(tmp_path, *map(always, kinds))
    [outcome] = plant_all(suite, suite.faults(), original, workers=1)
    assert (list(outcome.caught), list(outcome.unasked)) == (kinds[:asked], kinds[asked:])


def test_a_fault_that_is_caught_by_one_kind_was_put_to_every_check(tmp_path, original):
    write(tmp_path, "Two becomes zwei.\nRule: AB-1\nCaught by: one\n")
    quiet = Check(kinds=("two", "three"), run=never)
    suite = suite_of(tmp_path, always("one"), quiet)
    [outcome] = plant_all(suite, suite.faults(), original, workers=1)
    assert (list(outcome.caught), outcome.unasked) == (["one"], ())


def outcome(name: str, caught_by: tuple[str, ...], caught: dict[str, str]) -> Outcome:
    fault = Fault(name=name, sentence="It breaks.", rule="AB-1", caught_by=caught_by, diff=Path())
    return Outcome(fault=fault, caught=caught)


BOTH = outcome("both", ("german",), {"german": "here", "length": "there"})
ALONE = outcome("alone", ("length",), {"length": "there"})
MISSED = outcome("missed", ("german",), {"length": "there"})
FREE = outcome("free", ("german",), {})


def test_what_no_check_catches_and_what_the_named_one_misses_are_failures():
    assert problems([BOTH, ALONE]) == []
    assert problems([MISSED, FREE]) == [
        "missed is not caught by german, as its head says",
        "free is not caught: It breaks.",
    ]


def test_a_kind_has_proven_itself_by_what_it_alone_catches(tmp_path):
    suite = suite_of(tmp_path)
    assert sole_catches([BOTH, ALONE, FREE]) == {"length": ["alone"]}
    assert without_proof(suite, [BOTH, ALONE]) == [
        "no fault is caught by german alone, so nothing shows that it is needed: plant one"
    ]


def test_the_table_marks_what_caught_each_and_counts(tmp_path):
    suite = suite_of(tmp_path, Check(kinds=("german", "length"), run=never))
    stopped = Outcome(fault=FREE.fault, caught={"german": "here", "other": "there"}, unasked=("length",))
    shown = table(suite, [BOTH, ALONE, stopped])
    cells = [list(column.cells) for column in shown.columns]
    assert cells == [["alone", "both", "free"], ["AB-1"] * 3, ["", "x", "x"], ["only", "x", "-"]]
    assert [column.footer for column in shown.columns[2:]] == ["2\n0", "2\n1"]
