"""What a check found: for people as a table and findings in full, for machines as JSON."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from specwalk.check import CheckedInstance, exit_code
from specwalk.errors import ExitCode
from specwalk.graph import StateGraph
from specwalk.project import Binding
from specwalk.tally import Tally
from specwalk.tlc import Verdict, Violation
from specwalk.values import Value, show

__all__ = ["as_json", "print_report"]

Cell = Callable[[CheckedInstance], str | None]


def print_report(
    binding: Binding, checked: Sequence[CheckedInstance], console: Console, skeleton: str | None = None
) -> None:
    """Print the verdict: every finding in full, then the table, then what was left unexercised.

    ``skeleton`` says where to find what the model lacks.
    """
    for finding in findings(checked):
        console.print(f"\n{finding}", markup=False, highlight=False, soft_wrap=True)
    console.print(_table(binding, checked))
    for line in _unexercised(binding, checked):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if skeleton:
        console.print(skeleton, markup=False, highlight=False, soft_wrap=True)
    console.print(_conclusion(checked), markup=False, highlight=False, soft_wrap=True)


def findings(checked: Sequence[CheckedInstance]) -> list[str]:
    """Every finding of every instance, in full; a gap of the model's is one finding for all of them."""
    gaps: dict[str, list[str]] = {}
    for instance in checked:
        for problem in instance.gaps.problems if instance.gaps else ():
            gaps.setdefault(problem, []).append(instance.instance.name)
    return [
        *(f"{', '.join(names)}: {problem}" for problem, names in gaps.items()),
        *(text for instance in checked for text in _findings(instance)),
    ]


def _findings(checked: CheckedInstance) -> list[str]:
    """What was found in one instance besides gaps."""
    name = checked.instance.name
    found = []
    if checked.result is not None:
        found += [f"{name}: {problem}" for problem in checked.result.problems]
        if violation := checked.result.violation:
            found.append(f"{name}: TLC: {_violated(violation)}:\n{violation.trace}")
    if checked.drift:
        found.append(f"{name}: {checked.drift}")
    if checked.failure:
        found.append(f"{name}: {checked.failure}")
    if checked.tally is not None:
        found += map(str, checked.tally.findings.values())
    return found


def _table(binding: Binding, checked: Sequence[CheckedInstance]) -> Table:
    table = Table(title=f"{binding.spec.name} and {binding.file.parent.name}/{binding.file.name}")
    table.add_column("")
    for instance in checked:
        table.add_column(instance.instance.name, justify="right")
    for title, cell in ROWS:
        cells = [cell(instance) for instance in checked]
        if any(cell is not None for cell in cells):
            table.add_row(title, *(cell or "-" for cell in cells))
    table.add_section()
    taken = [instance.graph.leaf_counts() if instance.graph else Counter[str]() for instance in checked]
    for action in dict.fromkeys(str(a) for i in checked if i.graph for a in i.graph.actions):
        table.add_row(action, *(f"{counts[action]:,}" for counts in taken))
    return table


def _verdict(checked: CheckedInstance) -> str | None:
    result = checked.result
    if result is None:
        return None
    if result.violation:
        return _violated(result.violation)
    return "no error" if result.verdict is Verdict.OK else result.verdict.value


def _violated(violation: Violation) -> str:
    return " ".join(filter(None, (violation.kind, violation.name, "violated")))


def _count(attribute: str) -> Cell:
    def cell(checked: CheckedInstance) -> str | None:
        return f"{getattr(checked.result.counts, attribute):,}" if checked.result else None

    return cell


def _claims(kind: str) -> Cell:
    def cell(checked: CheckedInstance) -> str | None:
        return f"{len(getattr(checked.config, kind)):,}" if checked.config and _all_hold(checked) else None

    return cell


def _all_hold(checked: CheckedInstance) -> bool:
    """Whether TLC came to its end, and so has checked all claims: it stops at the first that is violated."""
    return checked.result is not None and checked.result.verdict is Verdict.OK


def _depth(checked: CheckedInstance) -> str | None:
    return f"{checked.depth:,}" if checked.depth else None


