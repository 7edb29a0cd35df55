"""`python -m tests.teeth`: plant every fault, print what catches each, and fail if something does not."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console

from specwalk.errors import BadInput, SpecwalkError
from tests.sharing import PROCESSES
from tests.teeth.checks import implementation_suite
from tests.teeth.fault import copy_project
from tests.teeth.report import table, told
from tests.teeth.spec_checks import INSTANCES, spec_suite
from tests.teeth.suite import Outcome, Suite, plant_all, problems, without_proof


def _of_spec(name: str, _scratch: Path) -> Suite:
    return spec_suite(name)


TABLE_WIDTH = 132

#: Makes a suite, with a folder for what it needs meanwhile.
SUITES: Mapping[str, Callable[[Path], Suite]] = {
    "impl": implementation_suite,
    **{name: partial(_of_spec, name) for name in INSTANCES},
}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(SUITES)))
@click.option("--only", multiple=True, help="Plant this fault alone, by its file's name; may be repeated.")
@click.option(
    "--workers", default=PROCESSES, show_default=True, type=click.IntRange(1), help="Faults at a time."
)
def main(names: tuple[str, ...], only: tuple[str, ...], workers: int) -> None:
    """Plant the faults of the suites NAMES, or of all."""
    found: list[str] = []
    try:
        for name in names or SUITES:
            with TemporaryDirectory(prefix="teeth-") as scratch, TemporaryDirectory() as original:
                copy_project(Path(original))
                found += _run(SUITES[name](Path(scratch)), Path(original), only, workers)
    except SpecwalkError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
    for problem in found:
        click.echo(f"FAILED: {problem}", err=True)
    sys.exit(bool(found))


def _run(suite: Suite, original: Path, only: tuple[str, ...], workers: int) -> list[str]:
    faults = [fault for fault in suite.faults() if not only or fault.name in only]
    click.echo(f"Faults of the {suite.name}: {len(faults)}. First the checks on an unchanged copy.")
    if caught := suite.complaints(original):
        raise BadInput(f"Mend the project first: without any fault its own checks fail: {caught}.")
    outcomes: list[Outcome] = []
    for outcome in plant_all(suite, faults, original, workers):
        outcomes.append(outcome)
        click.echo(f"[{len(outcomes)}/{len(faults)}] {told(outcome)}")
    Console(width=TABLE_WIDTH).print(table(suite, outcomes))
    return problems(outcomes) + ([] if only else without_proof(suite, outcomes))


if __name__ == "__main__":
    main()
