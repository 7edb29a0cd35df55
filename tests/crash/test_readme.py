"""The two programs of the README, as they stand there, in processes of their own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from tests.crash.processes import free_port

PROJECT = Path(__file__).parents[2]
PROGRAMS = dict(
    re.findall(
        r"\*\*(agent_b|principal)\.py\*\*\n\n```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.S
    )
)


def events(log: Path) -> list[str]:
    return [json.loads(line)["event"] for line in log.read_text().splitlines()] if log.exists() else []


def test_the_programs_of_the_readme_deliver_and_end_in_order(tmp_path):
    port, environment = str(free_port()), {**os.environ, "PYTHONPATH": str(PROJECT / "impl")}
    with ExitStack() as running:
        started = []
        for name in ("agent_b", "principal"):
            program = PROGRAMS[name]
            assert "7601" in program
            (tmp_path / f"{name}.py").write_text(program.replace("7601", port))
            process = subprocess.Popen([sys.executable, f"{name}.py"], cwd=tmp_path, env=environment)
            running.enter_context(process)
            running.callback(process.kill)
            started.append(process)
        limit = time.monotonic() + 60
        while "discharge" not in events(tmp_path / "principal.jsonl") and time.monotonic() < limit:
            time.sleep(0.02)
        for process in started:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 0
    assert events(tmp_path / "agent-b.jsonl") == ["start", "receive", "apply", "reply", "stop"]
    assert events(tmp_path / "principal.jsonl")[-3:] == ["receive_ack", "discharge", "stop"]
