"""`python -m tests.recovery`: kept histories, graded again without a process being started."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from abhyasa.recovery import POLICIES
from tests.recovery import __main__ as command
from tests.recovery.campaign import manifest
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
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
        kept = json.dumps({"history": play(schedule, stage)})
        for host in hosts:
            (folder / replace(cell, host=host).file).write_text(kept)


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


def test_hosts_that_differ_in_a_cell_are_told_apart(tmp_path):
    keep(tmp_path, SCHEDULES, "langgraph", "temporal")
    same = invoke("--keep", tmp_path, "--regrade")
    assert same.exit_code == 0
    assert "168 of 168 paired cells agree" in same.output
    (tmp_path / "temporal.S11_ack_lost.P1.ledger.json").write_bytes(
        (tmp_path / "temporal.S11_ack_lost.P1.cached.json").read_bytes()
    )
    apart = invoke("--keep", tmp_path, "--regrade")
    assert apart.exit_code == 1
    assert "167 of 168 paired cells agree" in apart.output
    assert "S11_ack_lost P1 ledger: C on langgraph, success; 2; R5 R7 R9 on temporal" in apart.output.replace(
        "\n", " "
    )


def test_extension_histories_have_no_host():
    done = invoke("--extensions", "--host", "temporal")
    assert done.exit_code == 2
    assert "leave --host out" in done.output


def test_a_missing_history_is_named(tmp_path):
    done = invoke("--keep", tmp_path, "--regrade")
    assert done.exit_code == 2
    assert (
        "langgraph.S01_clean.P1.cached.json is missing: run without --regrade first"
        in done.output.replace("\n", " ")
    )


def test_regrading_needs_to_know_where():
    done = invoke("--regrade")
    assert done.exit_code == 2
    assert "say where they are, with --keep" in done.output
