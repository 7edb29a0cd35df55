"""What the tests of crashes share."""

import pytest

from tests.model.durable_logs import explore_first


@pytest.fixture(scope="session", autouse=True)
def explored() -> None:
    """TLC explores the spec before any process waits for anything."""
    explore_first()
