"""What a bench found, as tables and as the sentences it ends with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from tests.bench.growth import Size
from tests.bench.logs import LEAST, Followed
from tests.bench.parts import Part
from tests.bench.timing import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Everything that one run measured; ``busy`` is the load for each processor as it began."""

    instance: str
    busy: float
    ratios: Sequence[Ratio]
    check: Sequence[Part]
    export: Sequence[Part]
    growth: Sequence[Size]
    followed: Followed


def tables(bench: Bench) -> Iterator[Table]:
    """The ratios first."""
    yield _ratios(bench)
    yield _parts(f"Where a check of {bench.instance} spends its time", bench.check)
    yield _parts(f"Where an export of {bench.instance} spends its time", bench.export)
    yield _growth(bench.growth)


def verdict(bench: Bench) -> Iterator[str]:
    """One sentence for each ratio, and one for the logs."""
    for ratio in bench.ratios:
        aim = f", aim {ratio.aim:g}x" if ratio.aim else ""
        bound = f"at most {ratio.limit:g}x{aim}"
        by = abs(ratio.limit - ratio.elapsed)
        ends = f"met with {by:.2f}x to spare" if ratio.met else f"MISSED by {by:.2f}x"
        yield f"{ratio.name}: {ratio.elapsed:.2f}x of TLC's time ({bound}): {ends}"
    followed = bench.followed
    yield (
        f"validate: {followed.events:,} events of {followed.subjects:,} subjects, {followed.rate:,.0f} in a "
        f"second of processor time (at least {LEAST:,}): {'met' if followed.met else 'MISSED'}"
    )


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="right" if place else "left")
    return table


def _ratios(bench: Bench) -> Table:
    table = _table(
        f"{bench.instance}: seconds elapsed (processor seconds)", "", "specwalk", "TLC", "ratio", "limit"
    )
    for ratio in bench.ratios:
        table.add_row(
            ratio.name,
            f"{ratio.ours.elapsed:.2f} ({ratio.ours.processor:.2f})",
            f"{ratio.theirs.elapsed:.2f} ({ratio.theirs.processor:.2f})",
            f"{ratio.elapsed:.2f}x ({ratio.processor:.2f}x)",
            f"{ratio.limit:g}x",
        )
    return table


def _parts(title: str, parts: Sequence[Part]) -> Table:
    table = _table(title, "", "seconds", "processor seconds", "share")
    whole = sum(part.timing.elapsed for part in parts)
    for part in parts:
        timing = part.timing
        share = f"{timing.elapsed / whole:.0%}"
        table.add_row(part.name, f"{timing.elapsed:.2f}", f"{timing.processor:.2f}", share)
    return table


def _growth(sizes: Sequence[Size]) -> Table:
    table = _table("With the graph, walked in one process (µs are processor time)", "obligations")
    for size in sizes:
        table.add_column(str(size.obligations), justify="right")
    rows = {
        "states": [f"{size.states:,}" for size in sizes],
        "edges": [f"{size.edges:,}" for size in sizes],
        "refusals": [f"{size.refusals:,}" for size in sizes],
        "export, s": [f"{size.explored.elapsed:.2f}" for size in sizes],
        "export, µs per edge": [f"{size.explored.processor / size.edges * 1e6:,.0f}" for size in sizes],
        "walk, s": [f"{size.walked.elapsed:.2f}" for size in sizes],
        "walk, µs per edge with its refusals": [
            f"{size.walked.processor / size.edges * 1e6:,.0f}" for size in sizes
        ],
        "walk, steps per second": [f"{size.steps / size.walked.elapsed:,.0f}" for size in sizes],
        "graph, bytes per edge": [f"{size.bytes / size.edges:,.0f}" for size in sizes],
    }
    for name, cells in rows.items():
        table.add_row(name, *cells)
    return table
