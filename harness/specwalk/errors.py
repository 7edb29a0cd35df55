"""The errors that end a command, each with the exit code that it ends with.

Rule 1: a message says what is wrong *and* what to change.
Rule 2: whoever raises one has already released what it held.
"""

from enum import IntEnum

__all__ = ["INSTALL", "BadInput", "EnvironmentProblem", "ExitCode", "SpecwalkError"]

# By its path: the name alone is another project's in the public index.
INSTALL = "pip install '/path/to/this/checkout[harness]'"


class ExitCode(IntEnum):
    """Exit codes of every command."""

    OK = 0
    BAD_INPUT = 2
    ENVIRONMENT = 3
    PROPERTY_VIOLATED = 4
    DIVERGENCE = 5
    DRIFTED = 6
    NOT_REACHED = 7
    INTERRUPTED = 130


class SpecwalkError(Exception):
    """A failure that the user can act on; ``str()`` of it is the message."""

    exit_code: ExitCode


class BadInput(SpecwalkError):
    """A spec, a configuration, a model or an option has to be changed."""

    exit_code = ExitCode.BAD_INPUT


class EnvironmentProblem(SpecwalkError):
    """The machine lacks something: Java, the jar, memory, disk space, time."""

    exit_code = ExitCode.ENVIRONMENT
