"""Runs the command line in a project of its own, and sees what it leaves behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from tests.harness.toy import ROOT

# In a copy of the project it is the copy's code that runs, whatever is installed.
PATHS = os.pathsep.join(map(str, (ROOT, ROOT / "harness", ROOT / "impl")))


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a run ended: exit code, outputs, and the folders and processes that it left."""

    code: int
    out: str
    err: str
    left: list[str]


def start(
    *arguments: str,
    project: Path,
    stdout: IO[str] | int = subprocess.PIPE,
    preexec: Callable[[], None] | None = None,
    **environment: str,
) -> subprocess.Popen[str]:
    """Start the command in a project's folder; temporary files go to its folder ``tmp``."""
    (project / "tmp").mkdir(exist_ok=True)
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("JAVA_HOME", "TLA2TOOLS_JAR")
    }
    private = {"TMPDIR": str(project / "tmp"), "PYTHONPATH": PATHS, "COLUMNS": "160"}
    return subprocess.Popen(
        [sys.executable, "-m", "specwalk", *arguments],
        cwd=project,
        env={**inherited, **private, **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=preexec,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str], project: Path) -> Ran:
    """Wait for the end of a command."""
    out, err = process.communicate(timeout=120)
    return Ran(code=process.returncode, out=out or "", err=err, left=[*folders(project), *javas(project)])


def specwalk(*arguments: str, project: Path, **options: object) -> Ran:
    """Run the command to its end."""
    return finish(start(*arguments, project=project, **options), project)  # type: ignore[arg-type]


def folders(project: Path) -> list[str]:
    """The temporary folders of a project's runs that exist."""
    return os.listdir(project / "tmp")


def javas(project: Path) -> list[str]:
    """The Java processes of a project's runs, which are known by their folder, after a moment to end in."""
    for _ in range(20):
        found = [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_of(pid, project)]
        if not found:
            break
        time.sleep(0.1)
    return found


def runs_java(project: Path) -> bool:
    """Whether a Java process of a project's run is there now."""
    return any(pid.isdigit() and _is_of(pid, project) for pid in os.listdir("/proc"))


def _is_of(pid: str, project: Path) -> bool:
    try:
        return f"{project}/tmp/specwalk-".encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
