"""`python -m tests.bench`: measure, print tables, and fail where a ratio is missed."""

import json
import sys
from dataclasses import asdict
from typing import TextIO

import click
from rich.console import Console

from specwalk.errors import SpecwalkError
from specwalk.graph import explore
from specwalk.project import load_binding
from tests.bench.commands import compare
from tests.bench.growth import sizes
from tests.bench.logs import follow
from tests.bench.parts import parts_of_check, parts_of_export
from tests.bench.tables import Bench, tables, verdict
from tests.bench.timing import Timing, busy

MODEL, INSTANCE = "custody", "published"
LOGGED = "durable"
#: Above this load for each processor other work takes part in the figures.
QUIET = 0.25


@click.command()
@click.option("--repeats", default=3, show_default=True, type=click.IntRange(1), help="Runs of each command.")
@click.option("--json", "json_file", type=click.File("w"), help="Write the figures as JSON, to compare.")
def main(repeats: int, json_file: TextIO | None) -> None:
    """Compare check and export with plain TLC, see where their time goes, and how it grows."""
    try:
        bench = _measure(repeats)
    except SpecwalkError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
    if json_file:
        json.dump(asdict(bench), json_file, indent=1)
    console = Console()
    for table in tables(bench):
        console.print(table)
    for sentence in (*verdict(bench), *_caution(bench.busy)):
        click.echo(sentence)
    sys.exit(not (bench.followed.met and all(ratio.met for ratio in bench.ratios)))


def _measure(repeats: int) -> Bench:
    load = busy()
    for sentence in _caution(load):
        click.echo(sentence, err=True)
    binding = load_binding(MODEL)
    config = binding.instance(INSTANCE).config
    ratios = compare(binding, INSTANCE, repeats, _tell)
    click.echo("parts and growth", err=True)
    graph = explore(binding.spec, config)
    return Bench(
        instance=INSTANCE,
        busy=load,
        ratios=ratios,
        check=list(parts_of_check(binding, config, graph)),
        export=list(parts_of_export(binding.spec, config)),
        growth=list(sizes(binding, config)),
        followed=follow(load_binding(LOGGED)),
    )


def _tell(name: str, timing: Timing) -> None:
    click.echo(f"{name}: {timing.elapsed:.2f} s ({timing.processor:.2f} of processors)", err=True)


def _caution(load: float) -> list[str]:
    if load <= QUIET:
        return []
    return [
        f"Caution: as this began, {load:.1f} processes for each processor ran already. They slow both sides "
        "of a ratio, not alike; repeat in quiet, or go by the processor times."
    ]


if __name__ == "__main__":
    main()
