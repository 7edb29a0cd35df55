"""`python -m tests.recovery`: the study on real worker processes, graded and counted."""

import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track
from rich.table import Table

from tests.recovery.campaign import grade, manifest, run
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.table import HEADINGS, by_policy

_SIGNS = {"completion": "C", "denial": "D", "unknown": "U"}


@click.command()
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the histories here.")
@click.option("--regrade", is_flag=True, help="Grade the histories that --keep holds; run nothing.")
@click.option("--extensions", is_flag=True, help="The extension schedules instead of the study's.")
def main(keep: Path | None, regrade: bool, extensions: bool) -> None:
    """Play every schedule with each provider contract and each recovery policy, and grade the histories."""
    if regrade and keep is None:
        raise click.UsageError("--regrade grades kept histories: say where they are, with --keep")
    cells = manifest(EXTENSIONS if extensions else SCHEDULES)
    with nullcontext(keep) if keep else tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        folder.mkdir(parents=True, exist_ok=True)
        if not regrade:
            _run(cells, folder)
        began = time.monotonic()
        verdicts = _graded(cells, folder)
    console = Console()
    console.print(_cells(verdicts), count_table(by_policy(verdicts)))
    console.print(
        f"{len(verdicts)} histories graded in {time.monotonic() - began:.1f} s. C completion, D denial, "
        "U unknown with the reservation held; otherwise what was reported, the number of effects, and the "
        "rules that are broken.",
    )


def _run(cells, folder):
    began = time.monotonic()
    for _ in track(run(cells, folder), "histories", total=len(cells), transient=True):
        pass
    click.echo(f"{len(cells)} histories played by killed processes in {time.monotonic() - began:.0f} s")


def _graded(cells, folder):
    try:
        return grade(cells, folder)
    except FileNotFoundError as missing:
        raise click.UsageError(f"{missing.filename} is missing: run without --regrade first") from missing


def _cells(verdicts):
    policies = list(dict.fromkeys(policy for _, _, policy in verdicts))
    table = Table("schedule", "", *policies)
    named = ""
    for schedule, contract in dict.fromkeys(cell[:2] for cell in verdicts):
        signs = [_sign(verdicts[schedule, contract, policy]) for policy in policies]
        table.add_row("" if schedule == named else schedule.replace("_", " "), contract, *signs)
        named = schedule
    return table


def _sign(verdict):
    if verdict.grade in _SIGNS:
        return _SIGNS[verdict.grade]
    rules = " ".join(sorted(verdict.rules, key=lambda rule: int(rule[1:])))
    return f"{verdict.report}; {verdict.effects}; {rules}"


def count_table(counts):
    """Lay counts out by policy."""
    table = Table("", *counts)
    for heading in HEADINGS:
        table.add_row(heading, *(str(row[heading]) for row in counts.values()))
    return table


if __name__ == "__main__":
    main()
