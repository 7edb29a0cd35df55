"""`specwalk skeleton`: a model to fill in, for a spec that has none."""

from pathlib import Path

import click

from specwalk.cli import options
from specwalk.cli.outputs import console_beside, near
from specwalk.errors import ExitCode
from specwalk.generate.skeleton import write_model

__all__ = ["skeleton"]


@click.command(epilog=options.EPILOG)
@click.argument("spec", type=options.FILE)
def skeleton(spec: Path) -> ExitCode:
    """Write a model to fill in for SPEC: model/tank.py for spec/Tank.tla.

    It has a method for each action and a line for each variable. A file that is there is not touched.
    """
    file = write_model(spec)
    line = f"{near(file)} is written: fill it in, then run `specwalk check {file.stem}`."
    console_beside().print(line, markup=False, highlight=False, soft_wrap=True)
    return ExitCode.OK
