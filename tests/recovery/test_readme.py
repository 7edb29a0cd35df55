"""What the README says of recovery is so."""

import os
import re
import runpy
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from abhyasa.recovery import Fact, Outcome, RecoveryStore, Report
from tests.harness.command import PATHS
from tests.recovery.hosts import temporal
from tests.recovery.report import count_table
from tests.recovery.rig import cells
from tests.recovery.table import by_policy

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_example_prints_what_stands_beside_it(capsys):
    (code,) = re.findall(r"```python\n(from itertools.*?)```", README, re.DOTALL)
    exec(code, {})
    said = re.findall(r"print\(.*\)  # (\w+)", code)
    assert said == ["unknown", "held", "success", "charged", "1"]
    assert capsys.readouterr().out.split() == said


def test_the_counts_are_those_that_it_shows():
    (shown,) = re.findall(r"<!-- transcript: recovery -->\n```text\n(.*?)```", README, re.DOTALL)
    console = Console(width=80)
    with console.capture() as printed:
        console.print(count_table(by_policy(cells()), "each host"))
    assert printed.get() == shown


SUCCESS = f"{Report(outcome=Outcome.SUCCESS)}\n"
#: Where a worker is killed, as the table has it, and the line before which that is.
KILLED = {
    "in `refunds`, before `yield`": "        yield Application",
    "in `pay`, before `with`": '    with BANK.open("a")',
    "in `pay`, before `return`": '    return f"receipt of {request',
}


@pytest.fixture
def project(tmp_path):
    """A folder with the programs that the README shows."""
    shown = r"\*\*((?:approve|refund\w+)\.py)\*\*\n\n```python\n(.*?)```"
    for name, text in re.findall(shown, README, re.DOTALL):
        (tmp_path / name).write_text(text)
    return tmp_path


def changed(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def dying(place):
    """Return a line of refunds.py, and the same with a worker that dies before it."""
    line = KILLED[place]
    indent = line[: len(line) - len(line.lstrip())]
    return line, f"{indent}import os; os._exit(9)\n{line}"


def started(project, program, *arguments):
    """Run a program, and return its exit code and what it printed."""
    environment = {**os.environ, "PYTHONPATH": PATHS}
    command = [sys.executable, project / program, *arguments]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout or done.stderr


def refunds(project):
    return [line.split()[0] for line in (project / "bank.txt").read_text().splitlines()]


def approve(project, *command):
    """What people do."""
    assert started(project, "approve.py", *command) == (0, "")


TABLE = re.findall(r"\n\| (in `\w+`, before `\w+`) \| `(.*?)` \| (\d) \|", README)


def test_the_table_has_each_place_where_a_worker_is_killed():
    assert [place for place, _, _ in TABLE] == list(KILLED)


@pytest.mark.parametrize(("place", "report", "made"), TABLE, ids=["begun", "admitted", "refunded"])
def test_a_graph_whose_worker_is_killed_and_authority_revoked_ends_as_the_table_says(
    project, place, report, made
):
    approve(project, "approve", "run-1")
    changed(project / "refunds.py", *dying(place))
    assert started(project, "refund_graph.py") == (9, "")
    approve(project, "revoke", "run-1")
    changed(project / "refunds.py", *reversed(dying(place)))
    assert started(project, "refund_graph.py") == (0, f"{report}\n")
    assert refunds(project) == ["run-1/refund/1"] * int(made)


FOUND = ("found", "run-1", "receipt 4711")


def test_what_somebody_has_found_settles_an_unknown_refund(project):
    approve(project, "approve", "run-1")
    code, told = started(project, "approve.py", *FOUND)
    assert code == 1
    assert "'run-1/refund' was never dispatched" in told
    changed(project / "refunds.py", *dying("in `pay`, before `with`"))
    assert started(project, "refund_graph.py") == (9, "")
    approve(project, *FOUND)
    changed(project / "refunds.py", *reversed(dying("in `pay`, before `with`")))
    assert started(project, "refund_graph.py") == (0, "{'outcome': 'success', 'reason': None}\n")
    with RecoveryStore(project / "recovery.db") as store:
        assert store.reservation("run-1/refund") == "charged"
        assert store.records("settlements", ("receipt",), "run-1/refund") == [("receipt 4711",)]
    assert refunds(project) == []


#: A worker that is replaced while it makes the refund.
REPLACED = (
    KILLED["in `pay`, before `return`"],
    """    with opened() as store:
        store.claim("run-1/refund", scope("run-1"), "another", clock() + SECOND, clock())
"""
    + KILLED["in `pay`, before `return`"],
)


def test_a_graph_whose_worker_was_replaced_ends_with_a_word_and_not_with_a_traceback(project):
    approve(project, "approve", "run-1")
    changed(project / "refunds.py", *REPLACED)
    told = "another worker has taken over: it will tell\n"
    assert started(project, "refund_graph.py") == (1, told)


def test_the_store_s_time_does_not_run_ahead_of_the_clock(project, monkeypatch):
    monkeypatch.chdir(project)
    names = runpy.run_path("refunds.py")
    with names["opened"]() as store:
        for _ in range(100):
            store.set_fact(Fact.GRANT, names["scope"]("run-1"), 1, names["clock"]())
        assert store.time() <= names["clock"]()


def ended_well(code):
    """Whether a program did; at its very end the SDK may abort it (temporalio/sdk-python, issue 300)."""
    return code in (0, -signal.SIGABRT)


def test_a_workflow_makes_its_refund_and_one_that_was_never_authorised_makes_none(project):
    flow = project / "refund_flow.py"
    approve(project, "approve", "run-2")
    with temporal.server() as address:
        changed(flow, "127.0.0.1:7233", address)
        code, told = started(project, "refund_flow.py")
        assert ended_well(code)
        assert told == SUCCESS
        changed(flow, "run-2", "run-3")
        code, told = started(project, "refund_flow.py")
        assert not ended_well(code)
        assert "no instance 'run-3/refund': register it first" in told
    assert refunds(project) == ["run-2/refund/1"]


@pytest.mark.deep
def test_a_workflow_whose_worker_dies_after_the_refund_is_ended_by_another(project):
    approve(project, "approve", "run-2")
    dies = dying("in `pay`, before `return`")
    with temporal.server() as address:
        changed(project / "refund_flow.py", "127.0.0.1:7233", address)
        changed(project / "refunds.py", *dies)
        assert started(project, "refund_flow.py") == (9, "")
        changed(project / "refunds.py", *reversed(dies))
        code, told = started(project, "refund_flow.py")
    assert ended_well(code)
    assert told == SUCCESS
    assert refunds(project) == ["run-2/refund/1"]
