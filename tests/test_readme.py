"""What the README shows works as it stands there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.command import PATHS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def project(folder: Path) -> None:
    """Write the README's example project."""
    for name, text in re.findall(r"\*\*(\S+)\*\*\n\n```\w+\n(.*?)```", README, re.DOTALL):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def specwalk(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "specwalk", *arguments)


def run(folder: Path, *module: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *module]
    environment = {**os.environ, "PYTHONPATH": PATHS}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def transcript(name: str) -> str:
    found = re.search(rf"<!-- transcript: {name} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_tank_agrees_with_its_spec(tmp_path: Path) -> None:
    project(tmp_path)
    done = specwalk(tmp_path, "check", "tank")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK: 8 transitions and 4 refusals agree with the spec." in done.stdout


def test_an_overflowing_tank_is_reported_as_the_readme_shows_and_its_snippet_fails(tmp_path: Path) -> None:
    project(tmp_path)
    sound = (tmp_path / "tank.py").read_text()
    overflow(tmp_path)
    done = specwalk(tmp_path, "check", "tank")
    assert done.returncode == 5
    shown = transcript("tank").strip()
    assert shown
    assert shown in done.stdout

    snippet = re.search(r"\n(    from specwalk.replay.*?\n {8}\)\n)", done.stdout, re.DOTALL)
    assert snippet
    test = re.sub(r"^    ", "", snippet[1], flags=re.MULTILINE)
    (tmp_path / "test_tank.py").write_text(test)
    assert run_pytest(tmp_path, "test_tank.py").returncode == 1
    (tmp_path / "tank.py").write_text(sound)
    assert run_pytest(tmp_path, "test_tank.py").returncode == 0


def overflow(folder: Path) -> None:
    """Let the tank take one more than it holds."""
    sound = (folder / "tank.py").read_text()
    (folder / "tank.py").write_text(sound.replace("> self.capacity:", "> self.capacity + 1:"))


def run_pytest(folder: Path, file: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "pytest", "-q", "-p", "no:cacheprovider", file)


def test_behaviours_of_the_tank_pass_and_a_failure_is_told_by_its_shortest_walk(tmp_path: Path) -> None:
    project(tmp_path)
    passed = run_pytest(tmp_path, "test_behaviours.py")
    assert passed.returncode == 0, passed.stdout
    overflow(tmp_path)
    failed = run_pytest(tmp_path, "test_behaviours.py")
    assert failed.returncode == 1
    assert re.search(r"the shortest walk to it: .*try Fill\(\d\)\n", failed.stdout)
    assert "def test_fill_" in failed.stdout


def test_the_log_of_a_tank_that_overflowed_is_rejected_as_the_readme_shows(tmp_path: Path) -> None:
    project(tmp_path)
    (methods,) = re.findall(r"# as above, and\n\n(    def read_event.*?)```", README, re.DOTALL)
    model = tmp_path / "model/tank.py"
    imported = model.read_text().replace("NotOffered, action", "NotOffered, Reading, action")
    imported = f"from specwalk.errors import BadInput\n{imported}"
    model.write_text(f"{imported}\n{methods}")
    done = specwalk(tmp_path, "validate", "tank", "tank.jsonl")
    assert done.returncode == 5
    assert done.stdout.strip() == transcript("log").strip()
    drained = '{"event": "filled", "amount": 2}\n{"event": "drained"}\n{"event": "filled", "amount": 2}\n'
    (tmp_path / "tank.jsonl").write_text(drained)
    done = specwalk(tmp_path, "validate", "tank", "tank.jsonl")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.deep
def test_the_extension_by_a_deferral_works_as_written(tmp_path: Path) -> None:
    for part in ("spec", "model"):
        shutil.copytree(ROOT / part, tmp_path / part)
    section = README.partition("\n## Extending the spec\n")[2].partition("\n## ")[0]
    spec, model = re.findall(r"```diff\n(.*?)```", section, re.DOTALL)
    check, regenerate = re.findall(r"\$ \.venv/bin/specwalk (.*)\n", section)
    file, skeleton = tmp_path / "model/custody.py", tmp_path / "model/custody_missing.py"

    patch(tmp_path, spec)
    written = file.read_text()
    done = specwalk(tmp_path, *check.split())
    assert done.returncode == 2
    assert transcript("grown") in done.stdout
    assert transcript("skeleton") in skeleton.read_text()
    assert file.read_text() == written

    skeleton.unlink()
    patch(tmp_path, model)
    done = specwalk(tmp_path, *check.split())
    assert done.returncode == 6
    assert transcript("walked") in done.stdout

    # The large instance takes minutes.
    whole = file.read_text().replace('("single", "published", "deadline")', '("single", "deadline")')
    file.write_text(whole)
    done = specwalk(tmp_path, *regenerate.split())
    assert done.returncode == 0, done.stdout
    assert transcript("regenerated") in (tmp_path / "tests/conformance/test_custody_single.py").read_text()
    # By hand: while pending, 1 state before the first attempt, 3 after it, and 4 after each further one, for
    # then an obligation may have been deferred and be applied; the last of them escalate. One that is not
    # applied may be declined, one that is in time may end as applied.
    assert "pinned: 46 distinct" in (tmp_path / "spec/Custody_single.cfg").read_text()
    assert "pinned: 26 distinct" in (tmp_path / "spec/Custody_deadline.cfg").read_text()
    assert run_pytest(tmp_path, "tests/conformance").returncode == 0
    file.write_text(re.sub(r".*waiting.*\n(.*resolve.*\n)?", "", whole))
    failed = run_pytest(tmp_path, "tests/conformance").stdout
    assert "FAILED tests/conformance/test_custody_single.py::test_defer_apply_settled" in failed


def patch(folder: Path, diff: str) -> None:
    subprocess.run(["git", "apply"], cwd=folder, input=diff, text=True, check=True)


def test_the_protocol_in_a_few_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.findall(r"```python\n(from datetime.*?)```", README, re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    exec(code, scope)
    for side in ("custodian", "receiver"):
        scope[side]._store.close()  # type: ignore[attr-defined]
