"""Walks from the initial states on: tours, at random, to a goal, and what happens at branch points."""

from collections.abc import Mapping

import pytest

from specwalk.divergence import Kind, Origin
from specwalk.follow import STRIDE, TRIES, Follower
from specwalk.graph import StateGraph
from specwalk.guided import WORTH_SHARING, take_rest, take_tours, walk_randomly, walk_to
from specwalk.journal import Journal
from specwalk.tours import plan_tours
from specwalk.values import Value
from tests.harness import toy
from tests.harness.toy import Counter, SnapshotModel, ToyModel, build, model_of

ORIGIN = Origin(model="toy", config="Toy.cfg")
BASES = pytest.mark.parametrize("base", [ToyModel, SnapshotModel])


def tour(graph: StateGraph, model: type[ToyModel], workers: int = 1) -> Journal:
    return take_tours(graph, plan_tours(graph), lambda: model({}), ORIGIN, lambda _: None, workers)


def names(graph: StateGraph, edges: set[int]) -> set[str]:
    return {f"{graph.source[e]} {graph.labels[graph.label[e]]} {graph.target[e]}" for e in edges}


@BASES
def test_a_tour_of_a_sound_implementation(base: type[ToyModel]) -> None:
    journal = tour(build(), model_of(Counter, base))
    assert (journal.walks, journal.steps, len(journal.taken), journal.replans) == (1, 8, 8, 0)
    assert not journal.findings


@BASES
@pytest.mark.parametrize(
    ("fault", "kind", "taken"),
    [
        (toy.StartsAtOne, Kind.WRONG_START, set()),
        (toy.NeverDown, Kind.NOT_OFFERED, {"0 Up 1", "1 Up 2", "2 Up 3", "0 Jump(2) 2", "3 Stay 3"}),
        (toy.RaisesAtTwo, Kind.RAISED, {"0 Up 1", "1 Up 2", "1 Down 0", "2 Down 1", "0 Jump(2) 2"}),
        (toy.BlindAtThree, Kind.UNOBSERVABLE, {"0 Up 1", "1 Up 2", "1 Down 0", "2 Down 1", "0 Jump(2) 2"}),
    ],
)
def test_everything_within_reach_of_a_faulty_implementation_is_still_taken(
    fault: type[Counter], kind: Kind, taken: set[str], base: type[ToyModel]
) -> None:
    graph = build()
    journal = tour(graph, model_of(fault, base))
    assert {finding.divergence.kind for finding in journal.findings.values()} == {kind}
    assert names(graph, journal.taken) == taken


def test_a_divergence_is_reported_with_the_walk_that_led_there() -> None:
    [finding] = tour(build(), model_of(toy.JumpsTooFar)).findings.values()
    assert finding.divergence.kind is Kind.WRONG_STATE
    assert finding.divergence.before == {"x": 0, "odd": False}
    assert finding.divergence.steps[-1] == "Jump(2)"


# From 0 Up leads to 1 or to 2; what is beyond differs.
FORK = build([(0, "Up", 1), (0, "Up", 2), (1, "Stay", 1), (2, "Down", 0), (1, "Down", 0)])


class Fork(Counter):
    """Takes the successors that ``choices`` says, in turn."""

    choices = (1, 2)
    turns = 0

    def up(self) -> None:
        self.need(self.x == 0)
        self.x = self.choices[Fork.turns % len(self.choices)]
        Fork.turns += 1

    def down(self) -> None:
        self.need(self.x > 0)
        self.x = 0

    def stay(self) -> None:
        self.need(self.x == 1)


class Always1(Fork):
    choices = (1,)


@BASES
@pytest.mark.parametrize("first", [0, 1])
def test_at_a_branch_point_the_walk_goes_on_from_where_the_implementation_went(
    first: int, base: type[ToyModel]
) -> None:
    Fork.turns = first
    journal = tour(FORK, model_of(Fork, base))
    assert not journal.findings
    assert len(journal.taken) == 5
    assert (journal.replans > 0) == (first == 1)


def test_a_successor_that_is_never_chosen_is_given_up_and_what_is_behind_it_is_left() -> None:
    journal = tour(FORK, model_of(Always1))
    assert not journal.findings
    assert names(FORK, journal.taken) == {"0 Up 1", "1 Stay 1", "1 Down 0"}


class Rarely2(Fork):
    """Chooses 2 once, and then no more."""

    def up(self) -> None:
        super().up()
        self.x = 2 if Fork.turns == 2 else 1

    def jump(self, n: int) -> None:
        self.need(self.x == 2)
        self.x = 0


@pytest.mark.parametrize("walking", ["tours", "rest"])
def test_a_successor_that_is_rarely_chosen_does_not_keep_a_walk_from_its_end(walking: str) -> None:
    # What is behind 2 is two steps long, and there is no second chance.
    graph = build(
        [(0, "Up", 1), (0, "Up", 2), (1, "Down", 0), (2, "Down", 0), (2, "Stay", 2), (2, "Jump(1)", 0)]
    )

    Fork.turns = 0
    if walking == "tours":
        journal = tour(graph, model_of(Rarely2))
    else:
        follower = Follower(graph, model_of(Rarely2)({}), ORIGIN)
        take_rest(graph, follower)
        journal = follower.journal
    assert "0 Up 2" in names(graph, journal.taken)
    assert len(journal.taken) < len(graph)


def test_a_successor_is_given_up_after_so_many_tries_with_nothing_new() -> None:
    Fork.turns = 0
    follower = Follower(FORK, model_of(Always1)({}), ORIGIN)
    assert not walk_to(FORK, follower, lambda edge: FORK.target[edge] == 2)
    assert names(FORK, follower.avoided) == {"0 Up 2"}
    # The first try does not count: on the way back from 1 a transition is new.
    assert follower.journal.replans == 2 * TRIES + 1


