"""From TLC's error messages to Problems: what is wrong, where in the user's files, what to change.

Rule 1: a place is one in the user's own modules or configuration, never in a standard module or in one
        that was generated for the run.
Rule 2: where TLC gives several places, the one nearest to the fault counts: the message's own, else the
        innermost expression, else the definition named, else the action that led to the last state.
Rule 3: TLC quotes values of the spec in its messages, so what decides is matched at the start of a line.
"""

import re
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from specwalk.tlc.messages import Code, Message
from specwalk.tlc.result import Problem, Trace, Verdict

__all__ = ["Evidence", "Sources", "explain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The files that a problem may lie in: the configuration, and the user's modules by name."""

    config: Path
    modules: Mapping[str, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a failed run left behind; ``stateless`` says that TLC searched and found no state."""

    exit_code: int
    errors: tuple[Message, ...]
    sany: tuple[str, ...]
    printed: tuple[str, ...]
    trace: Trace
    stateless: bool


_EXCEPTION = r"^(?:The exception was an? |: )?(?:java\.lang\.RuntimeException: )?"
_MEMORY = re.compile(
    rf"{_EXCEPTION}java\.lang\.OutOfMemoryError|^(?:Java|TLC) ran out of memory", re.MULTILINE
)
_FILES = re.compile(rf"{_EXCEPTION}(java\.n?io\..*)$", re.MULTILINE)
# SANY writes outside of TLC's messages; there only a Java stack tells an error from the spec's own text.
_SANY_FILES = re.compile(r"^(java\.n?io\..*)\n\s+at \S+\(", re.MULTILINE)
# Java answers these signals by ending with 128 more than their number.
_HANDLED = (signal.SIGINT, signal.SIGTERM)

# What surrounds the sentence that says what is wrong.
_WRAPPING = re.compile(
    r"^TLC threw an unexpected exception\.\n(?:.*\n)*?The exception was an? .*\n"
    r"(?:: ?\n?)?(?:[\w.$]+Exception: )?|^\tat .*\n?",
    re.MULTILINE,
)
_STACK_OVERFLOW = re.compile(rf"{_EXCEPTION}java\.lang\.StackOverflowError", re.MULTILINE)
_WHILE = re.compile(r"^While working on", re.MULTILINE)
_SANY_NOISE = re.compile(
    r"Parsing file|Semantic processing|Linting of|File does not exist|Fatal errors|tla2sany\.|\*\*\*"
    r"|Residual stack|.* starting at line|In module|Unknown location|Could not parse|Semantic errors"
    r"|NOTE: |Picked up|\s*$"
)
_SANY_WARNINGS = re.compile(
    r"\*\*\* Warnings:.*?(?=^Semantic processing|^\*\*\* Errors|\Z)", re.DOTALL | re.MULTILINE
)

_PLACE = re.compile(r"[Ll]ine (\d+), col(?:umn)? \d+ to line \d+, col(?:umn)? \d+ (?:of module|in) (\w+)")
_SANY_PLACE = re.compile(rf"^{_PLACE.pattern}$", re.MULTILINE)
_SYNTAX_PLACE = re.compile(r"at line (\d+), col")
_NOT_PARSED = re.compile(r"Could not parse module (\w+)")
_NOT_FOUND = re.compile(r"Cannot find source file for module (\w+) imported in module (\w+)")
_MISNAMED = re.compile(r"File name '(\w+)' does not match")
_CONFIG_LINE = re.compile(r"configuration file at line (\d+)")
_CONFIG_NAME = re.compile(r"(\w+)\s+specified in the configuration file")
_CHECKED = re.compile(r"Evaluating (?:invariant|action property|assumption) (\w+) failed")

# The first pattern found gives the advice.
_ADVICE = (
    (r"Lexical error|Was expecting", "Correct the syntax there."),
    (r"Unknown operator", "Define it before that line, or correct its name."),
    (r"already defined|Multiply-defined", "Rename one of the two."),
    (r"Cannot find source file for module (\w+)", r"Put \1.tla beside that file, or correct the name."),
    (r"does not match the name", "Give the file and its module the same name."),
    (r"parameter (\w+) is not assigned", r"Assign it in the configuration: CONSTANT \1 = <value>."),
    (r"(\w+)\s+specified in the config", r"Define \1 in the spec, or correct its name in the configuration."),
    (r"configuration file did not specify", "Name INIT and NEXT there, or SPECIFICATION."),
    (r"configuration file [^\n]*\nFile not found", "Write it, or name one that exists."),
    (r"configuration file at line", "Correct the configuration there."),
    (r"unrecognized option", "Correct the options given to TLC."),
    (
        r"not completely specified",
        "Give every variable a next value in that action, or list it as UNCHANGED.",
    ),
    (r"not a legal state", "Give a value to each variable shown as null in the initial predicate."),
    (r"not enumerable", "Let the variable range over a finite set there."),
    (r"expected a boolean", "Write a formula there that is TRUE or FALSE."),
    (r"StackOverflowError", "Bound the recursion, or give Java more stack: JDK_JAVA_OPTIONS=-Xss64m."),
    (r"not in the domain", "Guard the application there, or enlarge the function's domain."),
    (
        r"Error code not found",
        'TLC has lost its own message; a set of unlike elements, such as {1, "a"}, does that.',
    ),
)


def explain(evidence: Evidence, sources: Sources) -> tuple[Verdict, tuple[Problem, ...]]:
    """Why a run without a violation is not OK."""
    said = "\n".join(error.text for error in evidence.errors)
    if lack := _lack(said, evidence):
        return Verdict.ENVIRONMENT, (lack,)
    if evidence.stateless:
        return Verdict.SPEC_ERROR, (_no_state(sources),)
    if any(error.code == Code.NOT_PARSED for error in evidence.errors):
        return Verdict.SPEC_ERROR, _parse_problems("\n".join(evidence.sany), sources)
    return Verdict.SPEC_ERROR, (_evaluation_problem(evidence, sources),)


def _lack(said: str, evidence: Evidence) -> Problem | None:
    """What the machine, not the spec, is to blame for."""
    code = evidence.exit_code
    if _MEMORY.search(said):
        advice = "Give Java more with JDK_JAVA_OPTIONS=-Xmx8g, or give the spec smaller bounds."
        return Problem(text="TLC ran out of memory.", advice=advice)
    if failed := _FILES.search(said) or _SANY_FILES.search("\n".join(evidence.sany)):
        advice = "Free some disk space, lift the limit, or let TMPDIR name a folder with room."
        return Problem(text=f"TLC could not use its files: {failed[1]}.", advice=advice)
    if code < 0 or code - 128 in _HANDLED:
        text = f"Java was stopped from outside by {signal.Signals(-code if code < 0 else code - 128).name}."
        return Problem(text=text, advice="Run it again; if nobody stopped it, give the spec smaller bounds.")
    if evidence.stateless or any(error.code != Code.TRUNCATED for error in evidence.errors):
        return None
    printed = "\n".join((*evidence.sany, *evidence.printed)[-5:])
    text = f"TLC ended with exit code {code} before its report was complete.\n{printed}".strip()
    return Problem(text=text, advice="Check JAVA_HOME, TLA2TOOLS_JAR and JDK_JAVA_OPTIONS, and run again.")


def _no_state(sources: Sources) -> Problem:
    advice = "Make the initial predicate satisfiable within the constants and constraints there."
    return Problem(text="The spec has no initial state.", file=sources.config.name, advice=advice)


def _parse_problems(report: str, sources: Sources) -> tuple[Problem, ...]:
    """One problem for each semantic error that SANY reports, or the one that stopped it."""
    pieces = _SANY_PLACE.split(_SANY_WARNINGS.sub("", report))
    found = [
        _problem(_without_noise(text), file=_shown(module, sources), line=int(line))
        for line, module, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)
    ]
    # SANY repeats the errors of a module in each that imports it.
    return tuple(dict.fromkeys(found)) or (_fatal_problem(report, sources),)


def _fatal_problem(report: str, sources: Sources) -> Problem:
    module, line = None, None
    if lost := _NOT_FOUND.search(report):
        module = lost[2]
        line = _line_of(rf"\b{lost[1]}\b", sources.modules.get(module))
    elif misnamed := _MISNAMED.search(report):
        module, line = misnamed[1], 1
    elif (broken := _NOT_PARSED.search(report)) and (place := _SYNTAX_PLACE.search(report)):
        module, line = broken[1], int(place[1])
    return _problem(_without_noise(report), file=_shown(module, sources), line=line)


def _without_noise(report: str) -> str:
    return "\n".join(line for line in report.splitlines() if not _SANY_NOISE.match(line))


def _evaluation_problem(evidence: Evidence, sources: Sources) -> Problem:
    """The problem of a spec that parsed, or of its configuration."""
    said = [_readable(error) for error in evidence.errors if error.code != Code.POSITIONS]
    text = "\n".join(part for part in said if part)
    head = _WHILE.split(text)[0]
    if "configuration file" in head:
        return _problem(text, file=sources.config.name, line=_config_line(head, sources.config))
    positions = "\n".join(error.text for error in evidence.errors if error.code == Code.POSITIONS)
    module, line = _place(head, positions, evidence.trace, sources)
    trace = evidence.trace if evidence.trace.steps else None
    return _problem(text, file=_shown(module, sources), line=line, trace=trace)


def _readable(error: Message) -> str:
    if _STACK_OVERFLOW.search(error.text):
        return "StackOverflowError: an operator or function calls itself without end, or too deep."
    return _WRAPPING.sub("", error.text).strip()


def _config_line(text: str, config: Path) -> int | None:
    if given := _CONFIG_LINE.search(text):
        return int(given[1])
    named = _CONFIG_NAME.search(text)
    return _line_of(rf"\b{named[1]}\b", config) if named else None


def _place(head: str, positions: str, trace: Trace, sources: Sources) -> tuple[str | None, int | None]:
    """Module and line of the fault (Rule 2)."""
    led = trace.steps[-1].location if trace.steps else ""
    nearest_first = [
        *_PLACE.findall(head),
        *reversed(_PLACE.findall(positions)),
        *_definitions(head, sources),
        *_PLACE.findall(led),
    ]
    users = ((module, int(line)) for line, module in nearest_first if module in sources.modules)
    return next(users, (None, None))


def _definitions(head: str, sources: Sources) -> Iterator[tuple[int, str]]:
    """Where what TLC failed to evaluate is defined."""
    if checked := _CHECKED.search(head):
        for module, path in sources.modules.items():
            if line := _line_of(rf"^\s*{checked[1]}\s*==", path):
                yield line, module


def _line_of(pattern: str, path: Path | None) -> int | None:
    """The number of the first line of a file that the pattern is found in."""
    if path is None:
        return None
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if re.search(pattern, line)), None)


def _shown(module: str | None, sources: Sources) -> str | None:
    return str(sources.modules[module]) if module and module in sources.modules else None


def _problem(text: str, *, file: str | None, line: int | None, trace: Trace | None = None) -> Problem:
    text = re.sub(r"\n\s*\n", "\n", text).strip()
    found = next((f.expand(advice) for pattern, advice in _ADVICE if (f := re.search(pattern, text))), None)
    advice = found or ("Correct it there." if file else "Correct the spec or its configuration.")
    return Problem(text=text, file=file, line=line, advice=advice, trace=trace)
