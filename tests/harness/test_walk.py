"""The walk on a graph built by hand, with and without snapshots, and one fault of each kind."""

from collections import Counter as Multiset
from collections.abc import Hashable

import pytest

from specwalk.divergence import Divergence, Kind, Origin
from specwalk.graph import StateGraph
from specwalk.parallel import Share
from specwalk.tally import Tally
from specwalk.walk import walk
from tests.harness import toy
from tests.harness.toy import FAULTS, Counter, SnapshotModel, ToyModel, build, model_of

ORIGIN = Origin(model="toy", config="Toy.cfg")
BASES = [SnapshotModel, ToyModel]


def walked(
    implementation: type[Counter] = Counter,
    base: type[ToyModel] = SnapshotModel,
    graph: StateGraph | None = None,
) -> Tally:
    return walk(graph or build(), model_of(implementation, base)({}), ORIGIN)


def found(tally: Tally) -> list[Divergence]:
    return [finding.divergence for finding in tally.findings.values()]


def only(tally: Tally) -> Divergence:
    (divergence,) = found(tally)
    return divergence


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("base", BASES)
def test_a_conforming_implementation(base: type[ToyModel]) -> None:
    tally = walked(base=base)
    assert not tally.findings
    assert (tally.states, tally.edges, tally.enabled) == (4, 8, 8)
    # 4 states x 5 instances - 8 enabled pairs
    assert tally.refusals == 12
    # Every landing but the three first arrivals; without snapshots also the state after each refusal.
    assert tally.hidden_compared == 5 + (0 if base is SnapshotModel else 12)
    assert tally.did_instead == 0
    assert not tally.never_produced


class GoesUpForStay(Counter):
    """Does instead of a step what may be done there, before others are tried from the same state."""

    def stay(self) -> None:
        if self.x != 3:
            self.up()


@pytest.mark.parametrize("implementation", [Counter, GoesUpForStay])
def test_with_snapshots_each_instance_is_performed_once_in_each_state(implementation: type[Counter]) -> None:
    model = model_of(implementation)({})
    walk(build(), model, ORIGIN)
    pairs = Multiset(model.performed)
    assert pairs == Multiset((x, step) for x in range(4) for step in toy.ALPHABET)


def test_a_model_that_stands_untouched_is_not_put_back() -> None:
    class Restoring(SnapshotModel):
        restored = 0

        def restore(self, snapshot: object) -> None:
            self.restored += 1
            super().restore(snapshot)

    model = Restoring({})
    walk(build(), model, ORIGIN)
    # To see in each of 4 states that it works, before each of 8 edges, and before the first of the
    # refusals of each state, since a refusal leaves everything as it was.
    assert model.restored == 4 + 8 + 4


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_shows_as_its_kind(fault: type[Counter], base: type[ToyModel]) -> None:
    assert fault.__doc__ is not None
    kinds = {divergence.kind for divergence in found(walked(fault, base))}
    assert kinds == {Kind[fault.__doc__.partition(":")[0]]}


def test_a_step_to_a_wrong_state() -> None:
    divergence = only(walked(toy.JumpsTooFar))
    assert divergence.step == "Jump(2)"
    assert divergence.enabled
    assert divergence.before == {"x": 0, "odd": False}
    assert divergence.allowed == ({"x": 2, "odd": False},)
    assert divergence.observed == {"x": 3, "odd": True}
    assert divergence.differences() == ["x", "odd"]


def test_what_a_wrong_start_keeps_from_being_walked() -> None:
    tally = walked(toy.StartsAtOne)
    assert only(tally).step is None
    assert (tally.states, tally.edges, tally.refusals) == (0, 0, 0)


def test_a_step_that_is_not_offered_says_why() -> None:
    tally = walked(toy.NeverDown)
    assert only(tally).detail == "the counter refuses"
    # Down from 1, 2 and 3 are one finding.
    assert tally.divergences == 3
    assert tally.edges == 5


def test_findings_keep_the_shortest_path() -> None:
    # 2 is one Jump away, 1 one Up, 3 two steps: the first of the two ways to be one step away is kept.
    assert only(walked(toy.NeverDown)).way.steps == ("Up",)
    assert only(walked(toy.CountsFrom3To1)).way.steps == ("Jump(2)", "Up")


def test_what_the_spec_allows_instead_of_a_forbidden_step() -> None:
    divergence = only(walked(toy.CountsFrom3To1))
    assert divergence.step == "Up"
    assert not divergence.enabled
    # Standing still, and going down to 2.
    assert list(divergence.allowed) == [{"x": 3, "odd": True}, {"x": 2, "odd": False}]


