"""The command line: check, graph and walk.

Every command ends with a summary and one of the exit codes of ``specwalk.errors``.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click
from rich.console import Console

from specwalk.check import Settings, check_instance, exit_code
from specwalk.errors import BadInput, EnvironmentProblem, ExitCode, SpecwalkError
from specwalk.graph import explore
from specwalk.graph.output import as_dot, remarks, summary
from specwalk.graph.output import as_json as graph_as_json
from specwalk.progress import Bar
from specwalk.project import Binding, Instance, load_binding
from specwalk.report import as_json, print_report
from specwalk.tlc import find_toolchain

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
) -> ExitCode:
    """Model-check a spec and walk all of it against the implementation.

    MODEL is a name (custody finds model/custody.py in this project), a path, or a dotted module name.
    For each of the model's instances TLC checks the spec, its counts are compared with the pinned ones,
    every transition is walked, and everything that the spec forbids is attempted.
    """
    return _check(model, names, Settings(workers=workers, timeout=timeout), json_file)


@cli.command(epilog=EPILOG)
@click.argument("model")
@_shared
def walk(
    model: str, names: tuple[str, ...], workers: int, timeout: float | None, json_file: TextIO | None
) -> ExitCode:
    """Walk the implementation only: no properties are checked and no counts are compared.

    MODEL is a name, a path or a dotted module name, as for `check`.
    """
    return _check(model, names, Settings(verify=False, workers=workers, timeout=timeout), json_file)


def _check(model: str, names: tuple[str, ...], settings: Settings, json_file: TextIO | None) -> ExitCode:
    console = _console(json_file)
    with _errors_as_json(json_file), _prints_apart(json_file):
        binding = load_binding(model)
        chosen = _chosen(binding, names)
        find_toolchain()  # what is missing here is missing for every instance
        with Bar(console) as bar:
            checked = [check_instance(binding, instance, settings, bar) for instance in chosen]
    print_report(binding, checked, console)
    if json_file:
        _write(json_file, _json_text(as_json(binding, checked)))
    return exit_code(checked)


def _chosen(binding: Binding, names: tuple[str, ...]) -> list[Instance]:
    known = {instance.name: instance for instance in binding.instances}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"{binding.name} has no instance {', '.join(unknown)}; it has {', '.join(known)}.")
    return [known[name] for name in names or known]


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@cli.command(epilog=EPILOG)
@click.argument("spec", type=_FILE)
@click.option("--config", type=_FILE, help="TLC configuration. Default: the spec's name.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), help="Seconds for each TLC run.")
@click.option("--json", "json_file", type=click.File("w"), help="Write the graph as JSON (- is stdout).")
@click.option("--dot", "dot_file", type=click.File("w"), help="Write the graph as DOT (- is stdout).")
def graph(
    spec: Path, config: Path | None, timeout: float | None, json_file: TextIO | None, dot_file: TextIO | None
) -> ExitCode:
    """List the complete state graph of any SPEC: counts, actions with their arguments, JSON or DOT.

    No model is needed. Properties are not checked.
    """
    console = _console(json_file, dot_file)
    with _errors_as_json(json_file), Bar(console) as bar:
        bar.phase(f"{spec.stem}: TLC lists every transition")
        found = explore(spec, config or spec.with_suffix(".cfg"), timeout=timeout, on_progress=bar.counted)
    if json_file:
        _write(json_file, _json_text(graph_as_json(found)))
    if dot_file:
        _write(dot_file, as_dot(found))
    console.print(summary(found))
    for remark in remarks(found):
        console.print(remark, markup=False, highlight=False, soft_wrap=True)
    return ExitCode.OK


class _Console(Console):
    """Whoever closes our output has read enough; that changes no verdict."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _discard_output()


def _console(*machine_outputs: TextIO | None) -> Console:
    """Standard output for people, unless it is given to a machine."""
    return _Console(stderr=any(map(_is_stdout, machine_outputs)))


def _is_stdout(output: TextIO | None) -> bool:
    return output is not None and output.fileno() == sys.stdout.fileno()


@contextmanager
def _prints_apart(json_file: TextIO | None) -> Iterator[None]:
    """Where JSON goes to standard output, let what a model and its processes print go to standard error."""
    if not _is_stdout(json_file):
        yield
        return
    output = sys.stdout
    kept = os.dup(output.fileno())
    os.dup2(sys.stderr.fileno(), output.fileno())
    try:
        yield
    finally:
        output.flush()
        os.dup2(kept, output.fileno())
        os.close(kept)


@contextmanager
def _errors_as_json(json_file: TextIO | None) -> Iterator[None]:
    """Tell a machine too what ends the command before there is anything else to tell."""
    try:
        yield
    except SpecwalkError as problem:
        if json_file:
            _write(json_file, _json_text({"exit_code": problem.exit_code.value, "error": str(problem)}))
        raise


def _json_text(thing: Any) -> Iterator[str]:
    yield from json.JSONEncoder(indent=1).iterencode(thing)
    yield "\n"


def _write(file: TextIO, text: Iterable[str]) -> None:
    """Write all of it now, to know whether somebody still reads it."""
    try:
        file.writelines(text)
        file.flush()
    except BrokenPipeError:
        _discard_output()


def run() -> None:
    """Run the command line: turn every failure into a message and an exit code."""
    try:
        _need_outputs()
        code = cli(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as problem:
        problem.show()
        code = ExitCode.BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        code = _fail("Interrupted; nothing was left running.", ExitCode.INTERRUPTED)
    except SpecwalkError as problem:
        code = _fail(str(problem), problem.exit_code)
    except OSError as problem:
        code = _fail(
            f"{problem}. Look to the space and the permissions there, and run again.", ExitCode.ENVIRONMENT
        )
    sys.exit(code)


def _need_outputs() -> None:
    """Python has None for a stream that is closed; without standard error there is just less to read."""
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    if sys.stdout is None:
        raise EnvironmentProblem("Standard output is closed. Leave it open, or send it to /dev/null.")


def _fail(message: str, code: ExitCode) -> ExitCode:
    print(f"specwalk: {message}", file=sys.stderr)
    return code


def _discard_output() -> None:
    """Let standard output take what is still to come, or Python would fail again on flushing at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
