"""`specwalk graph`: the state graph of a spec, for which no model is needed."""

from pathlib import Path
from typing import TextIO

import click

from specwalk.cli import options
from specwalk.cli.outputs import console_beside, errors_as_json, write, write_json
from specwalk.errors import ExitCode
from specwalk.graph import explore
from specwalk.graph.output import as_dot, as_json, remarks, summary
from specwalk.progress import Bar

__all__ = ["graph"]


@click.command(epilog=options.EPILOG)
@click.argument("spec", type=options.FILE)
@click.option("--config", type=options.FILE, help="TLC configuration. Default: the spec's name.")
@options.timeout
@click.option("--json", "json_file", type=click.File("w"), help="Write the graph as JSON (- is stdout).")
@click.option("--dot", "dot_file", type=click.File("w"), help="Write the graph as DOT (- is stdout).")
def graph(
    spec: Path, config: Path | None, timeout: float | None, json_file: TextIO | None, dot_file: TextIO | None
) -> ExitCode:
    """List the complete state graph of any SPEC: counts, actions with their arguments, JSON or DOT.

    No model is needed. Properties are not checked.
    """
    console = console_beside(json_file, dot_file)
    with errors_as_json(json_file), Bar(console) as bar:
        bar.phase(f"{spec.stem}: TLC lists every transition")
        found = explore(spec, config or spec.with_suffix(".cfg"), timeout=timeout, on_progress=bar.counted)
    if json_file:
        write_json(json_file, as_json(found))
    if dot_file:
        write(dot_file, as_dot(found))
    console.print(summary(found))
    for remark in remarks(found):
        console.print(remark, markup=False, highlight=False, soft_wrap=True)
    return ExitCode.OK
