"""Commands that tests start run the code of this project, or of the copy of it that is tested."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.command import PATHS
from tests.harness.toy import ROOT


@pytest.mark.parametrize(("package", "folder"), [("specwalk", "harness"), ("abhyasa", "impl")])
def test_the_code_of_the_project_goes_before_what_is_installed(
    package: str, folder: str, tmp_path: Path
) -> None:
    program = f"from importlib.util import find_spec; print(find_spec({package!r}).origin)"
    # Without what is installed.
    command = [sys.executable, "-S", "-c", program]
    environment = {"PYTHONPATH": PATHS}
    found = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert Path(found.strip()) == ROOT / folder / package / "__init__.py"
