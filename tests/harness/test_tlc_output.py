"""Framing, and that no doubtful output passes for OK."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwalk.tlc import Counts, Trace, TraceStep, Verdict
from specwalk.tlc.messages import Code, Message, MessageReader
from specwalk.values import ModelValue
from tests.harness.test_tlc_results import CASES, read, recorded

FAILED = [name for name, case in CASES.items() if case.verdict is not Verdict.OK]


def messages_of(*lines: str) -> list[tuple[int, str]]:
    found: list[Message] = []
    reader = MessageReader(found.append)
    for line in lines:
        reader.line(line)
    reader.end()
    return [(message.code, message.text) for message in found]


def start(code: int, severity: int = 0) -> str:
    return f"@!@!@STARTMSG {code}:{severity} @!@!@"


def end(code: int) -> str:
    return f"@!@!@ENDMSG {code} @!@!@"


def test_lines_outside_of_messages_come_one_by_one():
    assert messages_of("a", start(7), "b", end(7), "c") == [
        (Code.UNFRAMED, "a"),
        (7, "b"),
        (Code.UNFRAMED, "c"),
    ]


def test_a_quoted_message_comes_first_and_is_part_of_the_outer_one():
    lines = [start(1000, 1), "Oh", ": " + start(2132), "no", end(2132), "!", end(1000)]
    assert messages_of(*lines) == [(2132, "no"), (1000, "Oh\n: \nno\n!")]


def test_a_negative_code_is_a_code():
    assert messages_of(start(-1, 1), "lost", end(-1)) == [(-1, "lost")]


def test_an_end_that_does_not_fit_is_text():
    assert messages_of(start(7), end(8), "a", end(7), end(7)) == [
        (7, f"{end(8)}\na"),
        (Code.UNFRAMED, end(7)),
    ]


def test_what_never_ends_is_an_error():
    found: list[Message] = []
    reader = MessageReader(found.append)
    reader.line(start(2200))
    reader.end()
    assert [(message.code, message.is_error) for message in found] == [(Code.TRUNCATED, True)]


@given(st.lists(st.sampled_from([start(1), start(2, 1), end(1), end(2), "", "x", "y" + start(1)])))
def test_no_line_is_lost_or_invented(lines):
    texts = "\n".join(text for _, text in messages_of(*lines))
    assert texts.count("x") >= lines.count("x")
    assert ("x" in texts) == ("x" in lines)


@pytest.mark.parametrize("name", FAILED)
def test_no_lost_line_makes_a_failure_pass(name, tmp_path):
    lines = recorded(name)
    (tmp_path / "Spec.cfg").touch()
    for place in range(len(lines)):
        remaining = lines[:place] + lines[place + 1 :]
        assert read(remaining, 0, tmp_path / "Spec.tla").verdict is not Verdict.OK


def test_a_success_that_breaks_off_is_none(tmp_path):
    lines = recorded("success")
    needed = lines.index(end(Code.COUNTS))
    for length in range(len(lines) + 1):
        verdict = read(lines[:length], 0, tmp_path / "Spec.tla").verdict
        whole = [line for line in lines[:length] if "STARTMSG" in line]
        closed = len(whole) == sum("ENDMSG" in line for line in lines[:length])
        expected = Verdict.OK if length > needed and closed else Verdict.ENVIRONMENT
        assert verdict is expected, lines[:length][-1:]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0 states left on queue", "1 states left on queue"),
        ("3 distinct states found", "0 distinct states found"),
        ("4 states generated", "many states generated"),
        (r"STARTMSG 2185:0", "STARTMSG 2185:1"),
        (r"STARTMSG 2185:0", "STARTMSG 2185:2"),
        ("(START|END)MSG 2193", r"\1MSG 2190"),
        ("(START|END)MSG 2199", r"\1MSG 2190"),
    ],
)
def test_ok_needs_all_of_its_evidence(old, new, tmp_path):
    changed = [re.sub(old, new, line) for line in recorded("success")]
    assert read(changed, 0, tmp_path / "Spec.tla").verdict is not Verdict.OK


@pytest.mark.parametrize("exit_code", [1, 12, 75, 255])
def test_ok_needs_exit_code_0(exit_code, tmp_path):
    assert read(recorded("success"), exit_code, tmp_path / "Spec.tla").verdict is Verdict.ENVIRONMENT


def test_a_warning_is_no_error(tmp_path):
    warned = [re.sub("STARTMSG 2185:0", "STARTMSG 2185:3", line) for line in recorded("success")]
    assert read(warned, 0, tmp_path / "Spec.tla").verdict is Verdict.OK


def test_a_trace_reads_as_tlc_shows_it():
    steps = (
        TraceStep(action="Initial predicate", location="", state={"x": 0}),
        TraceStep(action="Up", location="", state={"x": 1}),
    )
    shown = "1: Initial predicate\n  /\\ x = 0\n2: Up\n  /\\ x = 1"
    assert str(Trace(steps=steps)) == shown
    assert str(Trace(steps=steps, back_to=0)) == f"{shown}\nback to 1"
    assert str(Trace(steps=steps, back_to=1)) == f"{shown}\nthen it stutters for ever"


def test_a_value_that_tlc_alone_understands_stands_for_itself(tmp_path):
    lines = [line.replace("x = 2", "x = SUBSET Nat") for line in recorded("deadlock")]
    violation = read(lines, 11, tmp_path / "Spec.tla").violation
    assert violation is not None
    assert violation.trace.steps[-1].state == {"x": ModelValue("SUBSET Nat")}


def test_the_first_violation_counts(tmp_path):
    lines = recorded("continue")
    last = max(place for place, line in enumerate(lines) if line == "Invariant Inv is violated.")
    lines[last] = "Invariant Other is violated."
    violation = read(lines, 0, tmp_path / "Spec.tla").violation
    assert violation is not None
    assert violation.name == "Inv"


def test_progress_is_read_with_its_commas_and_depth(tmp_path):
    said = "Progress(12) at 2020-01-30 00:00:00: 1,234,567 states generated (9 s/min), "
    said += "89,012 distinct states found (9 ds/min), 3,456 states left on queue."
    result = read([start(Code.PROGRESS), said, end(Code.PROGRESS)], -9, tmp_path / "Spec.tla")
    assert result.counts == Counts(generated=1234567, distinct=89012, queue=3456, depth=12)
