"""Where a model does not fit its spec: what is missing and what is too much, all of it at once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from specwalk.gaps import Gaps, find_gaps
from specwalk.graph import Action, StateGraph
from specwalk.model import Model, action
from specwalk.values import Value
from tests.harness.toy import SnapshotModel, build

GRAPH = build()
LEAP, CLIMB = Action(name="Leap", parameters=("n", "m")), Action(name="Climb")


def with_actions(*more: Action) -> StateGraph:
    return replace(GRAPH, actions=(*GRAPH.actions, *more))


def test_a_fitting_model_has_no_gaps() -> None:
    gaps = find_gaps(SnapshotModel({}), GRAPH)
    assert not gaps
    assert gaps.problems == []


def test_a_spec_that_has_grown_is_told_in_full() -> None:
    wide = build(variables=("x", "odd", "even", "far"), values=lambda n: (n, n % 2 == 1, n % 2 == 0, n > 2))
    gaps = find_gaps(SnapshotModel({}), replace(wide, actions=(*wide.actions, LEAP, CLIMB)))
    assert (gaps.actions, gaps.variables) == ((LEAP, CLIMB), ("even", "far"))
    assert gaps.problems == [
        "SnapshotModel has no method for the action Leap(n, m).",
        "SnapshotModel has no method for the action Climb.",
        "SnapshotModel.observe() lacks the variable even.",
        "SnapshotModel.observe() lacks the variable far.",
    ]


def test_a_spec_that_has_lost_something_is_told_in_full() -> None:
    narrow = build(variables=("x",), values=lambda n: (n,))
    kept = tuple(leaf for leaf in narrow.actions if leaf.name != "Up")
    gaps = find_gaps(SnapshotModel({}), replace(narrow, actions=kept))
    assert (gaps.actions, gaps.variables) == ((), ())
    assert gaps.problems == [
        "SnapshotModel.up is for the action Up, which the spec's Next does not have. "
        "Remove it or correct the name.",
        "SnapshotModel.observe() returns odd, which is no variable of the spec. "
        "Remove it or correct the name.",
    ]


@pytest.mark.parametrize("gap", [{"actions": (CLIMB,)}, {"variables": ("far",)}, {"misfits": ("Too much.",)}])
def test_one_gap_of_any_kind_is_enough(gap: dict[str, Any]) -> None:
    gaps = Gaps(model="Toy", **gap)
    assert gaps
    assert len(gaps.problems) == 1


class Jumper(SnapshotModel):
    @action("Jump")
    def jump(self, n: int, *, high: bool) -> None: ...

    @action("Leap")
    def leap(self, *distances: int) -> None: ...


def test_a_method_with_other_parameters_is_corrected() -> None:
    assert find_gaps(Jumper({}), with_actions(LEAP)).problems == [
        "Jumper.jump must take (self, n) for the action Jump."
    ]


def test_a_model_without_observe_lacks_every_variable() -> None:
    class Blind(SnapshotModel):
        observe = Model.observe

    assert find_gaps(Blind({}), GRAPH).variables == ("x", "odd")


class Stumbles(SnapshotModel):
    def start(self, initial: Mapping[str, Value]) -> None:
        raise KeyError("height")


class Nothing(SnapshotModel):
    def observe(self) -> None:  # type: ignore[override]
        return None


class Unwritten(SnapshotModel):
    start = Model.start


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Stumbles, "KeyError: 'height' ("),
        (Nothing, "it returns None, which is no dict."),
        (Unwritten, "Unwritten has no start(): write how the implementation starts."),
    ],
)
def test_what_cannot_be_observed_is_for_the_walk_to_tell_if_there_is_one(
    model: type[Model], why: str
) -> None:
    alone = find_gaps(model({}), GRAPH)
    assert not alone
    assert alone.problems == []
    climb, unobserved = find_gaps(model({}), with_actions(CLIMB)).problems
    assert "Climb" in climb
    assert unobserved.startswith(f"{model.__name__}.observe() could not be compared with the spec: {why}")


def test_an_interrupt_goes_on() -> None:
    class Interrupted(SnapshotModel):
        def observe(self) -> Mapping[str, object]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find_gaps(Interrupted({}), GRAPH)
