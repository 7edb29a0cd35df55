"""What the tests of crashes share."""

from collections.abc import Iterator

import pytest

from tests.crash.processes import kill_started
from tests.model.durable_logs import possible


@pytest.fixture(scope="session", autouse=True)
def explored() -> None:
    """TLC explores the specs before any process waits for anything."""
    possible()
    possible("supersession")


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """A case leaves no process to the next one, however it ends."""
    yield
    kill_started()