def test_a_walk_is_reported_from_where_it_began() -> None:
    [finding] = tour(build(), model_of(toy.RaisesAtTwo)).findings.values()
    assert finding.divergence.before == {"x": 2, "odd": False}
    assert finding.divergence.way.start == {"x": 0, "odd": False}
    assert finding.divergence.way.steps


class RaisesUp(Fork):
    def up(self) -> None:
        raise ZeroDivisionError


def test_an_event_that_diverged_is_not_taken_again() -> None:
    ways = [
        lambda follower: take_rest(FORK, follower),
        lambda follower: walk_randomly(FORK, follower, seed=0, walks=5, length=3),
    ]
    for go in ways:
        follower = Follower(FORK, model_of(RaisesUp)({}), ORIGIN)
        go(follower)
        assert follower.journal.findings.divergences == 1
        assert names(FORK, follower.journal.diverged) == {"0 Up 1", "0 Up 2"}


def test_progress_is_told_in_strides() -> None:
    told: list[int] = []
    follower = Follower(build(), model_of(Counter)({}), ORIGIN, told.append)
    walk_randomly(build(), follower, seed=0, walks=1000, length=3)
    assert sum(told) == follower.journal.steps // STRIDE * STRIDE > 0


# A walk for each of many ends, so that there are enough to share.
STAR = build([(0, f"Jump({n})", n) for n in range(1, WORTH_SHARING + 2)], alphabet=())


class Star(Counter):
    def jump(self, n: int) -> None:
        self.need(self.x == 0)
        self.x = n + (n == 7)


def test_tours_shared_out_to_processes_are_those_of_one() -> None:
    alone, shared = (tour(STAR, model_of(Star), workers) for workers in (1, 2))
    assert shared.taken == alone.taken == set(range(len(STAR))) - {6}
    assert (shared.steps, shared.walks) == (alone.steps, alone.walks) == (WORTH_SHARING + 1,) * 2
    assert shared.findings.keys() == alone.findings.keys()
    assert shared.findings.divergences == 1


def wander(seed: int, *, walks: int = 5, length: int = 6) -> ToyModel:
    model = model_of(Counter, ToyModel)({})
    follower = Follower(build(), model, ORIGIN)
    walk_randomly(build(), follower, seed=seed, walks=walks, length=length)
    assert follower.journal.walks == walks
    assert follower.journal.steps == len(model.performed)
    return model


def test_random_walks_are_those_of_their_seed() -> None:
    walks = [wander(seed).performed for seed in (1, 1, 2)]
    assert walks[0] == walks[1] != walks[2]
    assert len(walks[0]) == 5 * 6


def test_a_random_walk_ends_where_nothing_is_enabled() -> None:
    line = build([(0, "Up", 1), (1, "Up", 2)])
    follower = Follower(line, model_of(Counter)({}), ORIGIN)
    walk_randomly(line, follower, seed=0, walks=3, length=10)
    assert (follower.journal.walks, follower.journal.steps) == (3, 6)


def test_a_random_walk_ends_where_nothing_but_stutters_is_left() -> None:
    line = build([(0, "Jump(2)", 2), (2, "Up", 3), (3, "Stay", 3)])
    follower = Follower(line, model_of(Counter)({}), ORIGIN)
    walk_randomly(line, follower, seed=0, walks=3, length=10)
    assert (follower.journal.walks, follower.journal.steps) == (3, 6)


def test_what_random_walks_left_out_is_taken_afterwards() -> None:
    graph = build()
    follower = Follower(graph, model_of(Counter)({}), ORIGIN)
    walk_randomly(graph, follower, seed=0, walks=1, length=2)
    assert len(follower.journal.taken) < len(graph)
    take_rest(graph, follower)
    assert len(follower.journal.taken) == len(graph)


def test_a_walk_to_a_goal_is_a_shortest_one() -> None:
    graph = build()
    model = model_of(Counter)({})
    follower = Follower(graph, model, ORIGIN)
    assert walk_to(graph, follower, lambda edge: str(graph.labels[graph.label[edge]]) == "Stay")
    assert model.performed == [(0, "Jump(2)"), (2, "Up"), (3, "Stay")]


@pytest.mark.parametrize(("implementation", "reached"), [(Fork, True), (Always1, False)])
def test_a_goal_behind_a_branch_point_is_tried_for_again(implementation: type[Fork], reached: bool) -> None:
    Fork.turns = 0
    follower = Follower(FORK, model_of(implementation)({}), ORIGIN)
    assert walk_to(FORK, follower, lambda edge: FORK.target[edge] == 2) is reached
    assert not follower.journal.findings


def test_a_walk_to_a_goal_ends_with_the_first_divergence() -> None:
    graph = build()
    follower = Follower(graph, model_of(toy.JumpsTooFar)({}), ORIGIN)
    assert not walk_to(graph, follower, lambda edge: graph.target[edge] == 3)
    assert follower.journal.findings.divergences == 1


def test_every_initial_state_is_started_in_also_where_no_tour_begins_there() -> None:
    starts: list[Mapping[str, Value]] = []

    class Model(SnapshotModel):
        def start(self, initial: Mapping[str, Value]) -> None:
            starts.append(initial)
            super().start(initial)

    graph = build([(0, "Up", 1), (2, "Up", 3), (2, "Down", 1), (1, "Down", 0), (1, "Up", 2)], initial=(0, 2))
    journal = tour(graph, Model)
    assert not journal.findings
    assert len(journal.taken) == 5
    assert sorted(str(start["x"]) for start in starts) == ["0", "2"]
