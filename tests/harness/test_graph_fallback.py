"""When the pairing fails: recorded transitions give the same graph, TLC's own labels a poorer one."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from specwalk.graph import LabelLevel, StateGraph, explore
from specwalk.graph.explorer import compare_counts
from specwalk.graph.transitions import Mismatch, Transitions
from specwalk.tlc import Counts

SPECS = Path(__file__).parent / "specs"


def edges(graph: StateGraph) -> dict[tuple[Any, str, Any], int]:
    return {
        (
            graph.states[graph.source[e]],
            str(graph.labels[graph.label[e]]),
            graph.states[graph.target[e]],
        ): graph.repeated.get(e, 1)
        for e in range(len(graph))
    }


def refuse(*_: Any, **__: Any) -> Any:
    raise Mismatch("out of step")


@pytest.mark.parametrize("name", ["X", *(pytest.param(n, marks=pytest.mark.deep) for n in ("S0", "S"))])
def test_recorded_transitions_give_the_same_graph(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    paired = explore(SPECS / f"{name}.tla", SPECS / f"{name}.cfg")
    monkeypatch.setattr("specwalk.graph.explorer.read_pairs", refuse)
    recorded = explore(SPECS / f"{name}.tla", SPECS / f"{name}.cfg")
    assert recorded.level is LabelLevel.RECORDED
    assert edges(recorded) == edges(paired)
    assert recorded.states == paired.states
    assert recorded.initial == paired.initial
    assert set(recorded.alphabet) == set(paired.alphabet)


def test_what_no_wrapper_can_do_has_tlcs_own_labels(tmp_path: Path) -> None:
    # Spec comes from an INSTANCE, so its Init and Next have other names here, or other meanings.
    (tmp_path / "Inner.tla").write_text(
        "---- MODULE Inner ----\nVARIABLE x\nFlip == x' = ~x\nStay == x' = x\n"
        "Init == x = TRUE\nNext == Flip \\/ Stay\nSpec == Init /\\ [][Next]_x\n====\n"
    )
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nVARIABLE x\nI == INSTANCE Inner\nInit == x = FALSE\nSpec == I!Spec\n====\n"
    )
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\n")
    graph = explore(tmp_path / "M.tla", tmp_path / "M.cfg")
    assert graph.level is LabelLevel.TLC
    assert graph.states == [(True,), (False,)]
    assert graph.notes[0].startswith("Labels are TLC's own")


PLAIN = Counts(generated=4, distinct=2, queue=0, depth=2)
READ = Transitions(states=[(0,), (1,)], initial=[0], edges=[(0, 0, 1), (1, 0, 0), (1, 0, 1)])


@pytest.mark.parametrize(
    ("wrapped", "read", "says"),
    [
        (replace(PLAIN, generated=5), READ, "5 states generated"),
        (replace(PLAIN, distinct=3), READ, "3 distinct"),
        (PLAIN, replace(READ, states=[(0,)]), "1 states dumped of 2"),
        (PLAIN, replace(READ, edges=[*READ.edges, (0, 0, 0)]), "4 edges dumped"),
    ],
)
def test_a_labelled_run_must_count_what_the_unmodified_spec_does(
    wrapped: Counts, read: Transitions, says: str
) -> None:
    compare_counts(PLAIN, PLAIN, READ)
    with pytest.raises(Mismatch, match=says):
        compare_counts(PLAIN, wrapped, read)


def test_an_event_outside_of_the_alphabet_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("specwalk.graph.explorer.alphabet", lambda *_: ([], []))
    graph = explore(SPECS / "S0.tla", SPECS / "S0.cfg")
    assert graph.level is LabelLevel.TLC
    assert "the alphabet lacks" in graph.notes[-1]