def _pinned(checked: CheckedInstance) -> str | None:
    if checked.result is None or checked.result.verdict is not Verdict.OK or checked.graph is None:
        return None
    if checked.pin is None:
        return "none yet"
    return "drifted" if checked.drift else "hold"


def _moving(graph: StateGraph) -> int:
    """Transitions that are not stutters."""
    return sum(source != target for source, target in zip(graph.source, graph.target, strict=True))


def _besides_stutters(checked: CheckedInstance) -> str | None:
    return f"{_moving(checked.graph):,}" if checked.graph else None


def _up_to_symmetry(checked: CheckedInstance) -> str | None:
    orbits = checked.up_to_symmetry
    return f"{orbits.states:,}" if orbits else None


def _walked(checked: CheckedInstance) -> str | None:
    if checked.graph is None or checked.tally is None:
        return None
    return f"{checked.tally.edges:,}/{len(checked.graph):,}"


def _arithmetic(checked: CheckedInstance) -> str | None:
    if checked.graph is None or checked.tally is None:
        return None
    tally = checked.tally
    return f"{tally.states:,} x {len(checked.graph.alphabet)} - {tally.enabled:,}"


def _tally(attribute: str) -> Cell:
    def cell(checked: CheckedInstance) -> str | None:
        return f"{getattr(checked.tally, attribute):,}" if checked.tally else None

    return cell


ROWS: Sequence[tuple[str, Cell]] = (
    ("TLC", _verdict),
    ("invariants checked", _claims("invariants")),
    ("properties checked", _claims("properties")),
    ("distinct states", _count("distinct")),
    ("states generated", _count("generated")),
    ("depth", _depth),
    ("pinned counts", _pinned),
    ("transitions, no stutters", _besides_stutters),
    ("states up to symmetry", _up_to_symmetry),
    ("transitions walked", _walked),
    ("hidden state compared", _tally("hidden_compared")),
    ("states x instances", _arithmetic),
    ("= refusals tried", _tally("refusals")),
    ("  did what is allowed", _tally("did_instead")),
    ("divergences", _tally("divergences")),
)


def _unexercised(binding: Binding, checked: Sequence[CheckedInstance]) -> list[str]:
    """What the bounds never exercised, and what a walk did not see."""
    lines = [*_checked_claims(checked)]
    if unwalked := [instance.instance.name for instance in checked if instance.gaps]:
        lines.append(f"{', '.join(unwalked)}: nothing was walked, for the model does not fit the spec")
    for instance in checked:
        name = instance.instance.name
        for action in instance.never_taken:
            elsewhere = [o.instance.name for o in checked if o.graph and action not in o.never_taken]
            where = ", ".join(elsewhere) or "none of the instances checked"
            unchecked = f"{action} is never taken, so nothing about it was checked here"
            lines.append(f"{name}: {unchecked}; it is taken in {where}")
        if instance.tally is not None and instance.graph is not None:
            lines += [f"{name}: {line}" for line in _never_produced(instance.graph, instance.tally)]
            unreached = len(instance.graph.states) - instance.tally.states
            if unreached:
                lines.append(f"{name}: {unreached:,} states of the spec were not reached")
            if not instance.tally.hidden_compared:
                lines.append(f"{name}: hidden state was not compared (the model has no content())")
        if instance.graph is not None:
            lines += [f"{name}: {line}" for line in (*_repeated(instance.graph), *instance.graph.notes)]
    lines += [_cost(instance) for instance in checked if instance.instance.large and instance.tally]
    named = [instance.instance for instance in checked]
    if large := [instance.name for instance in binding.instances if instance.large and instance not in named]:
        options = " ".join(f"--instance {name}" for name in large)
        lines.append(f"not checked here, for they are large: specwalk check {binding.name} {options}")
    lines += [f"not modelled in this machine: {what}" for what in binding.model.not_modelled]
    return lines


