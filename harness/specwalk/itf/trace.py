"""A behaviour as it is recorded: states, and what is known of the steps between them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from specwalk.errors import BadInput
from specwalk.values import Function, ModelValue, Value, show

__all__ = ["Json", "Step", "Trace", "leaves", "model_values"]

Json = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a trace says of a step: an action, with its arguments in order or, as Quint has them, by name.

    Attributes:
        picks: Quint's choices by name, None where the arguments are known in order.
    """

    action: str
    arguments: tuple[Value, ...] = ()
    picks: Mapping[str, Value] | None = None

    def __str__(self) -> str:
        named = [f"{name} = {show(value)}" for name, value in (self.picks or {}).items()]
        texts = [*map(show, self.arguments), *named]
        return f"{self.action}({', '.join(texts)})" if texts else self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A behaviour, as far as it was recorded.

    Attributes:
        variables: their names.
        states: their values, state by state; at least one state.
        steps: the step from each state to the next, None where the trace does not say.
        loop: the state that follows the last one, for a behaviour that goes on forever.
        about: what the trace says of itself, such as "source" and "description".
    """

    variables: tuple[str, ...]
    states: tuple[tuple[Value, ...], ...]
    steps: tuple[Step | None, ...]
    loop: int | None = None
    about: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.states:
            raise BadInput("A trace has at least one state; this one has none.")
        if len(self.steps) != len(self.states) - 1:
            raise BadInput(
                f"{len(self.states)} states have one step less between them, not {len(self.steps)}."
            )
        if self.loop is not None and not 0 <= self.loop < len(self.states):
            raise BadInput(f"The loop begins at state {self.loop}, but there are {len(self.states)} states.")

    def state_dict(self, index: int) -> dict[str, Value]:
        """A state as a mapping from variables to values."""
        return dict(zip(self.variables, self.states[index], strict=True))


def model_values(values: Iterable[Value]) -> frozenset[ModelValue]:
    """The model values in some values, at any depth."""
    return frozenset(leaf for leaf in leaves(values) if isinstance(leaf, ModelValue))


def leaves(values: Iterable[Value]) -> Iterator[Value]:
    """The numbers, truth values, strings and model values in some values, at any depth."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Function):
            waiting += (*value, *value.values())
        elif isinstance(value, tuple | frozenset):
            waiting += value
        else:
            yield value
