"""Puts the commands together. Each ends with a summary and one of the exit codes of ``specwalk.errors``."""

import os
import sys

import click

from specwalk.cli.check import check
from specwalk.cli.graph import graph
from specwalk.cli.options import EPILOG
from specwalk.cli.regenerate import regenerate
from specwalk.cli.skeleton import skeleton
from specwalk.cli.validate import validate
from specwalk.cli.walk import walk
from specwalk.errors import EnvironmentProblem, ExitCode, SpecwalkError

__all__ = ["run"]


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="abhyasa")
def cli() -> None:
    """Test an implementation against its TLA+ spec, transition by transition.

    Start with `specwalk graph spec/Name.tla`, which needs no model; then `specwalk skeleton spec/Name.tla`
    writes model/name.py to fill in, and `specwalk check name` checks it.
    """


for _command in (check, graph, regenerate, skeleton, validate, walk):
    cli.add_command(_command)


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
