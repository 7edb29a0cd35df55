"""From TLC's messages and exit code to a Result.

Exit code 0 proves nothing by itself: TLC also ends with it after a violation under ``-continue``,
without any initial state, and with states left unexplored. OK needs all of: exit code 0, message
2193 (no error found), an empty queue, at least one state, no message of severity 1.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from specwalk.tlc.messages import UNFRAMED, Message
from specwalk.tlc.result import Counts, Problem, Result, Trace, TraceStep, Verdict, Violation
from specwalk.values import Value, parse

__all__ = ["Transcript", "parse_state"]

NO_ERROR, COUNTS, DEPTH, PROGRESS = 2193, 2199, 2194, 2200
STATE, STUTTERING, BACK_TO = 2217, 2218, 2122
UNNAMED = (2116, "temporal property")
VIOLATIONS = {
    2107: ("invariant", r"Invariant (\S+) is violated by the initial state"),
    2110: ("invariant", r"Invariant (\S+) is violated"),
    2112: ("action property", r"Action property (.+) is violated"),
    2114: ("deadlock", None),
    2116: ("temporal property", r"Temporal property (\S+) was violated"),
    2104: ("assumption", r"Assumption (.+) is false"),
}
# TLC 2.15 reports a failed Assert as an unexpected exception and has no code of its own for it.
ASSERTION = 2132
NESTED_POSITIONS = 2103
QUOTING = {1000, 2154}

_COUNTS = re.compile(
    r"([\d,]+) states generated.*?([\d,]+) distinct states found.*?([\d,]+) states left", re.DOTALL
)
_DEPTH = re.compile(r"graph search is (\d+)")
_VARIABLE = re.compile(r"^(?:/\\ )?(\w+) = ", re.MULTILINE)
_ACTION = re.compile(r"\d+: <(\w+|Initial predicate)\s*(.*?)>$")
_SANY_PLACES = (
    re.compile(r"line (\d+), col \d+ to line \d+, col \d+ of module (\w+)"),
    re.compile(r"[Ll]ine (\d+), column \d+ to line \d+, column \d+ in (\w+)"),
)
_PARSE_PLACE = re.compile(r"at line (\d+), col(?:umn)? \d+")
_PARSE_MODULE = re.compile(r"Could not parse module (\w+)")
_CONFIG_PLACE = re.compile(r"configuration file at line (\d+)")
_MACHINE = re.compile(
    r"OutOfMemoryError|ran out of memory|No space left on device|File too large|Disk quota exceeded"
    r"|Permission denied|Read-only file system|Could not reserve enough space|Too many open files"
)
_NOISE = re.compile(
    r"^(Parsing file|Semantic processing|Linting of|tla2sany\.semantic\.AbortException|\*\*\*|Residual stack"
    r"|Warning: Please run|\(Use the|Starting|Finished|\s*$)"
)


def parse_state(text: str) -> dict[str, Value]:
    r"""The variables of a state that TLC printed as ``/\ x = 1`` lines, or ``x = 1`` if it has only one."""
    pieces = _VARIABLE.split(text.strip())
    return {name: parse(value.strip()) for name, value in zip(pieces[1::2], pieces[2::2], strict=True)}


@dataclass(slots=True)
class Transcript:
    """The messages of one run, gathered as they come."""

    config: str
    counts: Counts = field(default_factory=lambda: Counts(generated=0, distinct=0, queue=0, depth=0))
    complete: bool = False
    violation: tuple[str, str | None] | None = None
    steps: list[TraceStep] = field(default_factory=list)
    back_to: int | None = None
    errors: list[Message] = field(default_factory=list)
    unframed: list[str] = field(default_factory=list)

    def add(self, message: Message) -> None:
        """Take one message in."""
        match message.code:
            case code if code == UNFRAMED:
                self.unframed.append(message.text)
            case code if code in (COUNTS, PROGRESS):
                self._count(message.text)
            case code if code == DEPTH:
                self._deepen(message.text)
            case code if code == NO_ERROR:
                self.complete = True
            case code if code == STATE:
                self.steps.append(_trace_step(message.lines))
            case code if code == STUTTERING:
                self.back_to = len(self.steps) - 1
            case code if code == BACK_TO:
                self.back_to = int(re.findall(r"\d+", message.text)[0]) - 1
            case code if code == ASSERTION:
                self.violation = ("assertion", message.text.split("\n", 1)[-1])
            case code if code in VIOLATIONS:
                self._violate(message)
            case _ if message.severity == 1 or message.code >= 5000:
                self.errors.append(message)

    def _count(self, text: str) -> None:
        if found := _COUNTS.search(text):
            generated, distinct, queue = (int(number.replace(",", "")) for number in found.groups())
            depth = re.match(r"Progress\((\d+)\)", text)
            self.counts = Counts(
                generated=generated,
                distinct=distinct,
                queue=queue,
                depth=int(depth[1]) if depth else self.counts.depth,
            )

    def _deepen(self, text: str) -> None:
        counts = self.counts
        if found := _DEPTH.search(text):
            self.counts = Counts(
                generated=counts.generated,
                distinct=counts.distinct,
                queue=counts.queue,
                depth=int(found[1]),
            )

    def _violate(self, message: Message) -> None:
        kind, pattern = VIOLATIONS[message.code]
        name = re.search(pattern, message.text) if pattern else None
        self.violation = (kind, name[1] if name else None)

    def result(self, exit_code: int, seconds: float) -> Result:
        """What it all came to."""
        violation = None
        problems: tuple[Problem, ...] = ()
        if self.violation:
            verdict = Verdict.VIOLATED
            kind, name = self.violation
            trace = Trace(steps=tuple(self.steps), back_to=self.back_to)
            violation = Violation(kind=kind, name=name, trace=trace)
        elif exit_code == 0 and self.complete and not self.errors and self._searched_everything():
            verdict = Verdict.OK
        else:
            verdict, problems = self._explain(exit_code)
        return Result(
            verdict=verdict,
            exit_code=exit_code,
            counts=self.counts,
            violation=violation,
            problems=problems,
            seconds=seconds,
        )

    def _searched_everything(self) -> bool:
        return self.counts.distinct > 0 and self.counts.queue == 0

    def _explain(self, exit_code: int) -> tuple[Verdict, tuple[Problem, ...]]:
        framed = [message.text for message in self.errors if message.text and message.code not in QUOTING]
        quoted = [message.text for message in self.errors if message.text and message.code in QUOTING]
        sany = "\n".join(line for line in self.unframed if not _NOISE.match(line))
        text = "\n".join(framed) or "\n".join(quoted) or sany
        everything = "\n".join([text, *quoted, *self.unframed])
        if lack := _MACHINE.search(everything):
            advice = "Give it more room (memory, disk or file size limit) or smaller bounds, and run again."
            return Verdict.ENVIRONMENT, (Problem(text=f"TLC: {lack[0]}.", advice=advice),)
        if exit_code == 0 and self.counts.distinct == 0:
            text = "The spec has no initial state."
            advice = f"Make the initial predicate satisfiable under the constants of {self.config}."
            return Verdict.SPEC_ERROR, (Problem(text=text, advice=advice),)
        if not text:
            text = f"TLC ended with exit code {exit_code} and no message."
            return Verdict.ENVIRONMENT, (Problem(text=text, advice="Run it again; check JAVA_HOME."),)
        return Verdict.SPEC_ERROR, (self._locate(text, everything),)

    def _locate(self, text: str, everything: str) -> Problem:
        if place := _CONFIG_PLACE.search(everything):
            return Problem(text=text, file=self.config, line=int(place[1]), advice=f"Correct {self.config}.")
        if module := _PARSE_MODULE.search(everything):
            place = _PARSE_PLACE.search(everything)
            file = f"{module[1]}.tla"
            line = int(place[1]) if place else None
            return Problem(text=text, file=file, line=line, advice=f"Correct the syntax of {file} there.")
        for pattern in _SANY_PLACES:
            if places := pattern.findall(everything):
                line, module_name = places[-1]
                file = f"{module_name}.tla"
                return Problem(text=text, file=file, line=int(line), advice=f"Correct {file} there.")
        if re.search(r"configuration file|specified in the config|not assigned a value", everything):
            return Problem(text=text, advice=f"Correct {self.config}, or define it in the spec.")
        return Problem(text=text, advice="Correct the spec or its configuration.")


def _trace_step(lines: Iterable[str]) -> TraceStep:
    head, *rest = lines
    found = _ACTION.match(head)
    return TraceStep(
        action=found[1] if found else head,
        location=found[2] if found else "",
        state=parse_state("\n".join(rest)),
    )
