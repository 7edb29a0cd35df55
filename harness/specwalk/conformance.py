"""What generated tests are made of: a behaviour of the spec, taken step by step by the implementation.

    behaviour = Behaviour(MODEL, "Tank.cfg", level=0)
    behaviour.step("Fill", 2, level=2)
    behaviour.step("Drain", level=0)

Rule 1: a step names the variables that it changes; all others must stay as they are.
Rule 2: of a function or a record, a dictionary names the entries that change. One that is replaced, with
        another domain, is given whole: ``held=Becomes({...})``.
Rule 3: where the spec lets a step also lead elsewhere, ``or_else`` says so before it. If the
        implementation goes there the rest is another behaviour, and the test is skipped.

No model checker is needed.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from unittest import SkipTest

from specwalk.divergence import Origin, Way
from specwalk.errors import BadInput
from specwalk.itf import Step
from specwalk.judge import Diverged, Judge
from specwalk.project import Binding, load_binding, new_model
from specwalk.replay import Driver
from specwalk.values import Function, Value, freeze

__all__ = ["Becomes", "Behaviour"]


class Becomes:
    """The whole new value of a variable that is a function or a record."""

    def __init__(self, value: object) -> None:
        self.value = freeze(value)


class Behaviour:
    """A behaviour of one fresh implementation.

    Attributes:
        states: the states that it was in, in order.
    """

    def __init__(self, model: Path, config: str, /, **initial: object) -> None:
        """Start a model's implementation.

        Args:
            model: the model's file.
            config: its configuration, as a path from the spec's folder.
            initial: the value of each variable.

        Raises:
            AssertionError: it does not start there.
        """
        __tracebackhide__ = True
        binding = _binding(model)
        self.states = [tuple(map(freeze, initial.values()))]
        self._driver = Driver(new_model(binding, binding.spec.parent / config), tuple(initial))
        self._origin = Origin(model=model.stem, config=config)
        self._judge = Judge(self, self._driver, self._origin)
        self._steps: list[str] = []
        self._elsewhere: list[tuple[Value, ...]] = []
        try:
            self._judge.start(0)
        except Diverged as diverged:
            raise self._failure(diverged, None, [0]) from diverged.__cause__

    def state_dict(self, state: int, /) -> dict[str, Value]:
        """A state as a mapping from variables to values."""
        return dict(zip(self._driver.variables, self.states[state], strict=True))

    def step(self, action: str, /, *arguments: object, **changes: object) -> None:
        """Let the implementation take a step of the spec.

        Args:
            action, arguments: the action instance.
            changes: what it changes; see Rules 1 and 2.

        Raises:
            AssertionError: the implementation does not take the step, or not to there.
        """
        __tracebackhide__ = True
        before = len(self.states) - 1
        taken = Step(action=action, arguments=tuple(map(freeze, arguments)))
        self.states += [self._changed(changes), *self._elsewhere]
        allowed = range(before + 1, len(self.states))
        try:
            landed = self._judge.take(self._driver.bind(action, taken.arguments), allowed)
        except Diverged as diverged:
            raise self._failure(diverged, str(taken), allowed) from diverged.__cause__
        if landed != allowed[0]:
            raise SkipTest(f"the implementation takes {taken} elsewhere, as the spec allows")
        self._steps.append(str(taken))
        self._elsewhere.clear()
        del self.states[before + 2 :]

    def or_else(self, **changes: object) -> None:
        """Say where else the spec allows the next step to lead."""
        self._elsewhere.append(self._changed(changes))

    def _changed(self, changes: Mapping[str, object]) -> tuple[Value, ...]:
        """The state after changes of the last one."""
        state = self.state_dict(len(self.states) - 1)
        if unknown := [name for name in changes if name not in state]:
            raise BadInput(f"There is no variable {', '.join(unknown)}; there are {', '.join(state)}.")
        return tuple(_new(name, value, changes.get(name, value)) for name, value in state.items())

    def _failure(self, diverged: Diverged, step: str | None, allowed: Sequence[int]) -> AssertionError:
        before = max(allowed[0] - 1, 0)
        divergence = self._judge.report(
            diverged,
            state=before,
            step=step,
            enabled=True,
            allowed=allowed,
            way=Way(start=self.state_dict(0), steps=tuple(self._steps)),
        )
        return AssertionError(
            f"step {len(self._steps) + 1}: {divergence.account()}" if step else divergence.account()
        )


def _new(name: str, old: Value, change: object) -> Value:
    """The new value of a variable."""
    if isinstance(change, Becomes):
        return change.value
    if not isinstance(change, Mapping):
        return freeze(change)
    entries = {freeze(key): freeze(value) for key, value in change.items()}
    if not isinstance(old, Function) or entries.keys() - old.keys():
        raise BadInput(f"{name} has no such entries: to replace all of it write {name}=Becomes({change!r}).")
    return Function({**old, **entries})


@cache
def _binding(model: Path) -> Binding:
    return load_binding(str(model))
