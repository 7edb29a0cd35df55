"""Options that several commands have, and what they mean."""

import os
from collections.abc import Sequence
from pathlib import Path

import click

from specwalk.errors import BadInput
from specwalk.project import Binding, Instance

__all__ = ["EPILOG", "FILE", "chosen", "instances", "json_verdict", "timeout", "workers"]

EPILOG = (
    "Exit codes: 0 ok, 2 bad input, 3 environment (Java, the jar, disk, time), 4 a property is violated, "
    "5 implementation and spec diverge, 6 a pinned count has drifted, 7 a walk did not come to all that it "
    "was to reach, 130 interrupted."
)

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

instances = click.option(
    "--instance",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only this instance of the model; may be repeated. Default: all but the large ones.",
)
workers = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="Processes and TLC threads.",
)
timeout = click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds for each TLC run."
)
json_verdict = click.option(
    "--json", "json_file", type=click.File("w"), help="Write the verdict as JSON (- is stdout)."
)


def chosen(binding: Binding, names: Sequence[str]) -> list[Instance]:
    """The instances of a model that ``--instance`` names; without it, all that are not large.

    Raises:
        BadInput: the model has no such instance.
    """
    known = {instance.name: instance for instance in binding.instances}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"{binding.name} has no instance {', '.join(unknown)}; it has {', '.join(known)}.")
    if not names:
        return [instance for instance in binding.instances if not instance.large]
    return [known[name] for name in dict.fromkeys(names)]
