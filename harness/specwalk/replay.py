"""Drive a model along steps and compare what it observes with what the spec allows."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from specwalk.model import Model, NotOffered
from specwalk.project import constants_of, load_binding
from specwalk.tlc.output import parse_state
from specwalk.values import Value, freeze, parse, show

__all__ = ["Driver", "reproduce"]


class Driver:
    """A model in the hands of the harness: performs labelled steps, reads states."""

    def __init__(self, model: Model, variables: Sequence[str]) -> None:
        self.model = model
        self.variables = tuple(variables)
        self._methods = type(model).actions()

    def bind(self, action: str, arguments: Sequence[Value]) -> Callable[[], None]:
        """The call of the model's method for one action instance."""
        return partial(getattr(self.model, self._methods[action]), *arguments)

    def perform(self, call: Callable[[], None]) -> str | None:
        """Do a bound step. Returns None, or the reason why the implementation offers no such step."""
        try:
            call()
        except NotOffered as reason:
            return str(reason)
        return None

    def is_at(self, values: Sequence[Value], observed: Mapping[str, object]) -> bool:
        """Whether an observation is this state of the spec, compared as Python values.

        A quick answer for the usual case, in which the model returns dicts, tuples and sets that
        equal the spec's values as they are; ``read`` decides when it is negative.
        """
        return all(observed.get(name) == value for name, value in zip(self.variables, values, strict=True))

    def read(self, observed: Mapping[str, object]) -> dict[str, Value]:
        """An observation as TLA+ values, in the order of the spec's variables."""
        return {name: freeze(observed[name]) for name in self.variables if name in observed}


def reproduce(
    *,
    model: str,
    config: str,
    start: str,
    steps: Sequence[str],
    allowed: Sequence[str],
    may_refuse: bool = False,
    same_as: Sequence[str] | None = None,
) -> None:
    """Replay steps and check where the last one leads: the body of a divergence's pytest snippet.

    Args:
        model: the model's file.
        config: the TLC configuration whose constants the model is given.
        start: the initial state, as TLA+ text.
        steps: action instances, such as ``Lose(o1)``.
        allowed: the states that the spec allows after the last step.
        may_refuse: whether the implementation may also offer no such step.
        same_as: other steps, after which all durable content must be the same.

    Raises:
        AssertionError: the implementation ends elsewhere.
    """
    driver = _run(model, config, start, steps[:-1])
    refusal = driver.perform(_bound(driver, steps[-1])) if steps else None
    if refusal is not None:
        assert may_refuse, f"{steps[-1]} is not offered: {refusal}"
        return
    observed = driver.read(driver.model.observe())
    states = [parse_state(text.replace(" /\\ ", "\n/\\ ")) for text in allowed]
    texts = "\n".join(f"{name} = {show(value)}" for name, value in observed.items())
    assert not states or observed in states, f"after {steps[-1:]} the implementation has\n{texts}"
    if same_as is not None:
        other = _run(model, config, start, same_as)
        assert driver.model.content() == other.model.content(), "the durable content differs"


def _run(model: str, config: str, start: str, steps: Sequence[str]) -> Driver:
    binding = load_binding(model)
    initial = parse_state(start.replace(" /\\ ", "\n/\\ "))
    driver = Driver(binding.model(constants_of(Path(config))), tuple(initial))
    driver.model.start(initial)
    for step in steps:
        refusal = driver.perform(_bound(driver, step))
        assert refusal is None, f"{step} is not offered: {refusal}"
    return driver


def _bound(driver: Driver, step: str) -> Callable[[], None]:
    action, _, rest = step.partition("(")
    arguments = parse(f"<<{rest[:-1]}>>") if rest else ()
    assert isinstance(arguments, tuple)
    return driver.bind(action, arguments)
