"""`specwalk validate`: what a user sees."""

import json
import os
from pathlib import Path

import pytest

from specwalk.errors import ExitCode
from tests.harness.command import Ran, specwalk
from tests.harness.post import write_log, write_project

SENT = {"event": "sent", "at": 1, "due": 5, "number": 1, "letter": "a"}
STORED = {"event": "stored", "at": 2, "number": 1, "letter": "a"}
ANSWERED = {"event": "answered", "at": 3, "letter": "a"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path)
    write_log(tmp_path / "sender.log", [{"event": "began", "at": 0}, SENT, ANSWERED])
    write_log(tmp_path / "office.log", [{"event": "opened", "at": 0}, STORED])
    return tmp_path


def validate(project: Path, *arguments: str) -> Ran:
    return specwalk("validate", "post", *arguments, project=project)


def test_logs_that_are_a_behaviour(project: Path) -> None:
    with (project / "office.log").open("a") as office:
        office.write('{"event": "rep')
    ran = validate(project, "sender.log", "office.log", "--json", "verdict.json")
    assert ran.code == ExitCode.OK, ran.out + ran.err
    assert "office.log:3 is torn, as a kill leaves it: what it would have shown counts as unseen." in ran.out
    assert ran.out.endswith("OK: 5 events of 1 subject agree with Post.tla at Post.\n")
    verdict = json.loads((project / "verdict.json").read_text())
    assert (verdict["exit_code"], verdict["events"], verdict["rejected"]) == (0, 5, [])
    assert not ran.left


def test_an_instance_counts_once(project: Path) -> None:
    ran = validate(project, "sender.log", "office.log", *["--instance", "Post"] * 2)
    assert ran.out.endswith("agree with Post.tla at Post.\n")


def test_logs_that_are_none(project: Path) -> None:
    ran = validate(project, "sender.log", "--json", "-")
    assert ran.code == ExitCode.DIVERGENCE
    verdict = json.loads(ran.out)
    assert verdict["rejected"] == ["a"]
    assert verdict["rejections"][0] in ran.err
    assert ran.err.endswith(
        "1 of 1 subject (3 events) cannot be explained by Post.tla at Post; exit code 5 (divergence).\n"
    )


def test_logs_with_flaws_and_other_bad_input(project: Path) -> None:
    write_log(project / "office.log", [{"event": "opened", "at": 0}, {**STORED, "n": 7}, {"event": "burnt"}])
    ran = validate(project, "sender.log", "office.log")
    assert ran.code == ExitCode.BAD_INPUT
    assert "office.log:2: lines are missing before this one" in ran.out
    assert (
        "agree with Post.tla at Post, but the logs have 3 flaws, see above; exit code 2 (bad_input)."
        in ran.out
    )
    os.mkfifo(project / "piped.log")
    for arguments, told in (
        (("lost.log",), "'lost.log' does not exist"),
        ((), "Missing argument 'LOG...'"),
        (("office.log", "./office.log"), "A log is given twice."),
        (("piped.log",), "piped.log is no regular file, and logs are read twice. Save it to a file first."),
    ):
        ran = validate(project, *arguments)
        assert ran.code == ExitCode.BAD_INPUT
        assert told in ran.err
