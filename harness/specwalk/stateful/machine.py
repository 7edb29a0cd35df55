"""A state machine of Hypothesis out of a graph and a model.

Rule 1: one rule performs any action instance of the alphabet. Hypothesis leaves rules out of whole
        examples, and throws an example away where those that are left have nothing to do; so which
        action is next is for the rule's argument, not for a choice among rules.
Rule 2: in three steps of five that instance is one whose transition was not taken yet in this example,
        or leads to the nearest such; in one it is what the spec forbids here; in one it is anything. A
        failure shrinks towards the last kind, which depends on nothing that went before.
Rule 3: nothing is kept from one example to the next.
Rule 4: the failure that Hypothesis shows in the end is told with the shortest walk that shows it.
Rule 5: where the same choices come to something else the second time Hypothesis speaks of strategies; the
        cause is an implementation that does not repeat itself, and a note says so.
"""

from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.control import current_build_context
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from specwalk.divergence import Divergence, state_text
from specwalk.project import load_binding
from specwalk.stateful.behaviour import Behaviour, Parted
from specwalk.stateful.shortest import shortest
from specwalk.stateful.subject import Subject, load_subject

__all__ = ["machine_for", "machine_of"]

_MACHINE = st.runner()
_REPEAT = (
    "make the implementation repeatable, let the model's start() make anew all that it keeps, and observe() "
    "change nothing."
)
_POOLS = st.sampled_from((Behaviour.anything, *3 * (Behaviour.untaken,), Behaviour.forbidden))


def machine_for(
    model: str, instance: str | None = None, *, config: str | Path | None = None
) -> type[RuleBasedStateMachine]:
    """The state machine of a model at the bounds of one configuration.

    TLC explores the graph when the first test of the machine begins.

    Args:
        model: the model's name or path.
        instance: one of the model's instances, such as ``single``.
        config: in its place, a TLC configuration, for example one with larger bounds.

    Raises:
        BadInput: there is no such model, instance or configuration.
    """
    binding = load_binding(model)
    file = binding.instance(instance).config if config is None else Path(config).resolve()
    return _machine(file.stem, cache(lambda: load_subject(binding, file)))


def machine_of(subject: Subject) -> type[RuleBasedStateMachine]:
    """The state machine of a graph and a model at hand."""
    return _machine(Path(subject.origin.config).stem, lambda: subject)


def _machine(name: str, load: Callable[[], Subject]) -> type[RuleBasedStateMachine]:
    machine: Any = type(name, (_Machine,), {"load": staticmethod(load)})
    case = {
        # What TLC does must not count as part of the first example, which has a deadline.
        "setUpClass": classmethod(lambda _: load()),
        "runTest": _explained(machine.TestCase.runTest),
    }
    machine.TestCase = type(name, (machine.TestCase,), case)
    made: type[RuleBasedStateMachine] = machine
    return made


def _explained(run: Callable[[Any], None]) -> Callable[[Any], None]:
    """A test that says what to do where examples do not repeat themselves (rule 5)."""

    @wraps(run)
    def explained(case: Any) -> None:
        try:
            run(case)
        except Flaky as flaky:
            flaky.add_note(f"The same steps on a new model led elsewhere: {_REPEAT}")
            raise

    return explained


@st.composite
def _initial_states(draw: st.DrawFn) -> str:
    """An initial state, by its text, for the machine at hand."""
    machine: _Machine = draw(_MACHINE)
    return draw(st.sampled_from(list(machine.initial_states())))


@st.composite
def _steps(draw: st.DrawFn) -> str:
    """An action instance for the machine at hand, see rule 2."""
    machine: _Machine = draw(_MACHINE)
    return draw(st.sampled_from(draw(_POOLS)(machine.behaviour)))


class _Machine(RuleBasedStateMachine):
    load: ClassVar[Callable[[], Subject]]

    def __init__(self) -> None:
        super().__init__()
        self._subject = type(self).load()
        self.behaviour = self._subject.behaviour()

    @initialize(state=_initial_states())
    def start(self, state: str) -> None:
        """Start the implementation in an initial state."""
        self._do(lambda: self.behaviour.start(self.initial_states()[state]))

    @rule(step=_steps())
    def perform(self, step: str) -> None:
        """Take a step of the spec, or attempt it where the spec forbids it."""
        self._do(lambda: self.behaviour.perform(step))

    def teardown(self) -> None:
        """Tell Hypothesis's statistics how many transitions of the spec this example took."""
        event("transitions taken", len(self.behaviour.transitions))

    def initial_states(self) -> dict[str, int]:
        """The initial states by their texts."""
        graph = self._subject.graph
        return {state_text(graph.state_dict(state)): state for state in graph.initial}

    def _do(self, perform: Callable[[], None]) -> None:
        try:
            perform()
            return
        except Parted as parted:
            failure = self._failure(parted)
        raise failure

    def _failure(self, parted: Parted) -> BaseException:
        """What to raise: the implementation's own error if it raised one."""
        found = parted.divergence
        failure = parted.__cause__ or AssertionError(found.headline)
        if current_build_context().is_final:
            failure.add_note(tell(found, shortest(found, self.behaviour, self._subject)))
        return failure


def tell(found: Divergence, shown: Divergence | None) -> str:
    """What diverged, with a snippet that shows it."""
    if shown is None:
        steps = ", ".join(found.steps)
        return (
            f"{found.account()}\n  after: {steps}\n  The same steps on a new model do not show it: {_REPEAT}"
        )
    steps = ", ".join(shown.steps) or "(the start)"
    return f"{shown.account()}\n  the shortest walk to it: {steps}\n  to see it again:\n\n{shown.snippet()}"
