"""When the pairing fails: recorded transitions give the same graph, TLC's own labels a poorer one."""

from pathlib import Path
from typing import Any

import pytest

from specwalk.graph import LabelLevel, StateGraph, explore
from specwalk.graph.transitions import Mismatch

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


@pytest.mark.parametrize("name", ["S0", "S", "X"])
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
