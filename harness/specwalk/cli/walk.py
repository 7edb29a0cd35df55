"""`specwalk walk`: walk the implementation without checking the spec."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TextIO

import click

from specwalk.check import Settings
from specwalk.cli import options
from specwalk.cli.check import check_and_report
from specwalk.cli.outings import as_json, exit_code, print_outings
from specwalk.cli.outputs import console_beside, errors_as_json, prints_apart, write_json
from specwalk.errors import BadInput, ExitCode
from specwalk.ground import Ground, survey
from specwalk.itf import read_trace
from specwalk.outing import Outing, Randomly, go_along, go_randomly, go_to, go_touring
from specwalk.progress import Bar, Progress
from specwalk.project import load_binding

__all__ = ["walk"]

Go = Callable[[Ground, Progress], Outing]


@click.command(epilog=options.EPILOG)
@click.argument("model")
@click.option("--tours", is_flag=True, help="Take every transition in the fewest steps from the start.")
@click.option(
    "--random",
    "walks",
    type=click.IntRange(min=1),
    metavar="N",
    help="Take N random walks; with --seed, --length, --rest.",
)
@click.option("--seed", type=int, show_default="0", help="Of the random walks.")
@click.option("--length", type=click.IntRange(min=1), show_default="100", help="Steps of a random walk.")
@click.option("--rest", is_flag=True, help="After random walks take what they left out.")
@click.option(
    "--to",
    "goal",
    metavar="GOAL",
    help="Take a shortest walk to an action, Lose or 'Lose(o1)', or to a state in which a Python expression "
    "over the spec's variables is true: 'state[o1] == \"escalated\"'.",
)
@click.option(
    "--trace",
    "traces",
    type=options.FILE,
    multiple=True,
    help="Take the steps of a recorded behaviour in Informal Trace Format (.itf.json); may be repeated.",
)
@options.instances
@options.workers
@options.timeout
@options.json_verdict
def walk(
    model: str,
    tours: bool,
    walks: int | None,
    seed: int | None,
    length: int | None,
    rest: bool,
    goal: str | None,
    traces: tuple[Path, ...],
    names: tuple[str, ...],
    workers: int,
    timeout: float | None,
    json_file: TextIO | None,
) -> ExitCode:
    """Walk the implementation only: no properties are checked and no counts are compared.

    MODEL is a name, a path or a dotted module name, as for `check`. Without --tours, --random, --to or
    --trace every transition is taken once from a snapshot, and everything that the spec forbids is attempted.
    """
    ways: list[Go] = []
    if tours:
        ways.append(lambda ground, progress: go_touring(ground, progress, workers))
    if walks is not None:
        how = Randomly(walks=walks, length=length or 100, seed=seed or 0, rest=rest)
        ways.append(lambda ground, progress: go_randomly(ground, progress, how))
    if goal is not None:
        ways.append(lambda ground, progress: go_to(ground, progress, goal))
    if traces:
        texts = {str(file): file.read_text(encoding="utf-8-sig", errors="replace") for file in traces}
        recorded = {} if names else {file: _config(file, text) for file, text in texts.items()}
        names = names or _instances(model, recorded.values())
        ways.append(lambda ground, progress: go_along(ground, progress, _at(ground, texts, recorded)))
    if walks is None and (seed, length, rest) != (None, None, False):
        raise BadInput("--seed, --length and --rest are for random walks: give --random N too.")
    if len(ways) > 1:
        raise BadInput("Give one of --tours, --random, --to and --trace at a time.")
    if ways:
        return _go(model, names, ways[0], timeout, json_file)
    settings = Settings(verify=False, workers=workers, timeout=timeout)
    return check_and_report(model, names, settings, json_file)


def _config(file: str, text: str) -> str | None:
    """The configuration that a trace says it was made at."""
    try:
        return read_trace(text).about.get("config")
    except BadInput as problem:
        raise BadInput(f"{file}: {problem}") from problem


def _instances(model: str, configs: Collection[str | None]) -> tuple[str, ...]:
    """The instances at which some traces were made; none, which means all, where one does not say."""
    by_config = {instance.config.name: instance.name for instance in load_binding(model).instances}
    return tuple({by_config[c]: None for c in configs if c}) if by_config.keys() >= set(configs) else ()


def _at(ground: Ground, texts: Mapping[str, str], recorded: Mapping[str, str | None]) -> dict[str, str]:
    """The traces that were not made at another configuration."""
    here = ground.instance.config.name
    return {file: text for file, text in texts.items() if recorded.get(file) in (None, here)}


def _go(
    model: str, names: Sequence[str], go: Go, timeout: float | None, json_file: TextIO | None
) -> ExitCode:
    console = console_beside(json_file)
    with errors_as_json(json_file), prints_apart(json_file):
        binding = load_binding(model)
        instances = options.chosen(binding, names)
        with Bar(console) as bar:
            outings = [go(survey(binding, instance, timeout, bar), bar) for instance in instances]
    print_outings(outings, console)
    if json_file:
        write_json(json_file, as_json(outings))
    return exit_code(outings)
