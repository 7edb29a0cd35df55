"""What both hosts do for one run of an instance: open the application, and take it as far as it goes.

Rule 1: each run opens the store anew, and closes it. Hosts run nodes and activities in threads, and a
        store's calls must not overlap; the file is what workers share.
Rule 2: who acts is said by the process that runs, never by what the host has kept of the workflow: a
        checkpoint is no authority.
"""

import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

from abhyasa.recovery import Application, Report, Scope

#: Opens an application for one run. With `contextlib.contextmanager`: open the store, yield.
Opening: TypeAlias = Callable[[], AbstractContextManager[Application]]


def run(opening: Opening, instance_id: str, scope: Scope, worker: str | None) -> Report:
    """Run an instance in a scope, as `Application.run` does, under a name that tells processes apart."""
    with opening() as application:
        return application.run(instance_id, scope, worker or f"{socket.gethostname()}:{os.getpid()}")
