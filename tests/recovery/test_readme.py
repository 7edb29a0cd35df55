"""What the README says of recovery is so."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from abhyasa.recovery import Outcome, Report
from tests.harness.command import PATHS
from tests.recovery.hosts import temporal
from tests.recovery.report import count_table
from tests.recovery.rig import cells
from tests.recovery.table import by_policy

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_example_runs_as_it_stands_there():
    (code,) = re.findall(r"```python\n(from itertools.*?)```", README, re.DOTALL)
    exec(code, {})


def test_the_counts_are_those_that_it_shows():
    (shown,) = re.findall(r"<!-- transcript: recovery -->\n```text\n(.*?)```", README, re.DOTALL)
    console = Console(width=80)
    with console.capture() as printed:
        console.print(count_table(by_policy(cells()), "each host"))
    assert printed.get() == shown


SUCCESS = f"{Report(outcome=Outcome.SUCCESS)}\n"
#: A worker that dies with the refund made and its receipt not yet kept.
DIES = ('    return f"receipt of {request', '    import os; os._exit(9)\n    return f"receipt of {request')


@pytest.fixture
def project(tmp_path):
    """A folder with the programs that the README shows."""
    for name, text in re.findall(r"\*\*(refund\w+\.py)\*\*\n\n```python\n(.*?)```", README, re.DOTALL):
        (tmp_path / name).write_text(text)
    return tmp_path


def changed(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def started(project, program):
    """Run a program, and return its exit code and what it printed."""
    environment = {**os.environ, "PYTHONPATH": PATHS}
    command = [sys.executable, project / program]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout or done.stderr


def refunds(project):
    return [line.split()[0] for line in (project / "bank.txt").read_text().splitlines()]


def test_a_graph_whose_worker_dies_after_the_refund_goes_on_and_makes_no_other(project):
    changed(project / "refunds.py", *DIES)
    assert started(project, "refund_graph.py") == (9, "")
    changed(project / "refunds.py", *reversed(DIES))
    assert started(project, "refund_graph.py") == (0, "{'outcome': 'success', 'reason': None}\n")
    assert refunds(project) == ["run-1/refund/1"]


def ended_well(code):
    """Whether a program did; at its very end the SDK may abort it (temporalio/sdk-python, issue 300)."""
    return code in (0, -signal.SIGABRT)


def test_a_workflow_makes_its_refund_and_one_that_was_never_authorised_makes_none(project):
    flow = project / "refund_flow.py"
    with temporal.server() as address:
        changed(flow, "127.0.0.1:7233", address)
        code, told = started(project, "refund_flow.py")
        assert ended_well(code)
        assert told == SUCCESS
        changed(flow, '    authorise("run-2")\n', "")
        changed(flow, "run-2", "run-3")
        code, told = started(project, "refund_flow.py")
        assert not ended_well(code)
        assert "no instance 'run-3/refund': register it first" in told
    assert refunds(project) == ["run-2/refund/1"]


@pytest.mark.deep
def test_a_workflow_whose_worker_dies_after_the_refund_is_ended_by_another(project):
    with temporal.server() as address:
        changed(project / "refund_flow.py", "127.0.0.1:7233", address)
        changed(project / "refunds.py", *DIES)
        assert started(project, "refund_flow.py") == (9, "")
        changed(project / "refunds.py", *reversed(DIES))
        code, told = started(project, "refund_flow.py")
    assert ended_well(code)
    assert told == SUCCESS
    assert refunds(project) == ["run-2/refund/1"]
