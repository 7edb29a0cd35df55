"""What one run of TLC came to, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from specwalk.values import Value, show

__all__ = ["Counts", "Problem", "Result", "Trace", "TraceStep", "Verdict", "Violation"]


class Verdict(Enum):
    """OK only if the whole state space was searched and every check passed."""

    OK = "ok"
    VIOLATED = "violated"
    SPEC_ERROR = "error in the spec or its configuration"
    ENVIRONMENT = "TLC could not do its work on this machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """TLC's figures: states generated, distinct states, states left on the queue, depth."""

    generated: int
    distinct: int
    queue: int
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """A state of an error trace and the action that led to it ("Initial predicate" for the first)."""

    action: str
    location: str
    state: Mapping[str, Value]

    def __str__(self) -> str:
        lines = [f"  /\\ {name} = {show(value)}" for name, value in self.state.items()]
        return "\n".join([self.action, *lines])


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """An error trace. ``back_to`` is the index of the state where a lasso closes: the last one
    itself when the behaviour stutters there for ever, None when the trace is no lasso."""

    steps: tuple[TraceStep, ...]
    back_to: int | None = None

    def __str__(self) -> str:
        lines = [f"{number}: {step}" for number, step in enumerate(self.steps, 1)]
        if self.back_to is not None:
            stutters = self.back_to == len(self.steps) - 1
            lines.append("then it stutters for ever" if stutters else f"back to {self.back_to + 1}")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """What was violated. TLC 2.15 does not name a violated temporal property: then ``name`` is None."""

    kind: str
    name: str | None
    trace: Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An error of the spec or the machine: what TLC says, where, and what to do.

    ``file`` is a module's path as the user gave it, or the name of the configuration. ``trace`` leads to
    the state in which an evaluation failed, where TLC tells it.
    """

    text: str
    file: str | None = None
    line: int | None = None
    advice: str
    trace: Trace | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line) if part)
        text = f"{place}: {self.text}" if place else self.text
        return "\n".join([text, *([str(self.trace)] if self.trace else []), self.advice])


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One run of TLC."""

    verdict: Verdict
    exit_code: int
    counts: Counts
    violation: Violation | None = None
    problems: tuple[Problem, ...] = ()
    seconds: float
