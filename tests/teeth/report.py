"""What a run of teeth prints: a line per fault as it comes, and the table at the end."""

from collections.abc import Sequence

from rich.table import Table

from tests.teeth.suite import Outcome, Suite, sole_catches


def told(outcome: Outcome) -> str:
    """Say in a line or more what caught a fault, and where."""
    if not outcome.caught:
        return f"{outcome.fault.name}: NOT CAUGHT"
    lines = (f"\n    {kind}: {where}" for kind, where in outcome.caught.items())
    return outcome.fault.name + "".join(lines)


def table(suite: Suite, outcomes: Sequence[Outcome]) -> Table:
    """Show fault by fault which kinds of checks caught it, and at the foot how many each caught alone."""
    alone = sole_catches(outcomes)
    caught = [kind for outcome in outcomes for kind in outcome.caught]
    caption = "x caught, only: by it alone, -: not asked any more, for two kinds had caught it"
    shown = Table(title=f"Faults of the {suite.name}", caption=caption, show_footer=True)
    shown.add_column("fault", footer="caught\nby it alone", no_wrap=True)
    shown.add_column("rule", footer=str(len(outcomes)))
    for kind in suite.kinds:
        footer = f"{caught.count(kind)}\n{len(alone.get(kind, ()))}"
        shown.add_column(kind, footer=footer, justify="center")
    for outcome in sorted(outcomes, key=lambda outcome: outcome.fault.name):
        shown.add_row(outcome.fault.name, outcome.fault.rule, *(_mark(outcome, kind) for kind in suite.kinds))
    return shown


def _mark(outcome: Outcome, kind: str) -> str:
    if kind not in outcome.caught:
        return "-" if kind in outcome.unasked else ""
    return "only" if len(outcome.caught) == 1 else "x"
