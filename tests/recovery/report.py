"""Verdicts as people read them: all cells, the counts of each host, and where hosts differ."""

from rich.table import Table

from tests.recovery.table import HEADINGS, by_policy

_SIGNS = {"completion": "C", "denial": "D", "unknown": "U"}
_LEGEND = (
    "P1 deduplicates by keys and can be asked, P2 can be asked, P3 cannot. "
    "C completion, D denial, U unknown with the reservation held; otherwise what was reported, the number of "
    "effects, and the rules that are broken: R4 authority at a repetition, R5 its freshness, R7 the number "
    "of effects, R9 uncertainty that is retained. What breaks a rule is counted under none of C, D and U."
)


def show(verdicts, console):
    """Print the verdicts of hosts; return whether they agree in every cell."""
    first, *others = verdicts
    console.print(_cells(verdicts[first]), _LEGEND)
    for host, found in verdicts.items():
        console.print(count_table(by_policy(found), host))
    return not [cell for other in others for cell in _apart(verdicts, first, other, console)]


def count_table(counts, host):
    """Lay a host's counts out by policy."""
    table = Table(host, *counts)
    for heading in HEADINGS:
        table.add_row(heading, *(str(row[heading]) for row in counts.values()))
    return table


def _apart(verdicts, one, other, console):
    """Print, and return, the cells in which two hosts differ."""
    paired = {cell: (verdict, verdicts[other][cell]) for cell, verdict in verdicts[one].items()}
    apart = [cell for cell, (mine, yours) in paired.items() if mine != yours]
    console.print(f"{one} and {other}: {len(paired) - len(apart)} of {len(paired)} paired cells agree")
    for cell in apart:
        mine, yours = map(_sign, paired[cell])
        console.print(f"{' '.join(cell)}: {mine} on {one}, {yours} on {other}")
    return apart


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
