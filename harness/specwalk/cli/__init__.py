"""The command line: one module for each command, and what they share.

``options`` are the options that several commands have, ``outputs`` is where they write to, ``main`` puts the
commands together and turns every failure into a message and an exit code.
"""

from specwalk.cli.main import run

__all__ = ["run"]
