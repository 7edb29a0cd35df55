"""The ordinary checks of the implementation, run in a copy of the project: walks and tests."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from tests.explored import KEPT
from tests.teeth.fault import PROJECT
from tests.teeth.suite import Check, Suite
from tests.teeth.walks import EDGE, HIDDEN, REFUSAL

#: What a kind of tests is called, and where they stand; the quick ones first.
TESTS = {
    "conformance": "tests/conformance",
    "unit": "tests/unit",
    "million": "tests/million",
    "stateful": "tests/stateful",
    "crash": "tests/crash",
}

# A fault may keep a test from ending. That it does is a catch, and far beyond what any test takes.
_PATIENCE_SECONDS = 300
_ENDLESS = "a test does not end"

_QUIETLY = ("-q", "-n", "0", "-p", "tests.teeth.unshrunk", "-p", "no:cacheprovider", "-m", "not deep")


def implementation_suite(scratch: Path) -> Suite:
    """The faults of the implementation. What the checks explore is kept in the folder `scratch`."""
    os.environ[KEPT] = str(scratch)
    tests = [Check(kinds=(kind,), run=partial(_test, kind, path)) for kind, path in TESTS.items()]
    return Suite(
        name="implementation",
        folder=PROJECT / "tests/teeth/faults/impl",
        checks=[Check(kinds=(EDGE, REFUSAL, HIDDEN), run=_walk), *tests],
        # The generated tests take edges that the walk takes too, so they catch nothing alone.
        alone=(EDGE, REFUSAL, HIDDEN, "unit", "million", "stateful", "crash"),
    )


def _walk(copy: Path) -> Mapping[str, str]:
    ended = _run(copy, "tests.teeth.walks")
    if ended is None:
        return {EDGE: "the walk does not end"}
    if ended.returncode:
        raise RuntimeError(f"the walk broke, which is no catch:\n{ended.stderr}")
    caught: dict[str, str] = json.loads(ended.stdout)
    return caught


def _test(kind: str, path: str, copy: Path) -> Mapping[str, str]:
    caught = first_catch(copy, path)
    return {kind: caught} if caught else {}


def first_catch(copy: Path, path: str) -> str | None:
    """The first test that fails, also by itself: on a busy machine others fail for want of time."""
    passed_alone: list[str] = []
    while True:
        others = (f"--deselect={test}" for test in passed_alone)
        failed = _first_failure(copy, "-x", *others, path)
        if failed in (None, _ENDLESS) or _first_failure(copy, str(failed)):
            return failed
        passed_alone.append(str(failed))


def _first_failure(copy: Path, *arguments: str) -> str | None:
    """The test that fails first, `_ENDLESS` if one does not end, None if all pass."""
    ended = _run(copy, "pytest", *_QUIETLY, *arguments)
    if ended is None:
        return _ENDLESS
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - |$)", ended.stdout, flags=re.MULTILINE)
    # Python itself ends with 1, too, where it does not find pytest.
    if ended.returncode != bool(failed):
        raise RuntimeError(f"the tests broke, which is no catch:\n{ended.stdout}{ended.stderr}")
    return failed[1] if failed else None


def _run(copy: Path, *command: str) -> subprocess.CompletedProcess[str] | None:
    """Run a module of the copy; None if it does not end."""
    paths = os.pathsep.join(str(copy / root) for root in ("impl", "harness", "."))
    environment = {**os.environ, "PYTHONPATH": paths}
    try:
        return subprocess.run(
            [sys.executable, "-m", *command],
            cwd=copy,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return None
