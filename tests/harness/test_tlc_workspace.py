"""Java in a private folder: what it leaves behind when it is stopped, starved or run twice at once."""

import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.tlc import Counts, Verdict, Workspace, find_toolchain, run_tlc
from tests.harness.tlc_cases import SEARCHED
from tests.harness.tlc_recording import write

COUNT = SEARCHED["success"]
ENDLESS = replace(COUNT, body="EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n")
WIDE = replace(
    COUNT,
    body="EXTENDS Naturals\nVARIABLES x, y, z\nInit == x = 0 /\\ y = 0 /\\ z = 0\n"
    "Next == x' \\in 0..20 /\\ y' \\in 0..20 /\\ z' \\in 0..20\n",
)
HUNGRY = replace(
    COUNT,
    body="EXTENDS Naturals\nVARIABLE x\nInit == x = {}\nNext == x' = {f \\in [1..9 -> 1..9] : TRUE}\n",
)

# Runs the spec in argv[1], in folders under argv[2]; says when TLC is at work.
CHILD = """
import resource, signal, sys, tempfile
from pathlib import Path
from specwalk.tlc import Workspace, find_toolchain, run_tlc

def stop(*_):
    raise SystemExit(7)

signal.signal(signal.SIGTERM, stop)
tempfile.tempdir = sys.argv[2]
if len(sys.argv) > 3:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
with Workspace(find_toolchain(), Path(sys.argv[1])) as workspace:
    (workspace.folder / "Spec.cfg").write_text("INIT Init\\nNEXT Next\\n")
    searching = lambda _: any(workspace.folder.glob("states-*/*")) and print("at work", flush=True)
    result = run_tlc(workspace, "Spec", "Spec.cfg", "-deadlock", on_progress=searching)
    print(result.verdict.name, *result.problems, sep="\\n")
"""


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    """The folder in which workspaces come and go."""
    folder = tmp_path / "runs"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def workspace_of(tmp_path):
    def workspace_of(case):
        return Workspace(find_toolchain(), write(case, tmp_path))

    return workspace_of


def check(workspace, **settings):
    (workspace.folder / "Spec.cfg").write_text(COUNT.config)
    return run_tlc(workspace, "Spec", "Spec.cfg", "-deadlock", **settings)


