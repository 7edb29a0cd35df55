"""What the README shows works as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()


def project(folder: Path) -> None:
    """Write the README's example project."""
    for name, text in re.findall(r"\*\*(\S+)\*\*\n\n```\w+\n(.*?)```", README, re.DOTALL):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


def specwalk(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "specwalk", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def transcript(name: str) -> str:
    found = re.search(rf"<!-- transcript: {name} -->\n```text\n(.*?)```", README, re.DOTALL)
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
    (tmp_path / "tank.py").write_text(sound.replace("> self.capacity:", "> self.capacity + 1:"))
    done = specwalk(tmp_path, "check", "tank")
    assert done.returncode == 5
    shown = transcript("tank").strip()
    assert shown
    assert shown in done.stdout

    snippet = re.search(r"\n(    from specwalk.replay.*?\n {8}\)\n)", done.stdout, re.DOTALL)
    assert snippet
    test = re.sub(r"^    ", "", snippet[1], flags=re.MULTILINE)
    (tmp_path / "test_tank.py").write_text(test)
    assert run_pytest(tmp_path) == 1
    (tmp_path / "tank.py").write_text(sound)
    assert run_pytest(tmp_path) == 0


def run_pytest(folder: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tank.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode


def test_the_protocol_in_a_few_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(from datetime.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    exec(code, scope)
    for side in ("custodian", "receiver"):
        scope[side]._store.close()  # type: ignore[attr-defined]
