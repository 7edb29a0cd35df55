"""What a user may write as the goal of a walk."""

import pytest

from specwalk.errors import BadInput
from specwalk.goal import find_goal
from specwalk.values import ModelValue
from tests.harness.toy import build

GRAPH = build()


def targets(text: str) -> list[int]:
    return sorted(GRAPH.target[edge] for edge in find_goal(text, GRAPH, {"Top": 3}).edges)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Down", [0, 1, 2]),
        ("Jump", [2]),
        ("Jump(2)", [2]),
        ("Jump(1)", []),
        ("x == 3 and odd", [3, 3]),
        ("x == Top", [3, 3]),
        ("x == 4", []),
        ("all(x > n for n in range(2))", [2, 2, 2, 3, 3]),
    ],
)
def test_actions_instances_and_expressions(text: str, expected: list[int]) -> None:
    assert targets(text) == expected


def test_an_instance_that_an_action_lacks_is_told_with_those_it_has() -> None:
    with pytest.raises(BadInput, match=r"no instance of Jump; those there are: Jump\(1\), Jump\(2\)"):
        find_goal("Jump(3)", GRAPH, {})


def test_model_values_go_by_their_names() -> None:
    o1, o2 = ModelValue("o1"), ModelValue("o2")
    graph = build([(0, "Up", 1)], values=lambda n: ({o1: n, o2: 0},), variables=("f",))  # type: ignore[arg-type, return-value]
    assert find_goal("f[o1] == 1", graph, {"Names": frozenset({o1, o2})}).edges == {0}


def test_a_goal_that_holds_at_the_start() -> None:
    assert find_goal("x < 1", GRAPH, {}).at_start
    assert not find_goal("x == 1", GRAPH, {}).at_start


@pytest.mark.parametrize("text", ["Jmp", "x ==", "y == 1", "1 / x", "Up(3)", "x", "exit()", ""])
def test_what_is_no_goal_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(BadInput, match=r"Up, Down, Jump, Stay.*x, odd"):
        find_goal(text, GRAPH, {})
