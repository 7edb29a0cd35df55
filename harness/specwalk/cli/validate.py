"""`specwalk validate`: are the logs of a real run a behaviour of the spec?"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import click
from rich.console import Console

from specwalk.cli import options
from specwalk.cli.outputs import console_beside, errors_as_json, prints_apart, write_json
from specwalk.errors import BadInput, ExitCode
from specwalk.graph import explore
from specwalk.progress import Bar
from specwalk.project import Binding, Instance, load_binding, new_model
from specwalk.validate import Machine, Possible, Validation
from specwalk.validate import validate as validate_logs

__all__ = ["validate"]


@click.command(epilog=options.EPILOG)
@click.argument("model")
@click.argument("logs", type=options.FILE, nargs=-1, required=True, metavar="LOG...")
@options.instances
@options.timeout
@options.json_verdict
def validate(
    model: str,
    logs: tuple[Path, ...],
    names: tuple[str, ...],
    timeout: float | None,
    json_file: TextIO | None,
) -> ExitCode:
    """Say whether the logs of a real run are a behaviour of the spec.

    MODEL is a name, a path or a dotted module name, as for `check`; its read_event() reads the lines. Each
    LOG is a file of JSON lines that one process wrote, its later runs included. What a log is about may be
    any of the model's instances. TLC explores each once, for however many logs.
    """
    console = console_beside(json_file)
    with errors_as_json(json_file), prints_apart(json_file):
        if len({log.resolve() for log in logs}) < len(logs):
            raise BadInput("A log is given twice. Name each once.")
        binding = load_binding(model)
        instances = options.chosen(binding, names or binding.model.logged)
        with Bar(console) as bar:
            possible = Possible([_machine(binding, one, timeout, bar) for one in instances])
            found = validate_logs(possible, logs, bar)
    where = ", ".join(instance.name for instance in instances)
    _report(found, f"{binding.spec.name} at {where}", console)
    if json_file:
        write_json(json_file, _as_json(found))
    return found.exit_code


def _machine(binding: Binding, instance: Instance, timeout: float | None, bar: Bar) -> Machine:
    bar.phase(f"{instance.name}: TLC lists every transition")
    graph = explore(binding.spec, instance.config, timeout=timeout, on_progress=bar.counted)
    return Machine(graph=graph, model=new_model(binding, instance.config))


def _report(found: Validation, spec: str, console: Console) -> None:
    for line in (*_findings(found), *_remarks(found), *_conclusion(found, spec)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _findings(found: Validation) -> Iterator[str]:
    for flaw in found.flaws.told:
        yield str(flaw)
    if more := len(found.flaws) - len(found.flaws.told):
        yield f"and {more:,} more such lines."
    for rejection in found.rejections:
        yield f"\n{rejection}"
    if untold := found.rejected[len(found.rejections) :]:
        yield f"\nand {len(untold):,} more that cannot be explained: {_some(untold)}"


def _remarks(found: Validation) -> Iterator[str]:
    for place in found.flaws.torn:
        yield f"{place} is torn, as a kill leaves it: what it would have shown counts as unseen."
    if found.reordered:
        count = len(found.reordered)
        yield f"Explained only in another order than that of the times: {count:,} ({_some(found.reordered)})."


def _conclusion(found: Validation, spec: str) -> Iterator[str]:
    code = found.exit_code
    ends = f"exit code {code.value} ({code.name.lower()})"
    events, subjects = _counted(found.events, "event"), _counted(found.subjects, "subject")
    if not found.subjects and not found.flaws:
        yield f"No line shows anything of {spec}. Are these the logs, and is this their model? {ends}."
    elif code is ExitCode.OK:
        yield f"OK: {events} of {subjects} agree with {spec}."
    elif code is ExitCode.DIVERGENCE:
        yield f"{len(found.rejected):,} of {subjects} ({events}) cannot be explained by {spec}; {ends}."
    else:
        flaws = _counted(len(found.flaws), "flaw")
        yield f"{events} of {subjects} agree with {spec}, but the logs have {flaws}, see above; {ends}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def _as_json(found: Validation) -> Mapping[str, Any]:
    return {
        "exit_code": found.exit_code.value,
        "events": found.events,
        "subjects": found.subjects,
        "rejected": list(found.rejected),
        "reordered": list(found.reordered),
        "rejections": list(map(str, found.rejections)),
        "flaws": list(map(str, found.flaws.told)),
        "flaws_counted": {kind.name.lower(): count for kind, count in found.flaws.counts.items()},
        "torn": list(map(str, found.flaws.torn)),
    }
