"""Where the study's workers run. Each host is a module of its own, which has

- `PACKAGES`: what is installed for it, by name;
- `AT_ONCE`: how many histories are played at a time;
- `server()`: a context with what must be running beside the workers; it yields its address, or None;
- `work(opening, post)`: called in a worker's process, has the host run the application;
- `record(folder, server)`: what the host itself has kept of a history's end, as JSON.

Workers of `process` are plain processes that nobody but the script takes for a host: quick, for tests
and for histories that a host cannot have. The study's own hosts are the other two.
"""

import platform
from importlib import import_module
from importlib.metadata import version

NATIVE = ("langgraph", "temporal")
HOSTS = ("process", *NATIVE)


class NotInstalledError(Exception):
    """A host's own server is missing."""


def module(host):
    """The qualified name of a host's module."""
    return f"{__name__}.{host}"


def named(host):
    """Return a host by its name. Hosts are dear to import: nobody loads one that is not used."""
    return import_module(module(host))


def versions(host):
    """Return what a host's histories were made with, by name."""
    return {"python": platform.python_version(), **{name: version(name) for name in named(host).PACKAGES}}
