"""Drive a model along steps and compare what it observes with what the spec allows."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from operator import eq
from typing import Any

from specwalk.divergence import TRY, Divergence, State, Way
from specwalk.errors import BadInput, SpecwalkError
from specwalk.model import Model, NotOffered
from specwalk.project import load_binding, new_model
from specwalk.values import Value, freeze, is_typed_as, parse, parse_step, show

__all__ = ["Driver", "NoValue", "explain", "replay", "reproduce", "reproduces"]

Call = Callable[[], None]
Observed = Mapping[str, object]


class NoValue(Exception):
    """A variable is observed as something that has no counterpart in TLA+."""


def explain(error: BaseException) -> str:
    """What an implementation raised, and where; an error of the model itself and Ctrl-C go on.

    An implementation that would end the process (SystemExit) must not end the walk in silence, so
    callers catch BaseException.
    """
    if isinstance(error, SpecwalkError | KeyboardInterrupt):
        raise error
    if isinstance(error, NoValue):
        return str(error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}: {error}{place}"


class Driver:
    """A model in the hands of the harness: performs labelled steps, reads states.

    What ``start``, ``perform`` and ``observe`` raise is the implementation's; an error in any other
    part of the model is the model's own, and a BadInput.
    """

    def __init__(self, model: Model, variables: Sequence[str]) -> None:
        self.variables = tuple(variables)
        self._names = set(variables)
        self.rewinds = model.has_snapshots()
        self._model = model
        self._methods = model.actions()

    def start(self, initial: Mapping[str, Value]) -> None:
        """Start a fresh implementation."""
        self._model.start(initial)

    def bind(self, action: str, arguments: Sequence[Value]) -> Call:
        """The call of the model's method for one action instance.

        Raises:
            BadInput: there is no such method.
        """
        if action not in self._methods:
            raise BadInput(f"{type(self._model).__name__} has no method for the action {action}: write one.")
        return partial(getattr(self._model, self._methods[action]), *arguments)

    def perform(self, call: Call) -> str | None:
        """Do a bound step. Returns None, or the reason why the implementation offers no such step."""
        try:
            call()
        except NotOffered as reason:
            return str(reason)
        return None

    def observe(self) -> Observed:
        """What the model observes, as it returns it.

        Raises:
            BadInput: it is not an observation of exactly the spec's variables.
        """
        observed: Observed = self._model.observe()
        if not isinstance(observed, Mapping) or observed.keys() != self._names:
            found = ", ".join(observed) if isinstance(observed, Mapping) else repr(observed)
            raise BadInput(
                f"{type(self._model).__name__}.observe() must return a dict of the spec's variables "
                f"{', '.join(self.variables)}; it returns {found or 'none'}."
            )
        return observed

    def is_at(self, values: Sequence[Value], observed: Observed) -> bool:
        """Whether an observation is this state of the spec."""
        return self.place([values], observed) is not None

    def place(self, states: Sequence[Sequence[Value]], observed: Observed) -> int | None:
        """Which of several states of the spec an observation is, by its place among them; None if none.

        The usual model returns dicts, tuples and sets that equal the spec's values as they are, and
        only where they do not are they turned into TLA+ values first.
        """
        for place, values in enumerate(states):
            if all(map(eq, map(observed.__getitem__, self.variables), values)):
                return place
        read = tuple(self.read(observed).values())
        return next((place for place, values in enumerate(states) if read == tuple(values)), None)

    def check_types(self, values: Sequence[Value], observed: Observed) -> None:
        """See that an observation that equals a state also has its types.

        Raises:
            BadInput: the model confuses numbers and truth values.
        """
        for name, value in zip(self.variables, values, strict=True):
            if not is_typed_as(observed[name], value):
                raise BadInput(
                    f"{type(self._model).__name__}.observe() returns {observed[name]!r} for {name}, which is "
                    f"{show(value)} in the spec: return bool for TRUE and FALSE, and int for numbers."
                )

    def read(self, observed: Observed) -> dict[str, Value]:
        """An observation as TLA+ values, in the order of the spec's variables.

        Raises:
            NoValue: the implementation has something that is no TLA+ value.
        """
        return {name: _value(name, observed[name]) for name in self.variables}

    def snapshot(self) -> Any:
        """The model's snapshot."""
        try:
            return self._model.snapshot()
        except BaseException as error:
            raise self._blame("snapshot", error) from error

    def restore(self, snapshot: Any) -> None:
        """Put the model back to a snapshot."""
        try:
            self._model.restore(snapshot)
        except BaseException as error:
            raise self._blame("restore", error) from error

    def content(self) -> Hashable:
        """All durable content in canonical form, or None."""
        try:
            content = self._model.content()
            hash(content)
        except BaseException as error:
            raise self._blame("content", error) from error
        return content

    def _blame(self, part: str, error: BaseException) -> BadInput:
        return BadInput(f"Correct {type(self._model).__name__}.{part}(): it raised {explain(error)}.")


def reproduce(
    *,
    model: str,
    config: str,
    start: Mapping[str, str],
    steps: Sequence[str],
    allowed: Sequence[Mapping[str, str]],
    same_as_start: Mapping[str, str] | None = None,
    same_as: Sequence[str] = (),
) -> None:
    """Replay steps and check where the last one leads: the body of a divergence's pytest snippet.

    Args:
        model: the model's name or path.
        config: the configuration whose constants the model is given, as a path from the spec's folder.
        start: the initial state; here and below values are TLA+ text, by variable.
        steps: action instances, such as ``Lose(o1)``; one that the implementation need not offer is
            ``try Lose(o1)``.
        allowed: the states that the spec allows after the last step.
        same_as_start, same_as: another initial state and the steps from there, after which all
            durable content must be the same.

    Raises:
        AssertionError: the implementation ends elsewhere.
    """
    binding = load_binding(model)
    replay(
        lambda: new_model(binding, binding.spec.parent / config),
        Way(start=_values(start), steps=tuple(steps)),
        list(map(_values, allowed)),
        None if same_as_start is None else Way(start=_values(same_as_start), steps=tuple(same_as)),
    )


def replay(new: Callable[[], Model], way: Way, allowed: Sequence[State], same_as: Way | None = None) -> None:
    """Go a way on a new model and check where it ends, as `reproduce` does.

    Raises:
        AssertionError: the implementation ends elsewhere.
    """
    driver = _after(new, way)
    observed = driver.read(driver.observe())
    assert observed in allowed, f"the implementation has {observed}"
    if same_as is not None:
        assert driver.content() == _after(new, same_as).content()


def reproduces(divergence: Divergence, new: Callable[[], Model]) -> bool:
    """Whether the snippet of a divergence fails, as it should."""
    way = Way(start=divergence.way.start, steps=divergence.steps)
    try:
        replay(new, way, divergence.allowed, divergence.same_as)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return True
    return False


def _after(new: Callable[[], Model], way: Way) -> Driver:
    """A new model that has gone a way."""
    driver = Driver(new(), tuple(way.start))
    driver.start(way.start)
    for step in way.steps:
        refusal = driver.perform(driver.bind(*parse_step(step.removeprefix(TRY))))
        assert refusal is None or step.startswith(TRY), f"{step} is not offered: {refusal}"
    return driver


def _value(name: str, thing: object) -> Value:
    try:
        return freeze(thing)
    except BadInput as problem:
        raise NoValue(f"{name}: {problem}") from problem


def _values(state: Mapping[str, str]) -> dict[str, Value]:
    return {name: parse(text) for name, text in state.items()}
