"""What the tests catch fails by itself too: a busy machine alone is no catch."""

from pathlib import Path

import pytest

from tests.teeth.checks import first_catch
from tests.teeth.fault import copy_project

TESTS = """
from pathlib import Path

import pytest

BEFORE = Path(__file__).with_name("before")

def test_that_fails_once():
    if not BEFORE.exists():
        BEFORE.touch()
        pytest.fail("out of time")

@pytest.mark.parametrize("side", ["custodian, dead", "receiver"])
def test_that_fails(side):
    assert side == "receiver" or not {fault}, "lost - again"
"""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("fault", "caught"), [(True, "tests/test_here.py::test_that_fails[custodian, dead]"), (False, None)]
)
def test_a_catch_fails_by_itself_too(fault: bool, caught: str | None, tmp_path: Path) -> None:
    copy_project(tmp_path)
    (tmp_path / "tests/test_here.py").write_text(TESTS.replace("{fault}", str(fault)))
    assert first_catch(tmp_path, "tests/test_here.py") == caught
