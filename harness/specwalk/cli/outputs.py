"""Where commands write to: the console for people, files and standard output for machines.

Rule 1: where standard output is given to a machine, nothing else is written to it.
Rule 2: whoever closes our output has read enough; that changes no verdict.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from specwalk.errors import SpecwalkError

__all__ = ["console_beside", "errors_as_json", "near", "prints_apart", "write", "write_json"]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        self.quiet = True
        _discard_output()


def console_beside(*machine_outputs: TextIO | None) -> Console:
    """Standard output for people, unless it is given to a machine."""
    return _Console(stderr=any(map(_is_stdout, machine_outputs)))


def _is_stdout(output: TextIO | None) -> bool:
    return output is not None and output.fileno() == sys.stdout.fileno()


@contextmanager
def prints_apart(json_file: TextIO | None) -> Iterator[None]:
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
def errors_as_json(json_file: TextIO | None) -> Iterator[None]:
    """Tell a machine too what ends the command before there is anything else to tell."""
    try:
        yield
    except SpecwalkError as problem:
        if json_file:
            write_json(json_file, {"exit_code": problem.exit_code.value, "error": str(problem)})
        raise


def near(file: Path) -> Path:
    """A file as seen from the current folder, if it is below."""
    here = Path.cwd()
    return file.relative_to(here) if file.is_relative_to(here) else file


def write_json(file: TextIO, thing: Any) -> None:
    """Write something as JSON."""
    write(file, _json_text(thing))


def _json_text(thing: Any) -> Iterator[str]:
    yield from json.JSONEncoder(indent=1).iterencode(thing)
    yield "\n"


def write(file: TextIO, text: Iterable[str]) -> None:
    """Write all of it now, to know whether somebody still reads it."""
    try:
        file.writelines(text)
        file.flush()
    except BrokenPipeError:
        _discard_output()


def _discard_output() -> None:
    """Let standard output take what is still to come, or Python would fail again on flushing at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
