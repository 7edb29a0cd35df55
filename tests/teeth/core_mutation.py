"""`python -m tests.teeth.core_mutation`: mutmut changes the core in every small way; unit tests notice.

Rule 1: a mutant that no test notices stands in the table of survivors with the reason why nothing
        could tell it from the code. A survivor that is not there fails the run, and so does a row that
        is no survivor any more.
Rule 2: a mutant is named by its function and by the lines that it changes, which stays as it is when
        other mutants come and go.
Rule 3: mutmut runs in a copy of the project, where `impl` is called `src`: it knows that name alone.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from specwalk.errors import EnvironmentProblem, SpecwalkError
from tests.teeth.fault import copy_project
from tests.teeth.survivors import problems, read_survivors

SURVIVORS = Path(__file__).with_name("core_survivors.toml")

#: What the exit codes of the tests say. (mutmut takes a run that breaks, 255, for a timeout.)
_ENDS = {1: "killed", -24: "out of time", 0: "survived", 33: "without a test"}
_CAUGHT = ("killed", "out of time")

_TELL_EVERY = 50


@click.command()
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1), help="Mutants at a time.")
def main(workers: int) -> None:
    """Judge every mutant of the core."""
    with TemporaryDirectory(prefix="teeth-") as folder:
        try:
            statuses, survivors = judge(Path(folder), workers)
        except SpecwalkError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(error.exit_code)
    caught = sum(statuses[status] for status in _CAUGHT)
    told = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    click.echo(
        f"Mutation score of the core: {caught}/{statuses.total()} = {caught / statuses.total():.1%} ({told})"
    )
    failures = problems(survivors, read_survivors(SURVIVORS), SURVIVORS.name)
    for failure in failures:
        click.echo(f"FAILED: {failure}", err=True)
    sys.exit(bool(failures))


def judge(copy: Path, workers: int) -> tuple[Counter[str], set[str]]:
    """Run mutmut in a copy: how many mutants came to which end, and the names of the survivors."""
    copy_project(copy)
    (copy / "impl").rename(copy / "src")
    _run_mutmut(copy, workers)
    ends = {mutant: _end(code) for mutant, code in _exit_codes(copy)}
    survivors = [mutant for mutant, end in ends.items() if end not in _CAUGHT]
    shown = {mutant: _mutmut(copy, "show", mutant) for mutant in survivors}
    return Counter(ends.values()), {changed_lines(mutant, diff) for mutant, diff in shown.items()}


def _exit_codes(copy: Path) -> Iterator[tuple[str, int | None]]:
    """Each mutant with the exit code of its tests, as mutmut keeps them beside its modules."""
    for file in sorted((copy / "mutants").rglob("*.meta")):
        yield from json.loads(file.read_text())["exit_code_by_key"].items()


def _end(code: int | None) -> str:
    """What an exit code means. Raises EnvironmentProblem for tests that did not come to their end."""
    if code not in _ENDS:
        raise EnvironmentProblem(f"mutmut's tests broke with exit code {code}: run it again, in quiet")
    return _ENDS[code]


def changed_lines(mutant: str, shown: str) -> str:
    """The lasting name of a mutant: its function, the lines that it takes away, and those it puts there."""
    function = (
        re.sub(r"^abhyasa\.core\.|\bx_(?=\w)|__mutmut_\d+$", "", mutant).replace("xǁ", "").replace("ǁ", ".")
    )
    old, new = (" ".join(_lines(shown, sign)) for sign in "-+")
    return f"{function}: {old} -> {new}"


def _lines(shown: str, sign: str) -> Iterator[str]:
    return (line[1:].strip() for line in shown.splitlines() if line.startswith(sign) and line[:3] != sign * 3)


def _run_mutmut(copy: Path, workers: int) -> None:
    """Let mutmut make and test its mutants, and tell now and then how far it is."""
    command = [*_MUTMUT, "run", "--max-children", str(workers)]
    told = 0
    output = []
    with subprocess.Popen(
        command, cwd=copy, env=_environment(copy), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:  # universal newlines: each picture of its progress is a line
            output.append(line)
            done = re.search(r"(\d+)/(\d+)", line)
            if done and int(done[1]) >= told + _TELL_EVERY:
                told = int(done[1])
                click.echo(f"[{done[0]}]")
    if process.returncode:
        raise EnvironmentProblem(f"mutmut failed; the end of what it said:\n{''.join(output[-40:])}")


def _mutmut(copy: Path, *arguments: str) -> str:
    ended = subprocess.run(
        [*_MUTMUT, *arguments], cwd=copy, env=_environment(copy), capture_output=True, text=True, check=True
    )
    return ended.stdout


_MUTMUT = (sys.executable, "-m", "mutmut")


def _environment(copy: Path) -> dict[str, str]:
    # Tracebacks show the names that mutmut gives to methods, which no narrower encoding can write.
    return {**os.environ, "PYTHONPATH": str(copy / "harness"), "PYTHONUTF8": "1"}


if __name__ == "__main__":
    main()
