"""The state machine on the counter: what it finds, how it tells it, and that it gets around."""

import random
import re
import traceback
import unittest
from collections.abc import Callable
from functools import cache
from itertools import chain, repeat
from pathlib import Path

import pytest
from hypothesis import Phase, currently_in_test_context, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from specwalk.divergence import Divergence, Kind, Origin
from specwalk.errors import BadInput
from specwalk.graph import StateGraph
from specwalk.stateful import Subject, machine, machine_for, machine_of
from specwalk.stateful import subject as subjects
from specwalk.stateful.behaviour import Behaviour, Parted
from specwalk.stateful.shortest import shortest
from specwalk.stateful.steps import Steps
from tests.harness import toy
from tests.harness.toy import COUNTER, FAULTS, Counter, build, model_of, write_project

ORIGIN = Origin(model="toy", config="Toy.cfg")
# Without the phase that explains a failure, which takes most of the time.
REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=50,
    stateful_step_count=20,
    phases=(Phase.generate, Phase.shrink),
)
UNSHRUNK = settings(REPEATABLE, phases=(Phase.generate,))


class TiresAfterThree(Counter):
    """NOT_OFFERED: goes up three times and never again, which nothing but the past tells."""

    def __init__(self, x: int = 0) -> None:
        super().__init__(x)
        self.ups = 0

    def up(self) -> None:
        self.need(self.ups < 3)
        super().up()
        self.ups += 1


class TiresOfTrying(Counter):
    """NOT_OFFERED: does not jump once it was asked for the jump that there is not."""

    tired = False

    def jump(self, n: int) -> None:
        self.tired = self.tired or n == 1
        self.need(not self.tired)
        super().jump(n)


# By hand: all shortest walks that show each fault.
SHORTEST: dict[type[Counter], set[tuple[str, ...]]] = {
    toy.StartsAtOne: {()},
    toy.NeverDown: {("Up", "Down"), ("Jump(2)", "Down")},
    toy.JumpsTooFar: {("Jump(2)",)},
    toy.CountsFrom3To1: {("Jump(2)", "Up", "try Up")},
    toy.JumpsAndDenies: {("Up", "try Jump(1)"), ("Up", "try Jump(2)")},
    toy.RaisesAtTwo: {("Jump(2)", "Up")},
    toy.RaisesInsteadOfRefusing: {("Up", "try Stay")},
    toy.BlindAtThree: {("Jump(2)", "Up")},
    toy.LacksThree: {("Jump(2)", "Up")},
    toy.LogsDown: {("Up", "Down")},
    toy.LogsRefusals: {("try Jump(1)",)},
    # Four times up from 0 to 3 at most takes a step down, before the third one or after it.
    TiresAfterThree: {
        ("Up", "Down", "Up", "Up", "Up"),
        ("Up", "Up", "Down", "Up", "Up"),
        ("Up", "Up", "Up", "Down", "Up"),
    },
    TiresOfTrying: {("try Jump(1)", "Jump(2)")},
}


def subject(implementation: type[Counter], graph: StateGraph | None = None) -> Subject:
    new_model = model_of(implementation)
    return Subject(graph=graph or build(), new_model=lambda: new_model({}), origin=ORIGIN)


def run(about: Subject, how: settings = REPEATABLE) -> None:
    run_state_machine_as_test(machine_of(about), settings=how)


def fails(about: Subject, how: settings = REPEATABLE) -> BaseException:
    """The failure that Hypothesis shows."""
    with pytest.raises(BaseException) as failure:  # noqa: PT011
        run(about, how)
    return failure.value


def note_of(failure: BaseException) -> str:
    (note,) = (note for note in failure.__notes__ if note.startswith("toy at "))
    return note


@cache
def told(fault: type[Counter], how: settings = REPEATABLE) -> str:
    """What a fault's failure says."""
    return note_of(fails(subject(fault), how))


def shortest_of(about: Subject, *texts: str) -> Divergence | None:
    """What is shown of a behaviour of which the last step diverges."""
    behaviour = about.behaviour()
    behaviour.start(0)
    for text in texts[:-1]:
        behaviour.perform(text)
    with pytest.raises(Parted) as parted:
        behaviour.perform(texts[-1])
    return shortest(parted.value.divergence, behaviour, about)


