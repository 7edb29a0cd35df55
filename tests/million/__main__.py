"""`python -m tests.million`: random transfers in great numbers, audited; a failure made small to repeat."""

import os
import sys
import time
from collections import Counter
from secrets import randbits

import click

from tests.million.batch import Failure, run_batch
from tests.million.campaign import run
from tests.million.plan import TRANSFERS, draw
from tests.million.shrink import smallest

_PROGRESS_SECONDS = 10


@click.command()
@click.option("--transfers", default=1_000_000, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--seed", envvar="SEED", type=int, help="What all is drawn from. Default: $SEED, or a new one.")
@click.option("--workers", type=click.IntRange(1), help="Processes at a time. Default: one for each core.")
@click.option("--batch", type=click.IntRange(0), help="Run this batch of the seed alone.")
@click.option("--only", help="Of that batch, these parts alone, as a failure names them: t3,t17,c1.")
def main(transfers: int, seed: int | None, workers: int | None, batch: int | None, only: str | None) -> None:
    """Run random transfers under a simulated clock, on bad channels, with crashes, and audit them all."""
    seed = randbits(32) if seed is None else seed
    if only is not None and batch is None:
        raise click.UsageError("--only picks parts of one batch: say which, with --batch")
    if batch is None:
        outcome = _campaign(seed, transfers, workers or os.cpu_count() or 1)
    else:
        outcome = run_batch(seed, batch, only if only is None else _parts(seed, batch, only))
        click.echo(outcome.story if isinstance(outcome, Failure) else _table(outcome))
    sys.exit(isinstance(outcome, Failure))


def _campaign(seed: int, transfers: int, workers: int) -> Counter | Failure:
    batches = -(-transfers // TRANSFERS)
    click.echo(
        f"{batches * TRANSFERS:,} transfers in {batches:,} batches on {workers} processes; seed {seed}"
    )
    began = time.monotonic()
    outcome = run(seed, batches, workers, _Progress(batches * TRANSFERS))
    if isinstance(outcome, Failure):
        _tell(seed, outcome)
        return outcome
    seconds = time.monotonic() - began
    click.echo(_table(outcome))
    click.echo("0 silent losses, 0 double applications, no fail-safe but when it was due or at the return")
    click.echo(f"{seconds:.0f} s, {outcome['transfers'] / seconds:,.0f} transfers a second; seed {seed}")
    return outcome


class _Progress:
    """A line now and then: how far the run is."""

    def __init__(self, transfers: int) -> None:
        self._transfers = transfers
        self._began = self._told = time.monotonic()

    def __call__(self, counts: Counter) -> None:
        now = time.monotonic()
        if now - self._told >= _PROGRESS_SECONDS:
            self._told = now
            done = counts["transfers"]
            rate = done / (now - self._began)
            click.echo(f"  {done:,} of {self._transfers:,} transfers, {rate:,.0f} a second")


def _table(counts: Counter) -> str:
    return "\n".join(f"  {number:>12,}  {what}" for what, number in counts.items())


def _tell(seed: int, failure: Failure) -> None:
    """Print a failure, and the commands that repeat it: the whole batch, and the least that still fails."""
    command = f"python -m tests.million --seed {seed} --batch {failure.batch}"
    click.echo(f"FAILED: {failure.story}\nThe whole batch again:\n  {command}\nMaking it small ...", err=True)

    def fails(parts):
        outcome = run_batch(seed, failure.batch, parts)
        return isinstance(outcome, Failure) and outcome.rule == failure.rule

    parts = smallest([part.name for part in draw(seed, failure.batch).parts], fails)
    click.echo(f"The least that still fails:\n  {command} --only {','.join(parts)}", err=True)
    click.echo(run_batch(seed, failure.batch, parts).story, err=True)


def _parts(seed: int, batch: int, only: str) -> list[str]:
    known, asked = {part.name for part in draw(seed, batch).parts}, only.split(",")
    if unknown := sorted(set(asked) - known):
        raise click.BadParameter(f"batch {batch} has no {', '.join(unknown)}", param_hint="--only")
    return asked


if __name__ == "__main__":
    main()
