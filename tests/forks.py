"""The one server from which tests fork their processes, with all loaded that any of them asks for.

A process forked from it starts at once. It has no threads, whatever the tests have.
"""

import multiprocessing

forks = multiprocessing.get_context("forkserver")
_loaded: list[str] = []


def load(*modules: str) -> None:
    """Have the server load modules; it starts with the first process, so say this on import."""
    _loaded.extend(modules)
    forks.set_forkserver_preload(_loaded)