def shown_steps(note: str) -> tuple[str, ...]:
    (line,) = (line for line in note.splitlines() if line.startswith("  the shortest walk to it: "))
    steps = line.partition(": ")[2]
    return () if steps == "(the start)" else tuple(steps.split(", "))


def run_snippet(note: str) -> None:
    """Run the function that a failure shows, as if it had been pasted into a file."""
    snippet = re.search(r"from specwalk.replay.*?^    \)\n?", note, re.DOTALL | re.MULTILINE)
    assert snippet
    pasted: dict[str, Callable[[], None]] = {}
    exec(snippet[0], pasted)
    (test,) = (thing for name, thing in pasted.items() if name.startswith("test_"))
    test()


# What is found, and how it is told


def test_every_fault_has_its_shortest_walks() -> None:
    assert set(FAULTS) < set(SHORTEST)


@pytest.mark.parametrize("fault", SHORTEST)
def test_each_fault_is_found_and_told_with_a_shortest_walk(fault: type[Counter]) -> None:
    assert fault.__doc__ is not None
    assert Kind[fault.__doc__.partition(":")[0]].value in told(fault).splitlines()[0]
    assert shown_steps(told(fault)) in SHORTEST[fault]


@pytest.mark.parametrize("fault", [fault for fault in SHORTEST if fault is not TiresAfterThree])
def test_the_walk_is_as_short_where_hypothesis_does_not_shrink(fault: type[Counter]) -> None:
    assert shown_steps(told(fault, UNSHRUNK)) in SHORTEST[fault]


def test_a_walk_that_depends_on_the_past_has_no_step_to_spare() -> None:
    # Each time up is needed, and what lies between two of them to be able to go up again.
    steps = shown_steps(told(TiresAfterThree, UNSHRUNK))
    assert steps.count("Up") == 4
    assert len(steps) <= 7


def test_another_fault_on_a_shorter_way_is_not_taken_for_the_one_found() -> None:
    class Both(toy.JumpsTooFar, toy.CountsFrom3To1):
        """Cannot be led to 3 by Jump(2), which is on the shortest way."""

    shown = shortest_of(subject(Both), "Up", "Down", "Up", "Up", "Up", "Up")
    assert shown is not None
    assert shown.steps == ("Up", "Up", "Up", "try Up")


def test_another_step_that_diverges_in_the_same_way_is_not_taken_for_the_one_found() -> None:
    class Both(toy.JumpsTooFar):
        """By Jump(2), which is on the shortest way to 2, it is in a wrong state, too."""

        def up(self) -> None:
            super().up()
            self.x = 0 if self.x == 3 else self.x

    shown = shortest_of(subject(Both), "Up", "Up", "Up")
    assert shown is not None
    assert shown.steps == ("Up", "Up", "Up")


def test_the_same_step_that_diverges_in_another_way_is_not_taken_for_the_one_found() -> None:
    class Both(Counter):
        """Raises at the first Up of the shortest way to 1."""

        came_down = False

        def down(self) -> None:
            super().down()
            self.came_down = True

        def up(self) -> None:
            if self.x == 0:
                raise ZeroDivisionError
            super().up()
            self.x = 0 if self.x == 3 and self.came_down else self.x

    shown = shortest_of(subject(Both), "Jump(2)", "Down", "Up", "Up")
    assert shown is not None
    assert (shown.kind, shown.steps) == (Kind.WRONG_STATE, ("Jump(2)", "Down", "Up", "Up"))


