"""`python -m tests.teeth.spec_mutation`: change the specs in every small way, and see what notices.

Rule 1: what nothing notices stands in the table of survivors with the reason why it is equivalent,
        that is, why no check could tell it from the spec. A survivor that is not there fails the run,
        and so does a row that is no survivor any more.
Rule 2: what only the pinned counts notice is listed: no claim and no walk speaks of it.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

import click

from specwalk.config import read_config
from specwalk.errors import BadInput, SpecwalkError
from tests.teeth.spec_checks import SPECS
from tests.teeth.spec_judge import SUBJECTS, Caught, Judged, Subject, catch, judge
from tests.teeth.spec_mutants import mutants
from tests.teeth.survivors import problems, read_survivors

SURVIVORS = Path(__file__).with_name("spec_survivors.toml")


@click.command()
@click.option("--only", default="", help="Judge the mutants alone whose names contain this.")
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1), help="Mutants at a time.")
def main(only: str, workers: int) -> None:
    """Judge every mutant of every spec."""
    listed = {name: reason for name, reason in read_survivors(SURVIVORS).items() if only in name}
    try:
        judged = [found for subject in SUBJECTS for found in _judge_all(subject, only, workers)]
    except SpecwalkError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
    for line in summary(judged):
        click.echo(line)
    survivors = {found.mutant.name for found in judged if found.caught is Caught.SURVIVED}
    failures = problems(survivors, listed, SURVIVORS.name)
    for failure in failures:
        click.echo(f"FAILED: {failure}", err=True)
    sys.exit(bool(failures))


def summary(judged: Sequence[Judged]) -> Iterator[str]:
    """The score, how many were caught by what, and those that only a pinned count caught."""
    counts = Counter(found.caught for found in judged)
    valid = len(judged) - counts[Caught.INVALID]
    caught = valid - counts[Caught.SURVIVED]
    yield f"Mutants: {len(judged)}, of which TLC takes {valid}."
    yield f"Caught by a claim {counts[Caught.CLAIM]}, by the walk {counts[Caught.WALK]},"
    yield f"by pinned counts alone {counts[Caught.PIN]}; survivors {counts[Caught.SURVIVED]}."
    yield f"Mutation score: {caught}/{valid} = {caught / valid:.1%}." if valid else "No mutant to judge."
    for found in judged:
        if found.caught is Caught.PIN:
            yield f"by pinned counts alone: {found.mutant.name} ({found.where})"


def _judge_all(subject: Subject, only: str, workers: int) -> list[Judged]:
    made = mutants(SPECS / f"{subject.spec}.tla", read_config(SPECS / f"{subject.configs[0]}.cfg"))
    wanted = [mutant for mutant in made if only in mutant.name]
    if not wanted:
        return []
    click.echo(f"Mutants of {subject.spec}: {len(wanted)}. First the checks on the spec as it is.")
    caught, where = catch(subject, SPECS)
    if caught is not Caught.SURVIVED:
        raise BadInput(f"Mend the project first: {subject.spec} fails its checks as it is, at {where}.")
    judged: list[Judged] = []
    with ThreadPoolExecutor(workers) as pool:
        running = [pool.submit(partial(judge, subject), mutant) for mutant in wanted]
        try:
            for done in as_completed(running):
                found = done.result()
                judged.append(found)
                click.echo(f"[{len(judged)}/{len(wanted)}] {found.mutant.name}")
                click.echo(f"    {found.caught.value}: {found.where}")
        finally:
            pool.shutdown(cancel_futures=True)
    return judged


if __name__ == "__main__":
    main()
