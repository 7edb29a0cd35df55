"""The command line: check, graph and walk.

Every command ends with a summary and one of the exit codes of ``specwalk.errors``.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TextIO, TypeVar

import click
from rich.console import Console

from specwalk.check import CheckedInstance, Settings, check_instance, exit_code
from specwalk.errors import BadInput, EnvironmentProblem, ExitCode, SpecwalkError
from specwalk.graph import explore
from specwalk.graphout import as_dot, summary
from specwalk.graphout import as_json as graph_as_json
from specwalk.progress import Bar
from specwalk.project import Binding, load_binding
from specwalk.report import as_json, print_report

__all__ = ["run"]

EPILOG = (
    "Exit codes: 0 ok, 2 bad input, 3 environment (Java, the jar, disk, time), 4 a property is violated, "
    "5 implementation and spec diverge, 6 a pinned count has drifted, 130 interrupted."
)

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _shared(command: _Command) -> _Command:
    for option in (
        click.option(
            "--json", "json_file", type=click.File("w"), help="Write the verdict as JSON (- is stdout)."
        ),
        click.option(
            "--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds for each TLC run."
        ),
        click.option(
            "--workers",
            type=click.IntRange(min=1),
            default=os.cpu_count() or 1,
            show_default="all cores",
            help="Processes and TLC threads.",
        ),
        click.option(
            "--instance",
            "names",
            multiple=True,
            metavar="NAME",
            help="Only this instance of the model; may be repeated. Default: all.",
        ),
    ):
        command = option(command)
    return command


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="abhyasa")
def cli() -> None:
    """Test an implementation against its TLA+ spec, transition by transition.

    Start with `specwalk graph spec/Name.tla`, which needs no model; then write model/name.py and run
    `specwalk check name`.
    """


@cli.command(epilog=EPILOG)
@click.argument("model")
@_shared
def check(
    model: str, names: tuple[str, ...], workers: int, timeout: float | None, json_file: TextIO | None
) -> None:
    """Model-check a spec and walk all of it against the implementation.

    MODEL is a name (custody finds model/custody.py in this project), a path, or a dotted module name.
    For each of the model's instances TLC checks the spec, its counts are compared with the pinned ones,
    every transition is walked, and everything that the spec forbids is attempted.
    """
    _check(model, names, Settings(workers=workers, timeout=timeout), json_file)


@cli.command(epilog=EPILOG)
@click.argument("model")
@_shared
def walk(
    model: str, names: tuple[str, ...], workers: int, timeout: float | None, json_file: TextIO | None
) -> None:
    """Walk the implementation only: no properties are checked and no counts are compared.

    MODEL is a name, a path or a dotted module name, as for `check`.
    """
    _check(model, names, Settings(verify=False, workers=workers, timeout=timeout), json_file)


def _check(model: str, names: tuple[str, ...], settings: Settings, json_file: TextIO | None) -> None:
    binding = load_binding(model)
    console = _console(json_file)
    checked: list[CheckedInstance] = []
    with Bar(console) as bar:
        for instance in _chosen(binding, names):
            checked.append(check_instance(binding, instance, settings, bar))
    print_report(binding, checked, console)
    if json_file:
        json.dump(as_json(binding, checked), json_file, indent=2)
        json_file.write("\n")
    raise SystemExit(exit_code(checked))


def _chosen(binding: Binding, names: tuple[str, ...]) -> list[Any]:
    known = {instance.name: instance for instance in binding.instances}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"{binding.name} has no instance {', '.join(unknown)}; it has {', '.join(known)}.")
    return [known[name] for name in names or known]


@cli.command(epilog=EPILOG)
@click.argument("spec", type=click.Path(path_type=Path))
@click.option(
    "--config", type=click.Path(path_type=Path), help="TLC configuration. Default: the spec's name."
)
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds for each TLC run.")
@click.option("--json", "json_file", type=click.File("w"), help="Write the graph as JSON (- is stdout).")
@click.option("--dot", "dot_file", type=click.File("w"), help="Write the graph as DOT (- is stdout).")
def graph(
    spec: Path, config: Path | None, timeout: float | None, json_file: TextIO | None, dot_file: TextIO | None
) -> None:
    """List the complete state graph of any SPEC: counts, actions with their arguments, JSON or DOT.

    No model is needed. Properties are not checked.
    """
    console = _console(json_file, dot_file)
    with Bar(console) as bar:
        bar.phase(f"{spec.stem}: TLC lists every transition")
        found = explore(spec, config or spec.with_suffix(".cfg"), timeout=timeout, on_progress=bar.counted)
    if json_file:
        json.dump(graph_as_json(found), json_file)
        json_file.write("\n")
    if dot_file:
        dot_file.writelines(as_dot(found))
    console.print(summary(found))


def _console(*machine_outputs: TextIO | None) -> Console:
    """Standard output for people, unless it is given to a machine."""
    taken = any(output is not None and output.fileno() == sys.stdout.fileno() for output in machine_outputs)
    return Console(stderr=taken)


def run() -> None:
    """Run the command line: turn every failure into a message and an exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        cli(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        code = done.exit_code
    except click.UsageError as problem:
        problem.show()
        code = ExitCode.BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        code = _fail("Interrupted; nothing was left running.", ExitCode.INTERRUPTED)
    except SpecwalkError as problem:
        code = _fail(str(problem), problem.exit_code)
    except OSError as problem:
        code = _fail(
            f"{problem}. Free some space or choose another place, and run again.",
            EnvironmentProblem.exit_code,
        )
    else:
        code = ExitCode.OK
    _leave(code)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _fail(message: str, code: ExitCode) -> ExitCode:
    print(f"specwalk: {message}", file=sys.stderr)
    return code


def _leave(code: int) -> None:
    """Exit, although standard output may be full or closed."""
    try:
        sys.stdout.flush()
    except OSError:
        # Python would fail again on flushing at its exit, and print that instead of our message.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
