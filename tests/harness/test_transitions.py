"""Dumps and prints: the formats of TLC 2.15 and of its successors, and what must not pass for whole."""

from pathlib import Path

import pytest

from specwalk.errors import EnvironmentProblem
from specwalk.graph.dot import DotEdge, DotState, StateTexts, label_variables, read_dot
from specwalk.graph.labels import tlc_label
from specwalk.graph.transitions import Mismatch, read_pairs, read_records, read_tlc
from specwalk.label.export import DUMP, PRINTS
from specwalk.tlc import Lines, Written
from specwalk.values import Function

HEAD = 'strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor="white";\n'
TAIL = "{rank = same; 1;}\n{rank = same; -2;}\n}\n}"

OLD = (
    HEAD
    + r"""1 [label="/\\ x = 0\n/\\ event_sw = <<>>",style = filled]
1 -> -2 [label="Next",color="black",fontcolor="black"];
-2 [label="/\\ x = 1\n/\\ event_sw = <<0, 7>>"];
-2 -> 1 [label="Next",color="black",fontcolor="black"];
"""
    + TAIL
)
# TLC since 2025: parameters in edge labels, tooltips, a default shape; dashed loops if asked for.
NEW = (
    HEAD.replace("color=", 'node [shape=box,style=rounded]\ncolor="white";\ncolor=', 1)
    + r"""1 [label="/\\ x = \"a]\\\\\"\n/\\ y = 0",style = filled]
1 -> 1 [style="dashed"];
1 -> -2 [label="Act(1,mv1,\"q\\\"\")",color="black",fontcolor="black"];
-2 [label="/\\ x = \"/\\\\ y = 5\"\n/\\ y = <<1,\n  2>>",tooltip="/\\ x = \"/\\\\ y = 5\"\n/\\ y = .."];
-2 -> 1 [label="Stop",color="black",fontcolor="black"];
"""
    + TAIL
)
EVENTS = '"sw <<0, 7>>"\n"sw <<0, 8>>"\n'


def written(folder: Path) -> Lines:
    return Written(folder, ended=True).lines


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / DUMP).write_text(OLD, encoding="utf-8")
    (tmp_path / PRINTS).write_text(EVENTS, encoding="utf-8")
    return tmp_path


def test_a_new_dump_is_read_with_parameters_and_without_dashed_loops(tmp_path: Path) -> None:
    (tmp_path / DUMP).write_text(NEW, encoding="utf-8")
    variables, read = read_tlc(written(tmp_path))
    assert variables == ("x", "y")
    assert read.states == [("a]\\", 0), ("/\\ y = 5", (1, 2))]
    assert read.initial == [0]
    assert read.edges == [(0, 0, 1), (1, 1, 0)]
    labels = [str(tlc_label(str(event))) for event in read.events]
    assert labels == ['Act(1, mv1, "q\\"")', "Stop"]


def test_a_label_of_tlc_that_is_no_call_is_kept_whole() -> None:
    assert str(tlc_label("A(x")) == "A(x"
    assert tlc_label("A(SUBSET (1..99))").action == "A(SUBSET (1..99))"
    assert tlc_label(r"\prec").action == r"\prec"


def test_the_items_of_an_old_dump() -> None:
    assert list(read_dot(OLD.splitlines())) == [
        DotState("1", r"/\\ x = 0\n/\\ event_sw = <<>>", True),
        DotEdge("1", "-2", "Next"),
        DotState("-2", r"/\\ x = 1\n/\\ event_sw = <<0, 7>>", False),
        DotEdge("-2", "1", "Next"),
    ]


def test_a_single_variable_has_no_bullet() -> None:
    assert label_variables("x = [a |-> 1]") == ("x",)
    assert StateTexts(["x"]).values("x = [a |-> 1]") == (Function({"a": 1}),)


def test_the_order_of_a_label_is_not_that_of_the_variables() -> None:
    assert StateTexts(["x", "y"]).values(r"/\\ y = 1\n/\\ x = 0") == (0, 1)


def test_events_are_paired_with_edges_in_order(folder: Path) -> None:
    read = read_pairs(written(folder), ("x",), "event_sw", "sw")
    assert read.states == [(0,), (1,)]
    assert read.events == [(0, 7), (0, 8)]
    assert read.edges == [(0, 0, 1), (1, 1, 0)]


def test_what_the_spec_prints_itself_is_passed_over(folder: Path) -> None:
    noise = '"swing"\n<< 1,\n  2 >>\n'
    (folder / PRINTS).write_text(noise + EVENTS.replace("\n", f"\n{noise}"), encoding="utf-8")
    assert read_pairs(written(folder), ("x",), "event_sw", "sw").edges == [(0, 0, 1), (1, 1, 0)]


def test_the_alphabet_is_read_apart_from_the_events(folder: Path) -> None:
    alphabet = '"set_sw {\\"<<0, 7>>\\", \\"<<1, \\\\\\"a\\\\\\">>\\"}"\n'
    (folder / PRINTS).write_text(alphabet + EVENTS, encoding="utf-8")
    read = read_pairs(written(folder), ("x",), "event_sw", "sw")
    assert read.offered == {(0, 7), (1, "a")}
    assert len(read.edges) == 2


@pytest.mark.parametrize(
    ("prints", "message"),
    [
        ('"sw <<0, 7>>"\n', "more edges than prints"),
        (f"{EVENTS}{EVENTS}", "more prints than edges"),
        ('"sw <<0, 8>>"\n"sw <<0, 7>>"\n', r"\(0, 8\) was printed where \(0, 7\) was dumped"),
    ],
)
def test_prints_out_of_step_are_noticed(folder: Path, prints: str, message: str) -> None:
    (folder / PRINTS).write_text(prints, encoding="utf-8")
    with pytest.raises(Mismatch, match=message):
        read_pairs(written(folder), ("x",), "event_sw", "sw")


@pytest.mark.parametrize("lines", range(1, 9))
def test_a_dump_that_is_cut_short_is_noticed(folder: Path, lines: int) -> None:
    (folder / DUMP).write_text("\n".join(OLD.splitlines()[:-lines]), encoding="utf-8")
    with pytest.raises((EnvironmentProblem, Mismatch)):
        read_pairs(written(folder), ("x",), "event_sw", "sw")
    with pytest.raises(EnvironmentProblem, match="cut short"):
        list(read_dot(OLD.splitlines()[:-lines]))


def test_records_need_no_order(folder: Path) -> None:
    records = '"sw <<<<1>>, <<0, 8>>, <<0>>>>"\n"sw <<<<0>>, <<0, 7>>, <<1>>>>"\n'
    (folder / PRINTS).write_text(records, encoding="utf-8")
    read = read_records(written(folder), ("x",), "event_sw", "sw")
    assert (read.states, read.initial) == ([(0,), (1,)], [0])
    assert {(s, read.events[e], t) for s, e, t in read.edges} == {(0, (0, 7), 1), (1, (0, 8), 0)}


def test_a_record_of_an_unknown_state_is_noticed(folder: Path) -> None:
    (folder / PRINTS).write_text('"sw <<<<1>>, <<0, 8>>, <<3>>>>"\n', encoding="utf-8")
    with pytest.raises(Mismatch, match="lacks a state"):
        read_records(written(folder), ("x",), "event_sw", "sw")