def _cost(checked: CheckedInstance) -> str:
    """What the walk of a large instance took."""
    assert checked.tally is not None
    assert checked.walk_seconds is not None
    steps = checked.tally.enabled + checked.tally.refusals
    rate = f"{checked.walk_seconds:.0f} s, {steps / checked.walk_seconds:,.0f} a second"
    memory = f"at most {checked.tally.peak_memory / 2**20:,.0f} MiB in a process"
    return f"{checked.instance.name}: walked in {steps:,} steps, {rate}, {memory}"


def _checked_claims(checked: Sequence[CheckedInstance]) -> Iterator[str]:
    """What TLC has checked; instances with the same claims are named together."""
    asked: dict[tuple[str, ...], list[str]] = {}
    for instance in checked:
        if instance.config and _all_hold(instance):
            claims = (*instance.config.invariants, *instance.config.properties)
            asked.setdefault(claims, []).append(instance.instance.name)
    for claims, names in asked.items():
        yield f"{', '.join(names)}: TLC checked {', '.join(claims) or 'NO CLAIM AT ALL'}"


def _repeated(graph: StateGraph) -> Iterator[str]:
    """The transitions that TLC generated more than once, by the action instance that they are of."""
    steps = Counter(str(graph.labels[graph.label[edge]]) for edge in graph.repeated)
    for step, count in steps.items():
        yield f"{step}: {count:,} transitions were generated more than once; each was walked once"


def _never_produced(graph: StateGraph, tally: Tally) -> Iterator[str]:
    for step, pairs in tally.never_produced.items():
        before, after = (_one_line(graph.state_dict(state)) for state in pairs[0])
        yield (
            f"{step} has {len(pairs):,} successors that the implementation never chose, "
            f"the first: from {before} to {after}"
        )


def _one_line(state: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {show(value)}" for name, value in state.items())


def _conclusion(checked: Sequence[CheckedInstance]) -> str:
    code = exit_code(checked)
    if code is ExitCode.OK:
        walked = sum(instance.tally.edges for instance in checked if instance.tally)
        refused = sum(instance.tally.refusals for instance in checked if instance.tally)
        return f"OK: {walked:,} transitions and {refused:,} refusals agree with the spec."
    count = len(findings(checked))
    found = "1 finding" if count == 1 else f"{count} findings"
    return f"{found}, printed above; exit code {code.value} ({code.name.lower()})."


def as_json(
    binding: Binding, checked: Sequence[CheckedInstance], skeleton: str | None = None
) -> Mapping[str, Any]:
    """The verdict for machines."""
    return {
        "model": str(binding.file),
        "spec": str(binding.spec),
        "exit_code": exit_code(checked).value,
        "not_modelled": list(binding.model.not_modelled),
        "skeleton": skeleton,
        "instances": [_instance_json(instance) for instance in checked],
    }


def _instance_json(checked: CheckedInstance) -> Mapping[str, Any]:
    result, graph, tally, size = checked.result, checked.graph, checked.tally, checked.up_to_symmetry
    return {
        "name": checked.instance.name,
        "config": str(checked.instance.config),
        "exit_code": checked.exit_code.value,
        "verdict": _verdict(checked),
        "invariants": list(checked.config.invariants) if checked.config else None,
        "properties": list(checked.config.properties) if checked.config else None,
        "generated": result.counts.generated if result else None,
        "distinct": result.counts.distinct if result else None,
        "depth": checked.depth,
        "pins": _pinned(checked),
        "transitions": len(graph) if graph else None,
        "transitions_besides_stutters": _moving(graph) if graph else None,
        "action_counts": graph.action_counts() if graph else None,
        "states_up_to_symmetry": size.states if size else None,
        "transitions_up_to_symmetry": size.transitions if size else None,
        "never_taken": checked.never_taken,
        "transitions_walked": tally.edges if tally else None,
        "enabled_pairs": tally.enabled if tally else None,
        "refusals_tried": tally.refusals if tally else None,
        "did_instead": tally.did_instead if tally else None,
        "hidden_compared": tally.hidden_compared if tally else None,
        "never_produced": list(_never_produced(graph, tally)) if graph and tally else None,
        "divergences": tally.divergences if tally else None,
        "walk_seconds": checked.walk_seconds,
        "peak_memory": tally.peak_memory if tally else None,
        "findings": findings([checked]),
    }
