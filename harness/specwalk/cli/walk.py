"""`specwalk walk`: walk the implementation without checking the spec."""

from typing import TextIO

import click

from specwalk.check import Settings
from specwalk.cli import options
from specwalk.cli.check import check_and_report
from specwalk.errors import ExitCode

__all__ = ["walk"]


@click.command(epilog=options.EPILOG)
@click.argument("model")
@options.instances
@options.workers
@options.timeout
@options.json_verdict
def walk(
    model: str, names: tuple[str, ...], workers: int, timeout: float | None, json_file: TextIO | None
) -> ExitCode:
    """Walk the implementation only: no properties are checked and no counts are compared.

    MODEL is a name, a path or a dotted module name, as for `check`.
    """
    settings = Settings(verify=False, workers=workers, timeout=timeout)
    return check_and_report(model, names, settings, json_file)
