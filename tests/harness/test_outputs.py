"""Where the command's words go: outputs that are closed, and machines that read one."""

import json
import os
from pathlib import Path

import pytest

from tests.harness.command import specwalk
from tests.harness.toy import write_project

PRINTING = """
    def start(self, initial):
        print("started")
        subprocess.run(["echo", "a process"], check=True)
        super().start(initial)
"""


def close_output() -> None:
    os.close(1)


def close_errors() -> None:
    os.close(2)


def close_both() -> None:
    os.closerange(1, 3)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "toy"),
        ("walk", "toy", "--json", "-"),
        ("walk", "toy", "--json", "verdict.json"),
        ("graph", "spec/Toy.tla"),
        ("--help",),
    ],
)
def test_a_closed_standard_output_is_told(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write_project(tmp_path)
    ran = specwalk(*arguments, project=tmp_path, preexec=close_output)
    assert ran.code == 3
    assert ran.err.startswith("specwalk: Standard output is closed.")
    assert ran.err.count("\n") == 1


def test_where_both_are_closed_the_exit_code_tells(tmp_path: Path) -> None:
    write_project(tmp_path)
    assert specwalk("walk", "toy", project=tmp_path, preexec=close_both).code == 3


def test_without_standard_error_machines_read_on(tmp_path: Path) -> None:
    write_project(tmp_path)
    ran = specwalk("walk", "toy", "--json", "-", project=tmp_path, preexec=close_errors)
    assert ran.code == 0
    assert json.loads(ran.out)["exit_code"] == 0


def test_a_model_that_prints_spoils_no_json(tmp_path: Path) -> None:
    write_project(tmp_path, more=PRINTING)
    file = tmp_path / "model/toy.py"
    file.write_text("import subprocess\nprint('imported')\n" + file.read_text())
    ran = specwalk("walk", "toy", "--json", "-", project=tmp_path)
    assert ran.code == 0
    assert json.loads(ran.out)["exit_code"] == 0
    for word in ("imported", "started", "a process", "OK: 8 transitions"):
        assert word in ran.err


def test_a_model_may_print_for_people(tmp_path: Path) -> None:
    write_project(tmp_path)
    file = tmp_path / "model/toy.py"
    file.write_text("print('imported')\n" + file.read_text())
    ran = specwalk("walk", "toy", "--json", "verdict.json", project=tmp_path)
    assert ran.out.startswith("imported\n")


@pytest.mark.parametrize("arguments", [("walk", "toy"), ("check", "toy"), ("graph", "spec/Toy.tla")])
def test_what_ends_a_command_is_told_to_machines_too(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write_project(tmp_path, cfg="INIT Nowhere\nINIT Nowhere\n")
    (tmp_path / "model/toy.py").write_text("raise LookupError('nothing')\n")
    ran = specwalk(*arguments, "--json", "verdict.json", project=tmp_path)
    assert ran.code == 2
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    assert verdict.keys() == {"exit_code", "error"}
    assert verdict["exit_code"] == 2
    assert ran.err == f"specwalk: {verdict['error']}\n"


def test_standard_output_has_the_error_after_what_was_printed_apart(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "model/toy.py").write_text("print('imported')\nraise LookupError('nothing')\n")
    ran = specwalk("walk", "toy", "--json", "-", project=tmp_path)
    assert ran.code == 2
    assert "LookupError: nothing" in json.loads(ran.out)["error"]
    assert ran.err.startswith("imported\n")
