"""A PostgreSQL server for the tests: thrown away after them, on a unix socket, never on the network.

Rule 1: what Debian ships serves as it is installed; PG_BINDIR says where another one is.
Rule 2: the server refuses to be root's. Then it belongs to nobody, in the child alone.
Rule 3: nothing is synced to a disk: these tests kill workers, not the power.
"""

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

_MISSING = "PostgreSQL is not installed, so its tests did not run: install postgresql, or set PG_BINDIR"
_QUICK = ("fsync=off", "full_page_writes=off")


def programs():
    """Return the folder of the server's programs. Where there is none CI fails, and others are told."""
    folder = installed()
    if folder is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(_MISSING)
    return folder


def installed():
    """Return the folder of the server's programs, None where there is none."""
    named, shipped = os.environ.get("PG_BINDIR"), sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    on_path = shutil.which("postgres")
    places = [*([Path(named)] if named else []), *reversed(shipped)]
    places += [Path(on_path).resolve().parent] if on_path else []
    return next((place for place in places if (place / "initdb").exists()), None)


@contextlib.contextmanager
def server(binaries):
    """Run a server; what comes of it is its connection string."""
    with tempfile.TemporaryDirectory(prefix="pg-") as home:
        folder, owner = Path(home), _owner()
        if owner:
            os.chown(folder, owner["user"], owner["group"])
        environment = {"PATH": f"{binaries}:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": home}
        data = folder / "data"
        made = [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(made, check=True, capture_output=True, env=environment, cwd=folder, **owner)
        settings = ("listen_addresses=", f"unix_socket_directories={folder}", *_QUICK)
        options = [option for setting in settings for option in ("-c", setting)]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [binaries / "postgres", "-D", data, *options],
                stdout=log,
                stderr=log,
                env=environment,
                cwd=folder,
                **owner,
            )
            try:
                _await_ready(process, binaries, folder)
                yield f"host={folder} user=postgres dbname=postgres"
            finally:
                process.send_signal(signal.SIGINT)  # disconnects who is left, and ends in order
                process.wait(30)


def _owner():
    """Return for whom a server is started: None but for root's."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _await_ready(process, binaries, folder):
    asked = [binaries / "pg_isready", "-q", "-h", folder]
    while subprocess.run(asked, check=False).returncode:
        assert process.poll() is None, (folder / "log").read_text()
