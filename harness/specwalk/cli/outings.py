"""How walks from the start are reported: findings in full, a table, what was left, and a conclusion."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from specwalk.errors import ExitCode
from specwalk.outing import Outing

__all__ = ["as_json", "exit_code", "print_outings"]


def exit_code(outings: Sequence[Outing]) -> ExitCode:
    """Whether everything was done, and as the spec says."""
    if any(outing.journal.findings for outing in outings):
        return ExitCode.DIVERGENCE
    return ExitCode.OK if all(outing.complete for outing in outings) else ExitCode.NOT_REACHED


def print_outings(outings: Sequence[Outing], console: Console) -> None:
    """Report some instances' walks to people."""
    for outing in outings:
        for finding in outing.journal.findings.values():
            _print(console, f"\n{finding}")
    console.print(_table(outings))
    for outing in outings:
        for remark in outing.remarks:
            _print(console, f"{outing.ground.instance.name}: {remark}")
    _print(console, _conclusion(outings))


def _print(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _table(outings: Sequence[Outing]) -> Table:
    binding = outings[0].ground.binding
    table = Table(title=f"{binding.spec.name} and {binding.file.parent.name}/{binding.file.name}")
    table.add_column("")
    for outing in outings:
        table.add_column(outing.ground.instance.name, justify="right")
    columns = [_figures(outing) for outing in outings]
    for title in dict.fromkeys(title for column in columns for title in column):
        table.add_row(title, *(column.get(title, "-") for column in columns))
    return table


def _figures(outing: Outing) -> Mapping[str, str]:
    journal = outing.journal
    return {
        **{title: f"{figure:,}" for title, figure in outing.plan.items()},
        "walks": f"{journal.walks:,}",
        "steps": f"{journal.steps:,}",
        "transitions taken": f"{len(journal.taken):,}/{len(outing.ground.graph):,}",
        "went on elsewhere": f"{journal.replans:,}",
        "divergences": f"{journal.findings.divergences:,}",
    }


def _conclusion(outings: Sequence[Outing]) -> str:
    code = exit_code(outings)
    steps = sum(outing.journal.steps for outing in outings)
    found = sum(len(outing.journal.findings) for outing in outings)
    if code is ExitCode.OK:
        return f"OK: {steps:,} steps from the start agree with the spec; what it forbids was not tried."
    told = f"findings printed above: {found}" if found else "not everything was reached, see above"
    return f"{told}; exit code {code.value} ({code.name.lower()})."


def as_json(outings: Sequence[Outing]) -> Mapping[str, Any]:
    """Some instances' walks for machines."""
    return {"exit_code": exit_code(outings).value, "instances": [_as_json(outing) for outing in outings]}


def _as_json(outing: Outing) -> Mapping[str, Any]:
    journal = outing.journal
    return {
        "name": outing.ground.instance.name,
        "plan": dict(outing.plan),
        "walks": journal.walks,
        "steps": journal.steps,
        "transitions": len(outing.ground.graph),
        "transitions_taken": len(journal.taken),
        "went_on_elsewhere": journal.replans,
        "divergences": journal.findings.divergences,
        "complete": outing.complete,
        "remarks": list(outing.remarks),
        "findings": list(map(str, journal.findings.values())),
    }
