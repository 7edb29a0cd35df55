"""How spec and implementation part: one value per difference, and its report.

A report says where (the state before, the step, a path that leads there), what the spec
allows and what the implementation has, variable by variable, and how to see it again: a pytest
function of a few lines that needs no model checker.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from textwrap import indent

from specwalk.values import Value, show

__all__ = ["TRY", "Divergence", "Kind", "Origin", "State", "Way", "content_difference", "state_text"]

State = Mapping[str, Value]

# What stands before a step that the implementation need not offer.
TRY = "try "


class Kind(Enum):
    """What went wrong."""

    WRONG_START = "does not start in the initial state that it was given"
    NOT_OFFERED = "does not offer a step that the spec has"
    WRONG_STATE = "takes the step to a state that the spec does not allow"
    NOT_REFUSED = "does something that the spec forbids"
    RAISED = "raised an error"
    UNOBSERVABLE = "cannot be observed"
    HIDDEN_STATE = "differs in what no variable of the spec shows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The model, by the name that loads it, and the configuration, by its path from the spec's folder."""

    model: str
    config: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How to come to a state: an initial state, and the steps from there.

    Those that the spec does not enable where they are taken begin with `TRY`.
    """

    start: State
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return ", ".join(self.steps) or "(the start)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """One difference between spec and implementation.

    Attributes:
        step: the action with its arguments; None for the start itself.
        enabled: whether the spec has the step here; if not, it is right to offer none.
        way: the shortest way known to the state before, or to what shows only there.
        before: the state before the step.
        allowed: the states that the spec allows after it.
        observed: what the implementation has, or None if it could not be observed.
        same_as: for hidden state the way after which all durable content was different.
        detail: the error or the reason that the implementation gave, or the hidden difference.
    """

    kind: Kind
    origin: Origin
    step: str | None
    enabled: bool
    way: Way
    before: State
    allowed: tuple[State, ...]
    observed: State | None = None
    same_as: Way | None = None
    detail: str = ""

    @property
    def signature(self) -> tuple[str, ...]:
        """What makes two divergences one finding: kind, action, detail and the variables that differ."""
        action = (self.step or "").partition("(")[0]
        return (self.kind.name, action, re.sub(r"\d+", "#", self.detail), *self.differences())

    def nearest(self) -> State:
        """The allowed state that differs from the observed one in the fewest variables."""
        observed = self.observed
        if observed is None:
            return self.allowed[0]
        return min(self.allowed, key=lambda state: len(_differing(state, observed)))

    def differences(self) -> list[str]:
        """The variables in which the implementation differs from the nearest allowed state."""
        return [] if self.observed is None else _differing(self.nearest(), self.observed)

    @property
    def headline(self) -> str:
        """Where and what, in a line."""
        where = f"{self.origin.model} at {self.origin.config}: {self.step or 'start'}"
        return f"{where}: the implementation {self.kind.value}."

    def __str__(self) -> str:
        return "\n".join(
            [
                self.account(),
                f"  path to the state before: {self.way}",
                "  to see it again:",
                "",
                indent(self.snippet(), "    "),
            ]
        )

    def account(self) -> str:
        """What diverged, without how to see it again."""
        return "\n".join(
            [
                self.headline,
                *(f"  {line}" for line in self.detail.splitlines()),
                "  state before:",
                *(f"    {name} = {show(value)}" for name, value in self.before.items()),
                *self._comparison(),
            ]
        )

    def _comparison(self) -> Sequence[str]:
        nearest, observed = self.nearest(), self.observed
        lines = [f"  after it ({len(self.allowed)} allowed; the nearest is shown):"]
        if observed is None:
            return [*lines, *(f"    {name}: spec {show(value)}" for name, value in nearest.items())]
        differing = self.differences()
        lines += [
            f"    {name}: spec {show(nearest[name])}, implementation {show(observed[name])}"
            for name in differing
        ]
        same = [name for name in nearest if name not in differing]
        return [*lines, *([f"    as the spec says: {', '.join(same)}"] if same else [])]

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps from the start on, the diverging one included."""
        if self.step is None:
            return self.way.steps
        return (*self.way.steps, self.step if self.enabled else f"{TRY}{self.step}")

    def snippet(self) -> str:
        """A pytest function that reproduces this divergence by itself."""
        name = re.sub(r"\W+", "_", f"{self.step or 'start'}_after_{len(self.way.steps)}_steps").lower()
        return "\n".join(
            [
                "from specwalk.replay import reproduce",
                "",
                "",
                f"def test_{name}() -> None:",
                "    reproduce(",
                f"        model={self.origin.model!r},",
                f"        config={self.origin.config!r},",
                f"        start={_texts(self.way.start)!r},",
                *_listed("steps", self.steps),
                *_listed("allowed", list(map(_texts, self.allowed))),
                *self._comparable(),
                "    )",
            ]
        )

    def _comparable(self) -> Sequence[str]:
        """The lines of the snippet that say which way must lead to the same content."""
        if self.same_as is None:
            return []
        return [
            f"        same_as_start={_texts(self.same_as.start)!r},",
            *_listed("same_as", list(self.same_as.steps)),
        ]


def content_difference(content: Hashable, other: Hashable, way: Way) -> str:
    """How durable content differs from what it was after a way; of tuples the parts that differ."""
    if isinstance(content, tuple) and isinstance(other, tuple):
        content, other = (
            tuple(part for part in content if part not in other),
            tuple(part for part in other if part not in content),
        )
    return f"now {content!r}\nafter {way}: {other!r}"


def state_text(state: State) -> str:
    """A state in a line."""
    return ", ".join(f"{name} = {show(value)}" for name, value in state.items())


def _listed(name: str, items: Sequence[object]) -> list[str]:
    if not items:
        return [f"        {name}=[],"]
    return [f"        {name}=[", *(f"            {item!r}," for item in items), "        ],"]


def _texts(state: State) -> dict[str, str]:
    return {name: show(value) for name, value in state.items()}


def _differing(expected: State, observed: State) -> list[str]:
    return [name for name, value in expected.items() if observed[name] != value]