def test_an_error_is_reported_with_its_place() -> None:
    divergence = only(walked(toy.RaisesAtTwo))
    assert divergence.detail.startswith("ZeroDivisionError: two is too much (")
    assert "toy.py:" in divergence.detail
    assert divergence.observed is None


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("part", "kind"), [("__init__", Kind.RAISED), ("up", Kind.RAISED), ("see", Kind.UNOBSERVABLE)]
)
def test_an_implementation_that_ends_the_process_diverges(
    part: str, kind: Kind, base: type[ToyModel]
) -> None:
    divergence = found(walked(type("Leaves", (Counter,), {part: toy.leave}), base))[0]
    assert divergence.kind is kind
    assert divergence.detail.startswith("SystemExit: 0 (")


def test_what_is_no_value_is_told_with_its_variable_and_place() -> None:
    divergence = only(walked(toy.LacksThree))
    assert divergence.detail.startswith("x: None (NoneType) is not a TLA+ value")
    assert divergence.before == {"x": 2, "odd": False}
    assert (*divergence.way.steps, divergence.step) == ("Jump(2)", "Up")


@pytest.mark.parametrize("part", ["__init__", "up", "see"])
def test_an_interrupt_ends_the_walk(part: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        walked(type("Interrupted", (Counter,), {part: interrupt}))


@pytest.mark.parametrize("base", BASES)
def test_another_allowed_step_done_instead_passes(base: type[ToyModel]) -> None:
    class JumpsUp(Counter):
        """Takes Jump(1) for Up, where Up is possible."""

        def jump(self, n: int) -> None:
            if n == 1:
                self.up()
            else:
                super().jump(n)

    tally = walked(JumpsUp, base)
    assert not tally.findings
    assert tally.did_instead == 3
    # The landings of a conforming implementation, and the three of Jump(1), of which without snapshots
    # all are compared anyway.
    assert tally.hidden_compared == walked(base=base).hidden_compared + (3 if base is SnapshotModel else 0)


@pytest.mark.parametrize("base", BASES)
def test_what_is_done_instead_leaves_no_other_content(base: type[ToyModel]) -> None:
    class LogsJumps(Counter):
        """Takes Jump(1) for Up, as it may, and leaves a mark that Up does not leave."""

        def jump(self, n: int) -> None:
            if n == 1:
                self.up()
                self.log = ("jump",)
            else:
                super().jump(n)

    tally = walked(LogsJumps, base)
    first = found(tally)[0]
    assert (first.kind, first.step, first.enabled) == (Kind.HIDDEN_STATE, "Jump(1)", False)
    assert first.detail == "now ('jump',)\nafter Up: ()"
    # From 0, 1 and 2; what diverged is not counted as allowed.
    assert (tally.divergences, tally.did_instead) == (3, 0)


def test_what_is_done_instead_may_lead_where_no_other_way_leads() -> None:
    class JumpsUp(Counter):
        """Goes up from 0 to 1 alone, and to 2 for Jump(1)."""

        def up(self) -> None:
            self.need(self.x == 0)
            self.x = 1

        def jump(self, n: int) -> None:
            self.need(self.x == 0)
            self.x = 2

    tally = walked(JumpsUp, graph=build([(0, "Up", 1), (0, "Up", 2)], alphabet=("Up", "Jump(1)")))
    assert not tally.findings
    assert (tally.states, tally.did_instead, tally.hidden_compared) == (2, 1, 0)


def test_hidden_state_is_told_with_both_ways() -> None:
    divergence = found(walked(toy.LogsDown))[0]
    assert divergence.step == "Down"
    assert divergence.way.steps == ("Up",)
    assert divergence.same_as is not None
    assert divergence.same_as.steps == ()
    assert divergence.detail == "now ('down',)\nafter (the start): ()"


@pytest.mark.parametrize(
    ("one", "other"), [(-1, -2), ((-1,), (-2,)), (frozenset({-1}), frozenset({-2})), (0, 2**61 - 1)]
)
def test_different_contents_of_one_hash_differ(one: Hashable, other: Hashable) -> None:
    class Content(SnapshotModel):
        def content(self) -> Hashable:
            return other if self.counter.log else one

    assert hash(one) == hash(other)
    model = type("Toy", (Content,), {"implementation": toy.LogsDown})
    kinds = {divergence.kind for divergence in found(walk(build(), model({}), ORIGIN))}
    assert kinds == {Kind.HIDDEN_STATE}


def test_a_model_without_content_has_nothing_compared() -> None:
    class Contentless(SnapshotModel):
        def content(self) -> None:
            return None

    tally = walk(build(), Contentless({}), ORIGIN)
    assert (tally.edges, tally.hidden_compared) == (8, 0)


@pytest.mark.parametrize("base", BASES)
def test_of_several_successors_the_chosen_one_is_followed(base: type[ToyModel]) -> None:
    class ToOne(Counter):
        def up(self) -> None:
            self.need(self.x == 0)
            self.x = 1

    forked = [(0, "Up", 1), (0, "Up", 2), (1, "Down", 0), (2, "Down", 0)]
    tally = walked(ToOne, base, build(forked, alphabet=("Up",)))
    assert not tally.findings
    # The counter never goes from 0 to 2; so 2 is not reached, and its Down not taken.
    assert tally.never_produced == {"Up": [(0, 2)]}
    assert (tally.states, tally.edges) == (2, 2)
    # Up from 0 is one enabled pair; so 2 states x 2 instances - 2.
    assert (tally.enabled, tally.refusals) == (2, 2)


def test_a_choice_outside_of_the_successors_diverges() -> None:
    edges = [(0, "Up", 2), (0, "Up", 3)]
    divergence = only(walked(graph=build(edges, alphabet=("Up",))))
    assert divergence.kind is Kind.WRONG_STATE
    assert [state["x"] for state in divergence.allowed] == [2, 3]
    assert divergence.nearest() == {"x": 3, "odd": True}
    assert divergence.differences() == ["x"]


@pytest.mark.parametrize("base", BASES)
def test_several_initial_states(base: type[ToyModel]) -> None:
    tally = walked(toy.NeverDown, base, build(initial=(0, 3)))
    assert tally.states == 4
    # 3 is itself a start, so the shortest path there is empty.
    assert only(tally).way.start == {"x": 3, "odd": True}
    assert only(tally).way.steps == ()


def test_parallel_edges_and_self_loops_are_edges_of_their_own() -> None:
    class Small(Counter):
        def up(self) -> None:
            self.jump(1)

        def jump(self, n: int) -> None:
            self.need(self.x == 0)
            self.x = n

        def stay(self) -> None:
            self.need(self.x == 1)

    edges = [(0, "Up", 1), (0, "Jump(1)", 1), (1, "Stay", 1)]
    tally = walked(Small, graph=build(edges, alphabet=()))
    assert not tally.findings
    assert (tally.states, tally.edges, tally.refusals) == (2, 3, 2 * 3 - 3)


@pytest.mark.parametrize("fault", [Counter, *FAULTS])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_shares_add_up_to_the_whole(fault: type[Counter], count: int) -> None:
    whole, total = walked(fault), Tally()
    for index in range(count):
        total.merge(walk(build(), model_of(fault)({}), ORIGIN, Share(index, count)))
    assert {key: f.count for key, f in total.findings.items()} == {
        key: f.count for key, f in whole.findings.items()
    }
    total.findings = whole.findings
    assert total == whole


def test_shares_add_up_what_was_never_produced() -> None:
    forked = build([(0, "Up", 1), (0, "Up", 3), (1, "Up", 2), (1, "Up", 0)], alphabet=())
    total = Tally()
    for index in range(2):
        total.merge(walk(forked, SnapshotModel({}), ORIGIN, Share(index, 2)))
    assert total.never_produced == {"Up": [(0, 3), (1, 0)]}


def test_shares_find_the_same_shortest_paths() -> None:
    whole, total = walked(toy.NeverDown), Tally()
    for index in (1, 0):
        total.merge(walk(build(), model_of(toy.NeverDown)({}), ORIGIN, Share(index, 2)))
    assert only(total).way == only(whole).way


def test_a_snapshot_is_dropped_after_the_last_step_of_its_state() -> None:
    held: set[int] = set()
    peak = 0

    class Snapshot(tuple[object, ...]):
        def __del__(self) -> None:
            held.discard(id(self))

    class Counting(SnapshotModel):
        def snapshot(self) -> Snapshot:
            nonlocal peak
            kept = Snapshot(super().snapshot())
            held.add(id(kept))
            peak = max(peak, len(held))
            return kept

    class Chain(Counter):
        def up(self) -> None:
            self.need(self.x < 50)
            self.x += 1

    chain = build([(n, "Up", n + 1) for n in range(50)], alphabet=("Up",))
    model = type("Chained", (Counting,), {"implementation": Chain})({})
    assert walk(chain, model, ORIGIN).edges == 50
    # The state at hand, the one that comes next, and the one with which the model is compared.
    assert peak <= 3
    assert not held


def test_the_number_of_steps_is_reported() -> None:
    reported: list[int] = []
    walk(build(), SnapshotModel({}), ORIGIN, on_steps=reported.append)
    assert sum(reported) == 4 * 5
