"""`specwalk check`: model-check a spec and walk all of it."""

from collections.abc import Sequence
from typing import TextIO

import click

from specwalk.check import CheckedInstance, Settings, check_instance, exit_code
from specwalk.cli import options
from specwalk.cli.outputs import console_beside, errors_as_json, near, prints_apart, write_json
from specwalk.errors import ExitCode
from specwalk.generate.skeleton import write_missing
from specwalk.progress import Bar
from specwalk.project import Binding, load_binding
from specwalk.report import as_json, print_report
from specwalk.tlc import find_toolchain

__all__ = ["check", "check_and_report"]


@click.command(epilog=options.EPILOG)
@click.argument("model")
@options.instances
@options.workers
@options.timeout
@options.json_verdict
def check(
    model: str, names: tuple[str, ...], workers: int, timeout: float | None, json_file: TextIO | None
) -> ExitCode:
    """Model-check a spec and walk all of it against the implementation.

    MODEL is a name (custody finds model/custody.py in this project), a path, or a dotted module name.
    For each of the model's instances TLC checks the spec, its counts are compared with the pinned ones,
    every transition is walked, and everything that the spec forbids is attempted.
    """
    return check_and_report(model, names, Settings(workers=workers, timeout=timeout), json_file)


def check_and_report(
    model: str, names: Sequence[str], settings: Settings, json_file: TextIO | None
) -> ExitCode:
    """Check the named instances of a model, and report what was found."""
    console = console_beside(json_file)
    with errors_as_json(json_file), prints_apart(json_file):
        binding = load_binding(model)
        instances = options.chosen(binding, names)
        find_toolchain()  # what is missing here is missing for every instance
        with Bar(console) as bar:
            checked = [check_instance(binding, instance, settings, bar) for instance in instances]
    skeleton = _skeleton(binding, checked)
    print_report(binding, checked, console, skeleton)
    if json_file:
        write_json(json_file, as_json(binding, checked, skeleton))
    return exit_code(checked)


def _skeleton(binding: Binding, checked: Sequence[CheckedInstance]) -> str | None:
    """Write out what the model lacks, if anything: where it is now, in a sentence."""
    name = binding.model.__name__
    try:
        file = write_missing(binding, [instance.gaps for instance in checked if instance.gaps])
    except OSError as problem:
        return f"What {name} lacks could not be written out: {problem}"
    if file is None:
        return None
    return f"What {name} lacks is written out in {near(file)}: move it into {name} and fill it in."
