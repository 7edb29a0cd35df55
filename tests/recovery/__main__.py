"""`python -m tests.recovery`: the study on its hosts, graded, counted and compared."""

import signal
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from tests.recovery import kept
from tests.recovery.campaign import grade, manifest, run
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.hosts import HOSTS, NATIVE, NotInstalledError, versions
from tests.recovery.report import show


@click.command()
@click.option("--host", "hosts", type=click.Choice(HOSTS), multiple=True, help="The study's two, by default.")
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Keep the histories here.")
@click.option("--regrade", is_flag=True, help="Grade the histories that --keep holds; run nothing.")
@click.option("--extensions", is_flag=True, help="The extension schedules, by processes without a host.")
def main(hosts: tuple[str, ...], keep: Path | None, regrade: bool, extensions: bool) -> None:
    """Play every schedule with each provider contract and each recovery policy, and grade the histories.

    Exits with 1 if a cell comes to something else on one host than on another, with 2 if a history is
    missing or damaged.
    """
    if regrade and keep is None:
        raise click.UsageError("--regrade grades kept histories: say where they are, with --keep")
    if extensions and hosts:
        raise click.UsageError("--extensions has histories that no host has: leave --host out")
    hosts = ("process",) if extensions else hosts or NATIVE
    cells = {host: manifest(host, EXTENSIONS if extensions else SCHEDULES) for host in hosts}
    everything = [cell for mine in cells.values() for cell in mine]
    with nullcontext(keep) if keep else tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        if not regrade:
            folder.mkdir(parents=True, exist_ok=True)
            kept.clear(everything, folder)
            for host, mine in cells.items():
                _play(host, mine, folder)
            if keep:
                click.echo(f"{len(everything)} raw histories are kept in {keep}.")
        elif gone := kept.missing(everything, folder):
            others = f", and {len(gone) - 1} others are" if gone[1:] else " is"
            raise click.UsageError(f"{folder / gone[0]}{others} missing: run without --regrade first")
        began = time.monotonic()
        verdicts = _graded(cells, folder)
    graded = sum(map(len, verdicts.values()))
    click.echo(f"{graded} histories graded in {time.monotonic() - began:.1f} s")
    agree = show(verdicts, Console())
    raise SystemExit(not agree)


def _play(host, cells, folder):
    began, spent = time.monotonic(), Counter()
    try:
        for _, seconds in track(run(host, cells, folder), host, total=len(cells), transient=True):
            spent.update(seconds)
    except NotInstalledError as error:
        raise click.ClickException(str(error)) from error
    whole = time.monotonic() - began
    each = ", ".join(f"{what} {seconds / len(cells):.2f}" for what, seconds in spent.most_common())
    made_with = ", ".join(f"{name} {version}" for name, version in versions(host).items())
    click.echo(f"{host}: {len(cells)} histories played in {whole:.0f} s, with {made_with}.")
    click.echo(f"Seconds in each: {each}.")


def _graded(cells, folder):
    verdicts, damaged = {}, []
    for host, mine in cells.items():
        try:
            verdicts[host] = grade(mine, folder)
        except kept.DamagedError as error:
            damaged.append(str(error))
    if damaged:
        raise click.UsageError("\n".join(["these histories are damaged:", *damaged]))
    return verdicts


if __name__ == "__main__":
    # To be ended by SIGTERM is to be interrupted: workers and servers are ended in order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
