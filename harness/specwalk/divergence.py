"""How spec and implementation part: one value per difference, and its report.

A report says where (the state before, the step, the shortest path that leads there), what the spec
allows and what the implementation has, variable by variable, and how to see it again: a pytest
function of a few lines that needs no model checker.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from specwalk.values import Value, show

__all__ = ["Divergence", "Kind", "Origin"]


class Kind(Enum):
    """What went wrong."""

    WRONG_START = "starts in no initial state of the spec"
    NOT_OFFERED = "does not offer a step that the spec has"
    WRONG_STATE = "takes the step to a state that the spec does not allow"
    NOT_REFUSED = "does something that the spec forbids"
    RAISED = "raised an error"
    UNOBSERVABLE = "cannot be observed"
    HIDDEN_STATE = "differs in what no variable of the spec shows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The model and the instance that a divergence was found with."""

    model: str
    model_file: Path
    config_file: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """One difference between spec and implementation.

    Attributes:
        step: the action with its arguments; "start" for the start itself.
        path: the steps of the shortest path from the start to the state before.
        before: the state before the step.
        allowed: the states that the spec allows after it.
        observed: what the implementation has, or None if it could not be observed.
        detail: the error or the reason that the implementation gave.
    """

    kind: Kind
    origin: Origin
    step: str
    path: tuple[str, ...]
    initial: Mapping[str, Value]
    before: Mapping[str, Value]
    allowed: tuple[Mapping[str, Value], ...]
    observed: Mapping[str, Value] | None
    detail: str = ""

    @property
    def signature(self) -> tuple[str, ...]:
        """What makes two divergences one finding: kind, action, detail and the variables that differ."""
        action = self.step.partition("(")[0]
        return (self.kind.name, action, re.sub(r"\d+", "#", self.detail), *self.differences())

    def nearest(self) -> Mapping[str, Value] | None:
        """The allowed state that differs from the observed one in the fewest variables."""
        observed = self.observed
        if not self.allowed or observed is None:
            return self.allowed[0] if self.allowed else None
        return min(self.allowed, key=lambda state: len(_differing(state, observed)))

    def differences(self) -> list[str]:
        """The variables in which the implementation differs from the nearest allowed state."""
        nearest = self.nearest()
        if nearest is None or self.observed is None:
            return []
        return _differing(nearest, self.observed)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.origin.model} at {self.origin.config_file.stem}: {self.step}: "
                f"the implementation {self.kind.value}.",
                *([f"  {self.detail}"] if self.detail else []),
                "  state before:",
                *(f"    {name} = {show(value)}" for name, value in self.before.items()),
                *self._comparison(),
                f"  shortest path to the state before: {', '.join(self.path) or '(the start)'}",
                "  to see it again:",
                "",
                *(f"    {line}" for line in self.snippet().splitlines()),
            ]
        )

    def _comparison(self) -> Sequence[str]:
        nearest = self.nearest()
        if nearest is None:
            return ["  the spec allows no such step here"]
        lines = [f"  after it ({len(self.allowed)} allowed; the nearest is shown):"]
        if self.observed is None:
            return [*lines, *(f"    {name}: spec {show(value)}" for name, value in nearest.items())]
        differing = _differing(nearest, self.observed)
        lines += [
            f"    {name}: spec {show(nearest[name])}, implementation {_shown(self.observed, name)}"
            for name in differing
        ]
        same = [name for name in nearest if name not in differing]
        return [*lines, *([f"    as the spec says: {', '.join(same)}"] if same else [])]

    def snippet(self) -> str:
        """A pytest function that reproduces this divergence by itself."""
        name = re.sub(r"\W+", "_", f"{self.step}_after_{len(self.path)}_steps").strip("_").lower()
        steps = [*self.path, self.step] if self.step != "start" else []
        return "\n".join(
            [
                "from specwalk.replay import reproduce",
                "",
                "",
                f"def test_{name}() -> None:",
                "    reproduce(",
                f"        model={_relative(self.origin.model_file)!r},",
                f"        config={_relative(self.origin.config_file)!r},",
                f"        start={_one_line(self.initial)!r},",
                *_listed("steps", steps),
                *_listed("allowed", [_one_line(state) for state in self.allowed]),
                *(["        may_refuse=True,"] if self.kind is Kind.NOT_REFUSED else []),
                "    )",
            ]
        )


def _listed(name: str, items: Sequence[str]) -> list[str]:
    return [f"        {name}=[", *(f"            {item!r}," for item in items), "        ],"]


def _one_line(state: Mapping[str, Value]) -> str:
    return " ".join(f"/\\ {name} = {show(value)}" for name, value in state.items())


def _differing(expected: Mapping[str, Value], observed: Mapping[str, Value]) -> list[str]:
    return [name for name, value in expected.items() if name not in observed or observed[name] != value]


def _shown(observed: Mapping[str, Value], name: str) -> str:
    return show(observed[name]) if name in observed else "(not observed)"


def _relative(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
