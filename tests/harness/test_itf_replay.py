"""Traces, also those of other tools, are replayed against an implementation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from specwalk.divergence import Divergence, Kind, Origin
from specwalk.errors import BadInput
from specwalk.graph import StateGraph
from specwalk.ground import Ground
from specwalk.itf import Step, Trace, read_trace, write_trace
from specwalk.model import Model, NotOffered, action
from specwalk.outing import Outing, go_along
from specwalk.project import load_binding
from specwalk.replay import Driver
from specwalk.tlc import Counts
from specwalk.traces import Replayed, replay_trace, transitions_of
from tests.harness import toy
from tests.harness.command import specwalk
from tests.harness.toy import build, model_of, write_project

RECORDED = Path(__file__).parent / "traces"
ORIGIN = Origin(model="toy", config="Toy.cfg")
UP, DOWN, JUMP, STAY = (Step(action=name) for name in ("Up", "Down", "Jump", "Stay"))
SOUND = model_of(toy.Counter)
JUMP_2 = Step(action="Jump", arguments=(2,))

# The README's tank of three.
TANK = [(level, f"Fill({n})", level + n) for n in (1, 2) for level in range(4 - n)]
TANK += [(level, "Drain", 0) for level in (1, 2, 3)]


class Tank(Model):
    """A tank that may leak."""

    leaks = False

    def start(self, initial: Mapping[str, object]) -> None:
        self.level = initial["level"]

    @action("Fill")
    def fill(self, n: int) -> None:
        self.level += n

    @action("Drain")
    def drain(self) -> None:
        self.level = 1 if self.leaks and self.level == 3 else 0

    def observe(self) -> Mapping[str, object]:
        return {"level": self.level}


def tank_graph() -> StateGraph:
    return build(TANK, alphabet=(), values=lambda n: (n,), variables=("level",))


def counted(*numbers: int, steps: tuple[Step | None, ...] = (), loop: int | None = None) -> Trace:
    """A trace of the toy."""
    return Trace(
        variables=("odd", "x"),  # any order will do
        states=tuple((n % 2 == 1, n) for n in numbers),
        steps=steps or (None,) * (len(numbers) - 1),
        loop=loop,
    )


def replay(trace: Trace, model: type[Model] = SOUND, graph: StateGraph | None = None) -> Replayed:
    graph = graph or build()
    return replay_trace(trace, graph, Driver(model({}), graph.variables), ORIGIN)


def followed(replayed: Replayed) -> tuple[int, int]:
    """How many steps were taken, and of how many, without a divergence."""
    assert replayed.divergence is None
    return len(replayed.taken), replayed.length


def divergence(*arguments: Any) -> tuple[int, Divergence]:
    replayed = replay(*arguments)
    assert replayed.divergence is not None
    return len(replayed.taken), replayed.divergence


@pytest.mark.parametrize("name", ["tank_quint", "tank_quint_mbt"])
def test_traces_of_quint_replay(name: str) -> None:
    trace = read_trace((RECORDED / f"{name}.itf.json").read_text())
    assert followed(replay(trace, Tank, tank_graph())) == (8, 8)
    # The recorded trace with actions drains a full tank in step 7, the other in step 5.
    steps, found = divergence(trace, type("Leaking", (Tank,), {"leaks": True}), tank_graph())
    assert (steps, found.kind, found.step) == (
        {"tank_quint_mbt": 6, "tank_quint": 4}[name],
        Kind.WRONG_STATE,
        "Drain",
    )
    assert found.before == {"level": 3}
    assert found.observed == {"level": 1}


def test_named_steps_are_taken() -> None:
    trace = counted(0, 2, 3, 3, 2, 1, steps=(JUMP_2, UP, STAY, DOWN, DOWN))
    assert followed(replay(trace)) == (5, 5)
    steps, found = divergence(trace, model_of(toy.NeverDown))
    assert (steps, found.kind, found.step) == (3, Kind.NOT_OFFERED, "Down")
    assert found.way.steps == ("Jump(2)", "Up", "Stay")
    assert found.way.start == {"x": 0, "odd": False}


def test_a_wrong_start_is_told() -> None:
    steps, found = divergence(counted(0, 1), model_of(toy.StartsAtOne))
    assert (steps, found.kind, found.step) == (0, Kind.WRONG_START, None)


def test_an_action_of_another_name_is_any() -> None:
    other = Step(action="increment")
    assert followed(replay(counted(0, 1, 0, 0, steps=(other, DOWN, other)))) == (2, 2)


def test_a_step_that_no_action_explains_is_no_step_if_nothing_changes() -> None:
    # Stay is the spec's own stutter in 3; in 1 it has none.
    assert followed(replay(counted(0, 1, 1, 2, 3, 3))) == (4, 4)


def test_a_truth_value_is_no_number() -> None:
    trace = Trace(variables=("x", "odd"), states=((False, False),), steps=())
    with pytest.raises(BadInput, match="does not reach state 0"):
        transitions_of(trace, build())
    step = Step(action="Jump", arguments=(True,))
    jump = Trace(variables=("x", "odd"), states=((0, False), (1, True)), steps=(step,))
    with pytest.raises(BadInput, match=r"Jump\(TRUE\) leads from state 0"):
        transitions_of(jump, build([(0, "Jump(1)", 1)]))


def test_a_lasso_is_closed() -> None:
    assert followed(replay(counted(0, 1, 2, loop=1))) == (3, 3)
    # Other tools repeat the loop's first state at its end.
    assert followed(replay(counted(0, 1, 2, 1, loop=1))) == (3, 3)


@pytest.mark.parametrize(
    ("trace", "says"),
    [
        (counted(1, 2), r"begins in a state in which the spec does not"),
        (counted(0, 4), r"does not reach state 1 of the trace, odd = FALSE, x = 4\..*--instance"),
        (
            counted(0, 1, 3),
            r"no action leads from state 1 to x = 3, odd = TRUE\. The spec allows there"
            r"\n  Up, to x = 2, odd = FALSE\n  Down, to x = 0, odd = FALSE$",
        ),
        (
            counted(0, 2, steps=(Step(action="Jump", arguments=(1,)),)),
            r"Jump\(1\) leads from state 0 to x = 2",
        ),
        (counted(0, 2, steps=(UP,)), r"Up leads from state 0 to x = 2"),
        (counted(0, 1, 1, steps=(UP, STAY)), r"Stay leads from state 1 to x = 1"),
        (counted(0, 2, steps=(Step(action="Jump", picks={"n": 1}),)), r"Jump\(n = 1\) leads from state 0"),
        (counted(0, 1, 3, loop=0, steps=(UP, None)), r"leads from state 1 to x = 3"),
        (counted(0, 1, 2, loop=0), r"no action leads from state 2 to x = 0"),
        (Trace(variables=("x",), states=((0,),), steps=()), r"has the variables x; the spec has x, odd"),
    ],
    ids=lambda thing: thing[:20] if isinstance(thing, str) else "",
)
def test_what_is_no_behaviour_is_told(trace: Trace, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        replay(trace)


class Choosy(Model):
    """An implementation that offers ``Right`` alone, but not before it has gone astray, and flips to 8."""

    def start(self, initial: Mapping[str, object]) -> None:
        self.x = 0

    @action("Left")
    def left(self) -> None:
        self.x = 7
        raise NotOffered("there is no left")

    @action("Right")
    def right(self) -> None:
        self.x += 1

    @action("Flip")
    def flip(self) -> None:
        self.x = 8

    def observe(self) -> Mapping[str, object]:
        return {"x": self.x}


def choosy(*states: int) -> Replayed:
    edges = [(n, way, n + 1) for n in range(3) for way in ("Left", "Right")] + [
        (3, "Flip", 8),
        (3, "Flip", 9),
    ]
    edges += [(9, "Flip", 8)]
    graph = build(edges, alphabet=(), values=lambda n: (n,), variables=("x",))
    trace = Trace(variables=("x",), states=tuple((n,) for n in states), steps=(None,) * (len(states) - 1))
    return replay(trace, Choosy, graph)


def test_of_several_explanations_that_is_taken_which_the_implementation_follows() -> None:
    assert followed(choosy(0, 1, 2, 3)) == (3, 3)


def test_another_branch_that_the_spec_allows_is_no_divergence() -> None:
    assert followed(choosy(0, 1, 2, 3, 8)) == (4, 4)
    assert followed(choosy(0, 1, 2, 3, 9, 8)) == (3, 5)


def by_left_or_right(*edges: tuple[int, str, int], to: int) -> Replayed:
    """Replay 0, 1, 8 on what does not offer ``Left``, and goes by ``Right`` to another state."""

    class Goes(Choosy):
        @action("Right")
        def right(self) -> None:
            self.x = to

        @action("Turn")
        def turn(self) -> None:
            self.x = 1

    graph = build(edges, alphabet=(), values=lambda n: (n,), variables=("x",))
    trace = Trace(variables=("x",), states=((0,), (1,), (8,)), steps=(None, None))
    return replay(trace, Goes, graph)


FORK = [(0, "Left", 1), (0, "Right", 1), (1, "Flip", 8)]


def test_one_explanation_that_is_not_offered_and_another_that_leads_elsewhere_is_no_divergence() -> None:
    assert followed(by_left_or_right(*FORK, (0, "Right", 2), to=2)) == (0, 2)


def test_of_several_explanations_that_diverge_the_first_is_told() -> None:
    found = by_left_or_right(*FORK, to=5).divergence
    assert found is not None
    assert (found.kind, found.step) == (Kind.NOT_OFFERED, "Left")


def test_where_one_explanation_leads_elsewhere_the_next_one_is_followed_and_the_trace_goes_on() -> None:
    edges = [(0, "Right", 1), (0, "Right", 2), (0, "Turn", 1), (1, "Flip", 8)]
    assert followed(by_left_or_right(*edges, to=2)) == (2, 2)


class Idle:
    """Progress that nobody looks at."""

    def phase(self, name: str, total: int | None = None) -> None: ...
    def counted(self, counts: Counts) -> None: ...
    def stepped(self, steps: int) -> None: ...


def along(project: Path, traces: Mapping[str, Trace], graph: StateGraph) -> Outing:
    binding = load_binding(str(project / "model/toy.py"))
    ground = Ground(binding=binding, instance=binding.instances[0], graph=graph)
    return go_along(ground, Idle(), {name: write_trace(trace) for name, trace in traces.items()})


def test_an_outing_along_traces_adds_up(tmp_path: Path) -> None:
    write_project(tmp_path)
    outing = along(tmp_path, {"a": counted(0, 1, 2), "b": counted(0, 2, 3, 3)}, build())
    assert outing.plan == {"traces": 2, "steps recorded": 5}
    assert (outing.journal.walks, outing.journal.steps, len(outing.journal.taken)) == (2, 5, 5)
    assert (outing.journal.findings, outing.remarks) == ({}, ())
    with pytest.raises(BadInput, match=r"^b at Toy\.cfg: The trace is no behaviour of the spec"):
        along(tmp_path, {"a": counted(0, 1, 2), "b": counted(0, 3)}, build())
    branching = build([*toy.COUNTER, (0, "Jump(2)", 3)])
    outing = along(tmp_path, {"c": counted(0, 3, 2)}, branching)
    assert outing.remarks == ("c: after 0 steps the implementation took another branch",)


def test_the_command_walks_along_traces(tmp_path: Path) -> None:
    write_project(tmp_path, toy.JumpsTooFar)
    (tmp_path / "up.itf.json").write_text(write_trace(counted(0, 1)))
    (tmp_path / "jump.itf.json").write_text(write_trace(counted(0, 2)))
    ran = specwalk("walk", "toy", "--trace", "up.itf.json", "--trace", "jump.itf.json", project=tmp_path)
    assert ran.code == 5
    assert "toy at Toy.cfg: Jump(2): the implementation takes the step to a state" in ran.out
    assert "steps recorded" in ran.out