def test_steps_that_can_be_spared_together_alone_are_left_out() -> None:
    class Switched(Counter):
        """Does not jump once it was asked for Jump(1), unless it was asked an odd number of times to stay."""

        asked = odd = False

        def jump(self, n: int) -> None:
            self.asked = self.asked or n == 1
            self.need(self.odd or not self.asked)
            super().jump(n)

        def stay(self) -> None:
            self.odd = not self.odd
            super().stay()

    shown = shortest_of(subject(Switched), "Jump(1)", "Down", "Stay", "Stay", "Jump(2)")
    assert shown is not None
    assert shown.steps == ("try Jump(1)", "Jump(2)")


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_pasted_fails_until_the_counter_is_mended(
    fault: type[Counter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_project(tmp_path, fault)
    with pytest.raises(Exception):  # noqa: B017, PT011
        run_snippet(told(fault))
    write_project(tmp_path)
    run_snippet(told(fault))


def test_an_error_of_the_implementation_comes_out_as_it_is() -> None:
    failure = fails(subject(toy.RaisesAtTwo))
    assert isinstance(failure, ZeroDivisionError)
    assert traceback.extract_tb(failure.__traceback__)[-1].name == "up"


def test_no_snippet_is_shown_of_a_fault_outside_of_what_starts() -> None:
    # The first counter is faulty, every later one is sound.
    classes = chain([toy.JumpsTooFar], repeat(Counter))
    about = Subject(graph=build(), new_model=lambda: model_of(next(classes))({}), origin=ORIGIN)
    assert shortest_of(about, "Jump(2)") is None


def test_no_snippet_is_shown_that_does_not_fail() -> None:
    class LiesTheThirdTime(Counter):
        """A snippet looks once, at its end."""

        looks = 0

        def see(self) -> dict[str, object]:
            self.looks += 1
            return {"x": 7, "odd": True} if self.looks == 3 else super().see()

    note = note_of(fails(subject(LiesTheThirdTime)))
    assert "  after: Up, Up\n" in note
    assert "reproduce(" not in note


def test_an_interrupt_ends_the_run() -> None:
    class Interrupted(Counter):
        def up(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(subject(Interrupted))


# What passes


def test_a_conforming_counter_passes() -> None:
    run(subject(Counter))


def test_another_allowed_step_done_instead_passes() -> None:
    class JumpsUp(Counter):
        def jump(self, n: int) -> None:
            if n == 1:
                self.up()
            else:
                super().jump(n)

    run(subject(JumpsUp))


@pytest.mark.parametrize("chosen", [1, 2])
def test_of_several_successors_the_chosen_one_is_followed(chosen: int) -> None:
    class Jumps(Counter):
        def up(self) -> None:
            self.need(self.x == 0)
            self.x = chosen

        def down(self) -> None:
            self.need(self.x > 0)
            self.x = 0

    forked = [(0, "Up", 1), (0, "Up", 2), (1, "Down", 0), (2, "Down", 0)]
    run(subject(Jumps, build(forked, alphabet=("Up",))))


def test_a_choice_outside_of_the_successors_diverges() -> None:
    forked = build([(0, "Up", 2), (0, "Up", 3)], alphabet=("Up",))
    assert Kind.WRONG_STATE.value in str(fails(subject(Counter, forked)))


def test_where_nothing_is_enabled_everything_is_attempted() -> None:
    class UpOnce(Counter):
        def up(self) -> None:
            self.need(self.x == 0)
            self.x = 1

    run(subject(UpOnce, build([(0, "Up", 1)], alphabet=("Up",))))


# How it gets around


def test_untaken_steps_take_every_transition_within_nine() -> None:
    """Whichever of them are chosen; chosen at random from all that is enabled, nine rarely do."""
    steps, every = Steps(build()), {(source, text) for source, text, _ in COUNTER}

    def longest(state: int, done: frozenset[tuple[int, str]]) -> int:
        if done == every:
            return 0
        assert len(done) < 9
        ways = [(text, steps.events(state)[text][0]) for text in steps.untaken(state, done)]
        return 1 + max(longest(target, done | {(state, text)}) for text, target in ways)

    assert longest(0, frozenset()) <= 9
    covering = sum(_random_walk(seed, length=9) == every for seed in range(200))
    assert covering < 20


def _random_walk(seed: int, length: int) -> set[tuple[int, str]]:
    """States and steps of a walk that prefers nothing."""
    chance, state, taken = random.Random(seed), 0, set()
    for _ in range(length):
        source, text, target = chance.choice([edge for edge in COUNTER if edge[0] == state])
        taken.add((source, text))
        state = target
    return taken


def test_examples_take_more_of_the_spec_for_the_preference(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []
    monkeypatch.setattr(machine, "event", lambda _, number: numbers.append(number))

    def complete() -> float:
        numbers.clear()
        run(subject(Counter), settings(REPEATABLE, stateful_step_count=30))
        return numbers.count(len(COUNTER)) / len(numbers)

    assert complete() > 0.6
    monkeypatch.setattr(Behaviour, "untaken", Behaviour.anything)
    monkeypatch.setattr(machine, "_POOLS", st.just(Behaviour.anything))
    assert complete() < 0.4


def test_where_nothing_untaken_is_left_all_events_are_offered() -> None:
    every = {(source, text) for source, text, _ in COUNTER}
    assert set(Steps(build()).untaken(3, every)) == {"Down", "Stay"}


def test_what_is_forbidden_is_attempted_once_before_anything_twice() -> None:
    behaviour = subject(Counter).behaviour()
    behaviour.start(0)
    for left in ({"Down", "Jump(1)", "Stay"}, {"Jump(1)", "Stay"}, {"Stay"}, {"Down", "Jump(1)", "Stay"}):
        assert set(behaviour.forbidden()) == left
        behaviour.perform(min(left))


def test_every_initial_state_is_started_in() -> None:
    class StartsWronglyAt2(Counter):
        def __init__(self, x: int = 0) -> None:
            super().__init__(3 if x == 2 else x)

    note = note_of(fails(subject(StartsWronglyAt2, build(initial=(0, 2)))))
    assert "start={'x': '2', 'odd': 'FALSE'}" in note


# By name


def outcome_of(machine: type[RuleBasedStateMachine], examples: int = 20) -> unittest.TestResult:
    """Run a machine as unittest does, and pytest."""
    outcome = unittest.TestResult()
    case = machine.TestCase
    case.settings = settings(REPEATABLE, max_examples=examples)
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(outcome)
    return outcome


def test_an_implementation_that_does_not_repeat_itself_is_told_to() -> None:
    class TakesTurns(Counter):
        """Every other one goes to 2 in place of 1, as the spec allows."""

        made = 0

        def __init__(self, x: int = 0) -> None:
            super().__init__(x)
            TakesTurns.made += 1
            self.to = 1 + TakesTurns.made % 2

        def up(self) -> None:
            self.need(self.x == 0)
            self.x = self.to

        def down(self) -> None:
            self.need(self.x > 0)
            self.x = 0

        def stay(self) -> None:
            self.need(self.x == 2)

    forked = [(0, "Up", 1), (0, "Up", 2), (1, "Down", 0), (2, "Down", 0), (2, "Stay", 2)]
    machine = machine_of(subject(TakesTurns, build(forked, alphabet=("Up",))))
    outcome = outcome_of(machine, examples=200)
    ((_, report),) = outcome.errors
    assert "Flaky" in report
    assert "The same steps on a new model led elsewhere: make the implementation repeatable" in report


def test_a_machine_by_name_at_bounds_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, toy.CountsFrom3To1)
    monkeypatch.chdir(tmp_path)
    bounds = tmp_path / "tests/Lower.cfg"
    bounds.parent.mkdir()
    bounds.write_text("CONSTANT Top = 2\nINIT Init\nNEXT Next\n")
    ((_, report),) = outcome_of(machine_for("toy", config="tests/Lower.cfg")).failures
    # The counter goes to 3 where the spec, at these bounds, ends at 2.
    assert "try Up" in report
    assert "config='../tests/Lower.cfg'" in report
    with pytest.raises(AssertionError, match="the implementation has"):
        run_snippet(report)


def test_what_the_exploring_takes_counts_in_no_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    within: list[bool] = []

    def explore(*_: object) -> StateGraph:
        within.append(currently_in_test_context())
        return build()

    monkeypatch.setattr(subjects, "explore", explore)
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert outcome_of(machine_for("toy")).wasSuccessful()
    # An example has a deadline.
    assert within == [False]
    # Another machine of the same spec and configuration finds the graph explored.
    assert outcome_of(machine_for("toy", "Toy")).wasSuccessful()
    assert within == [False]


def test_a_model_that_does_not_fit_its_spec_is_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subjects, "explore", lambda *_: build([*COUNTER, (0, "Leap", 3), (3, "Fall", 0)]))
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    # All that does not fit, not what the first example comes to.
    with pytest.raises(BadInput, match=r"for the action Leap\.\n.*for the action Fall\."):
        run_state_machine_as_test(machine_for("toy"), settings=REPEATABLE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing",), "No model named 'nothing'"),
        (("toy", "big"), "toy has no instance big: name one of Toy"),
    ],
)
def test_what_is_not_there_is_told(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=message):
        machine_for(*arguments)