def java_processes(folder: Path) -> list[int]:
    """The processes that have something under `folder` on their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"-Djava.io.tmpdir={folder}".encode() in command:
            found.append(int(process.name))
    return found


@pytest.fixture
def start_child(tmp_path, runs):
    children = []

    def start_child(case, *limits):
        command = [sys.executable, "-c", CHILD, str(write(case, tmp_path)), str(runs), *limits]
        children.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return children[-1]

    yield start_child
    for child in children:
        child.kill()
        child.communicate()


def test_time_out_leaves_nothing(workspace_of, runs):
    started = time.monotonic()
    with workspace_of(ENDLESS) as w:
        with pytest.raises(EnvironmentProblem, match=r"after 1 seconds.*smaller bounds"):
            check(w, timeout=1)
        assert not java_processes(runs)
    assert time.monotonic() - started < 20
    assert list(runs.iterdir()) == []


@pytest.mark.parametrize(("sent", "ended"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 7)])
def test_a_signal_leaves_nothing(start_child, runs, sent, ended):
    child = start_child(ENDLESS)
    assert child.stdout.readline() == "at work\n"
    assert len(java_processes(runs)) == 1
    child.send_signal(sent)
    assert child.wait(timeout=60) == ended
    assert not java_processes(runs)
    assert list(runs.iterdir()) == []


def test_a_signal_while_java_starts_waits_until_it_is_known(workspace_of, runs, monkeypatch):
    start = subprocess.Popen

    def interrupted(*arguments, **settings):
        process = start(*arguments, **settings)
        os.kill(os.getpid(), signal.SIGINT)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with pytest.raises(KeyboardInterrupt), workspace_of(ENDLESS) as w:
        check(w)
    assert not java_processes(runs)
    assert list(runs.iterdir()) == []


@pytest.mark.parametrize("attempt", range(4))
def test_leaving_ends_what_runs_in_another_thread(workspace_of, runs, attempt):
    ended = threading.Event()

    def run() -> None:
        with contextlib.suppress(EnvironmentProblem, FileNotFoundError):
            check(w)
        ended.set()

    with workspace_of(ENDLESS) as w:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        while not java_processes(runs):
            time.sleep(0.01)
        time.sleep(0.05 * attempt)
    assert ended.wait(10)
    assert not java_processes(runs)
    assert list(runs.iterdir()) == []


def test_no_java_starts_in_a_folder_that_was_left(workspace_of, runs):
    with workspace_of(COUNT) as w:
        pass
    w.folder.mkdir()
    with pytest.raises(EnvironmentProblem, match="gone already"):
        w.java("tlc2.TLC")
    w.folder.rmdir()
    assert list(runs.iterdir()) == []


def test_an_exception_in_the_caller_leaves_nothing(workspace_of, runs):
    def fail(_: Counts) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), workspace_of(ENDLESS) as w:
        check(w, on_progress=fail)
    assert not java_processes(runs)
    assert list(runs.iterdir()) == []


def test_progress_is_told_while_tlc_searches(workspace_of):
    told = []

    def tell(counts: Counts) -> None:
        told.append(counts)
        if counts.generated:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), workspace_of(ENDLESS) as w:
        check(w, on_progress=tell, timeout=60)
    assert len(told) > 5
    assert told[-1].distinct > 1000


def test_java_that_someone_else_stops(workspace_of, runs):
    def stop(_: Counts) -> None:
        if any(w.folder.glob("states-*/*")):
            for process in java_processes(runs):
                os.kill(process, signal.SIGTERM)

    with workspace_of(ENDLESS) as w:
        result = check(w, on_progress=stop, timeout=60)
    assert (result.verdict, result.exit_code) == (Verdict.ENVIRONMENT, 143)
    assert "SIGTERM" in result.problems[0].text


def test_a_full_disk_is_the_machines_fault(start_child):
    # A limit on the size of a file fails TLC as a full disk does.
    child = start_child(WIDE, "4000")
    out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, "")
    answer = out.replace("at work\n", "").splitlines()
    assert answer[0] == "ENVIRONMENT"
    assert answer[1] == "TLC could not use its files: java.io.IOException: File too large."
    assert "TMPDIR" in answer[2]


def test_a_disk_that_is_full_before_the_standard_modules_are_unpacked(start_child):
    with_long_modules = replace(COUNT, body=COUNT.body.replace("Naturals", "Naturals, TLC, Sequences"))
    assert with_long_modules.body != COUNT.body
    child = start_child(with_long_modules, "8192")
    out, _ = child.communicate(timeout=60)
    answer = out.replace("at work\n", "").splitlines()
    assert answer[:2] == ["ENVIRONMENT", "TLC could not use its files: java.io.IOException: File too large."]


def test_what_an_editor_leaves_beside_the_spec_is_no_module(workspace_of):
    with workspace_of(COUNT) as w:
        beside = w.spec.parent
        (beside / ".#Count.tla").symlink_to("nowhere")
        (beside / "Folder.tla").mkdir()
    with Workspace(w.toolchain, w.spec) as again:
        assert check(again).verdict is Verdict.OK


def test_too_little_memory_is_the_machines_fault(workspace_of, monkeypatch):
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-Xmx24m")
    with workspace_of(HUNGRY) as w:
        result = check(w, timeout=60)
    assert result.verdict is Verdict.ENVIRONMENT
    assert "ran out of memory" in result.problems[0].text
    assert "JDK_JAVA_OPTIONS=-Xmx" in result.problems[0].advice


def test_nowhere_to_work(workspace_of, runs, monkeypatch):
    w = workspace_of(COUNT)
    monkeypatch.setattr(tempfile, "tempdir", str(runs / "missing"))
    with pytest.raises(EnvironmentProblem, match=r"Cannot prepare .*missing.*TMPDIR"):
        w.__enter__()


def test_a_module_that_cannot_be_copied(workspace_of, runs, monkeypatch):
    def full(source, _target):
        raise OSError(errno.ENOSPC, "No space left on device", str(source))

    monkeypatch.setattr(shutil, "copyfile", full)
    w = workspace_of(COUNT)
    with pytest.raises(EnvironmentProblem, match=r"Cannot prepare .*No space left"):
        w.__enter__()
    assert list(runs.iterdir()) == []


def test_java_that_cannot_be_started(tmp_path):
    broken = tmp_path / "java"
    broken.write_text("not a program")
    broken.chmod(0o755)
    toolchain = replace(find_toolchain(), java=broken)
    with (
        Workspace(toolchain, write(COUNT, tmp_path)) as w,
        pytest.raises(EnvironmentProblem, match=r"Cannot start .*java.*JAVA_HOME"),
    ):
        check(w)


def test_no_such_spec(tmp_path):
    with pytest.raises(BadInput, match=r"No spec at .*Nowhere\.tla"):
        Workspace(find_toolchain(), tmp_path / "Nowhere.tla")


def test_two_runs_at_once_and_the_users_folder_untouched(tmp_path, workspace_of):
    with workspace_of(COUNT) as w:
        before = sorted(path.name for path in tmp_path.iterdir())
        results = []
        threads = [threading.Thread(target=lambda: results.append(check(w, timeout=60))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [result.verdict for result in results] == [Verdict.OK, Verdict.OK]
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_two_processes_at_once(start_child, runs):
    children = [start_child(COUNT) for _ in range(2)]
    outputs = [child.communicate(timeout=60) for child in children]
    assert [out.replace("at work\n", "") for out, _ in outputs] == ["OK\n", "OK\n"]
    assert list(runs.iterdir()) == []


def test_a_java_program_with_separate_outputs(workspace_of):
    with workspace_of(COUNT) as w:
        done = w.java("tla2sany.xml.XMLExporter", "-o", "Spec.tla", timeout=60)
    assert done.exit_code == 0
    assert "<RootModule>Spec</RootModule>" in done.stdout
    assert "Semantic processing of module Spec" in done.stderr


def test_nothing_is_read_from_or_written_to_the_users_home(workspace_of, runs):
    def stop(_: Counts) -> None:
        (process,) = java_processes(runs)
        commands.append(Path(f"/proc/{process}/cmdline").read_text().split("\0"))
        raise ZeroDivisionError

    commands: list[list[str]] = []
    with workspace_of(ENDLESS) as w:
        home = w.folder / "home"
        with pytest.raises(ZeroDivisionError):
            check(w, on_progress=stop)
        assert f"-Duser.home={home}" in commands[0]
        assert (home / ".tlaplus" / "esc.txt").read_text() == "NO_STATISTICS\n"


def test_lines_come_whole_with_errors_among_them(tmp_path):
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nprintf 'a\\r\\nb'; sleep 0.3; printf 'c\\n'; echo d >&2; printf e; exit 3\n")
    java.chmod(0o755)
    printed: list[str] = []
    with Workspace(replace(find_toolchain(), java=java), write(COUNT, tmp_path)) as w:
        assert w.follow("tlc2.TLC", on_line=printed.append) == 3
    assert printed == ["a", "bc", "d", "e"]
