"""From TLC's messages and exit code to a Result.

Rule 1: exit code 0 proves nothing by itself. TLC also ends with it after a violation under ``-continue``,
        without any initial state, and after an evaluation error while it checks liveness. OK needs all of:
        exit code 0, the message that no error was found, final counts with at least one state and an empty
        queue, and not one error message.
Rule 2: the first violation counts, with its own trace; those that ``-continue`` adds are left out.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from specwalk.errors import BadInput
from specwalk.tlc.messages import Code, Message
from specwalk.tlc.problems import Evidence, Sources, explain
from specwalk.tlc.result import Counts, Problem, Result, Trace, TraceStep, Verdict, Violation
from specwalk.values import ModelValue, Value, parse

__all__ = ["Transcript"]

# For each kind of violation its name here, and what its message calls the thing violated.
_VIOLATIONS = {
    Code.INITIAL_INVARIANT: ("invariant", r"Invariant (\S+) is violated"),
    Code.INITIAL_PROPERTY: ("initial property", r"Property (\S+) is violated"),
    Code.INVARIANT: ("invariant", r"Invariant (\S+) is violated"),
    Code.ACTION_PROPERTY: ("action property", r"Action property (.+) is violated"),
    Code.TEMPORAL_PROPERTY: ("temporal property", r"Temporal property (\S+) was violated"),
    Code.DEADLOCK: ("deadlock", r"(?!)"),
    Code.ASSUMPTION: ("assumption", r"Assumption (.+) is false"),
    Code.ASSERTION: ("assertion", r"second argument was:\s*(.*)"),
}
# Parts of a message group whose head says what went wrong.
_ATTACHED = (Code.BEHAVIOR, Code.COUNTEREXAMPLE)
_LINES_KEPT = 30

_COUNTS = re.compile(
    r"([\d,]+) states generated.*?([\d,]+) distinct states found.*?([\d,]+) states left", re.DOTALL
)
_PROGRESS_DEPTH = re.compile(r"Progress\((\d+)\)")
_DEPTH = re.compile(r"graph search is (\d+)")
_VARIABLE = re.compile(r"^(?:/\\ )?(\w+) = ", re.MULTILINE)
_STEP = re.compile(r"(\d+): <(.*?)(?: (line \d+, .*))?>$")
_INITIAL = "Initial predicate"


def _variables(text: str) -> Iterator[tuple[str, str]]:
    pieces = _VARIABLE.split(text.strip())
    yield from zip(pieces[1::2], map(str.strip, pieces[2::2]), strict=True)


@dataclass(slots=True)
class Transcript:
    """The messages of one run, gathered as they come."""

    sources: Sources
    counts: Counts = field(default_factory=lambda: Counts(generated=0, distinct=0, queue=0, depth=0))
    _found_no_error: bool = False
    _counted: bool = False
    _violation: tuple[str, str | None] | None = None
    _traces: int = 0
    _steps: list[TraceStep] = field(default_factory=list)
    _back_to: int | None = None
    _errors: list[Message] = field(default_factory=list)
    _sany: list[str] = field(default_factory=list)
    _parsed: bool = False
    _printed: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES_KEPT))

    def add(self, message: Message) -> None:
        """Take one message in."""
        if message.is_error and message.code not in _ATTACHED:
            self._errors.append(message)
        match message.code:
            case Code.UNFRAMED:
                (self._printed if self._parsed else self._sany).append(message.text)
            case Code.SANY_FINISHED:
                self._parsed = True
            case Code.COUNTS | Code.PROGRESS:
                self._count(message)
            case Code.DEPTH:
                self._deepen(_DEPTH.search(message.text))
            case Code.NO_ERROR:
                self._found_no_error = True
            case Code.STATE:
                self._step(message.lines)
            case Code.STUTTERING | Code.BACK_TO if self._traces == 1:
                self._close_lasso(message)
            case code if code in _VIOLATIONS:
                self._violate(message)

    def _count(self, message: Message) -> None:
        found = _COUNTS.search(message.text)
        if found is None:
            return
        generated, distinct, queue = (int(number.replace(",", "")) for number in found.groups())
        self.counts = replace(self.counts, generated=generated, distinct=distinct, queue=queue)
        self._deepen(_PROGRESS_DEPTH.match(message.text))
        self._counted = message.code == Code.COUNTS

    def _deepen(self, found: re.Match[str] | None) -> None:
        if found:
            self.counts = replace(self.counts, depth=int(found[1]))

    def _step(self, lines: list[str]) -> None:
        number, step = _trace_step(lines)
        if number == 1:
            self._traces += 1
        if self._traces == 1:
            self._steps.append(step)

    def _close_lasso(self, message: Message) -> None:
        # Both say a state's number first: "3: Stuttering" comes after state 2, "2: Back to state" names it.
        found = re.match(r"\d+", message.text)
        number = int(found[0]) if found else len(self._steps)
        self._back_to = number - (2 if message.code == Code.STUTTERING else 1)

    def _violate(self, message: Message) -> None:
        if self._violation:
            return
        kind, pattern = _VIOLATIONS[Code(message.code)]
        name = re.search(pattern, message.text)
        self._violation = (kind, name[1] if name else None)
        if message.code in (Code.INITIAL_INVARIANT, Code.INITIAL_PROPERTY):
            self._step([f"1: <{_INITIAL}>", *message.lines[1:]])

    def result(self, exit_code: int, seconds: float) -> Result:
        """What it all came to."""
        trace = Trace(steps=tuple(self._steps), back_to=self._back_to)
        violation = None
        problems: tuple[Problem, ...] = ()
        if self._violation:
            verdict = Verdict.VIOLATED
            kind, name = self._violation
            violation = Violation(kind=kind, name=name, trace=trace)
        elif exit_code == 0 and self._is_whole_and_clean():
            verdict = Verdict.OK
        else:
            verdict, problems = explain(
                Evidence(
                    exit_code=exit_code,
                    errors=tuple(self._errors),
                    sany=tuple(self._sany),
                    printed=tuple(self._printed),
                    trace=trace,
                    stateless=self._found_no_error and self._counted and self.counts.distinct == 0,
                ),
                self.sources,
            )
        return Result(
            verdict=verdict,
            exit_code=exit_code,
            counts=self.counts,
            violation=violation,
            problems=problems,
            seconds=seconds,
        )

    def _is_whole_and_clean(self) -> bool:
        whole = self._found_no_error and self._counted and self.counts.queue == 0
        return whole and self.counts.distinct > 0 and not self._errors


def _trace_step(lines: Iterable[str]) -> tuple[int, TraceStep]:
    """A state of a trace with its number in it."""
    head, *rest = lines
    found = _STEP.match(head)
    number, action, location = found.groups() if found else (0, head, None)
    state = {name: _legible(value) for name, value in _variables("\n".join(rest))}
    return int(number), TraceStep(action=action, location=location or "", state=state)


def _legible(text: str) -> Value:
    """A value of a trace. What only TLC understands, such as ``SUBSET Nat``, stands as a name for itself."""
    try:
        return parse(text)
    except BadInput:
        return ModelValue(text)
