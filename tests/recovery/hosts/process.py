"""No host: a worker runs the application by itself, and what it returns is on no record but its own."""

import os
from contextlib import nullcontext

from tests.recovery.corpus import INSTANCE

PACKAGES = ()
AT_ONCE = os.cpu_count()
server = nullcontext


def work(opening, post):
    """Run the application."""
    with opening() as application:
        application.run(INSTANCE.id, post.scope, post.name)


def record(*_):
    """Nothing was kept."""
    return {}
