"""The alphabet: what Next speaks of, where domains depend on the state or cannot be evaluated."""

import pytest

from specwalk.graph import LabelLevel, labels
from tests.harness.exploring import Explored, events, letters


def test_a_queue_head_has_a_domain_only_where_its_guard_holds(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals, Sequences
VARIABLE queue
Receive(m) == queue' = Tail(queue)
Send(m) == Len(queue) < 2 /\ queue' = Append(queue, m)
Init == queue = <<>>
Next == \/ \E m \in {"a", "b"} : Send(m)
        \/ queue # <<>> /\ \E m \in {Head(queue)} : Receive(m)
"""
    )
    assert letters(graph) == {'Send("a")', 'Send("b")', 'Receive("a")', 'Receive("b")'}
    assert graph.level is LabelLevel.PAIRED
    assert len(graph.notes) == 1
    assert "no domain in every state" in graph.notes[0]


def test_a_domain_that_tlc_cannot_evaluate_leaves_what_edges_carry(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' \in {0, 1} /\ y' = 0 /\ \E v \in {x' + 1} : v < 3
"""
    )
    assert events(graph) == letters(graph) == {"Next(1)", "Next(2)"}
    assert "cannot evaluate" in graph.notes[0]


def test_domains_of_states_that_a_constraint_excludes_do_not_count(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Inc(to) == x' = to
Init == x = 0
Next == \E to \in {x + 1} : Inc(to)
Small == x < 3
""",
        "INIT Init\nNEXT Next\nCONSTRAINT Small\n",
    )
    assert letters(graph) == {"Inc(1)", "Inc(2)", "Inc(3)"}
    assert events(graph) == {"Inc(1)", "Inc(2)"}


def test_a_domain_may_have_a_value_in_one_branch_only(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals, Sequences
VARIABLE queue
Receive(m) == queue' = Tail(queue)
Send(m) == queue' = Append(queue, m)
Wait == UNCHANGED queue
Init == queue = <<>>
Next == \/ \E m \in {1, 2} : Len(queue) < 1 /\ Send(m)
        \/ IF queue = <<>> THEN Wait ELSE \E m \in {Head(queue)} : Receive(m)
"""
    )
    assert letters(graph) == {"Next(1)", "Next(2)", "Wait", "Receive(1)", "Receive(2)"}
    assert "no domain in every state" in graph.notes[0]


def test_positions_are_independent_and_conditions_do_not_narrow(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Move(from, to) == x = from /\ x' = to
Init == x = 0
Next == \/ \E a \in 0..1 : \E b \in (a + 1)..2 : Move(a, b)
        \/ x > 5 /\ \E a \in {7} : Move(a, 0)
"""
    )
    assert events(graph) == {"Move(0, 1)", "Move(0, 2)", "Move(1, 2)"}
    assert letters(graph) == {f"Move({a}, {b})" for a in (0, 1, 7) for b in (0, 1, 2)}
    assert graph.notes == ()


def test_too_many_combinations_are_left_at_those_of_next(
    explored: Explored, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "LARGEST_PRODUCT", 3)
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Move(from, to) == x = from /\ x' = to
Init == x = 0
Next == \E a \in 0..1 : \E b \in (a + 1)..2 : Move(a, b)
"""
    )
    assert letters(graph) == {"Move(0, 1)", "Move(0, 2)", "Move(1, 2)"}
    assert graph.notes[0].startswith("Move: ")
