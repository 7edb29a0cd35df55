"""What the tests of crashes share."""

import pytest

from tests.model.durable_logs import possible


@pytest.fixture(scope="session", autouse=True)
def explored() -> None:
    """TLC explores the specs before any process waits for anything."""
    possible()
    possible("supersession")
