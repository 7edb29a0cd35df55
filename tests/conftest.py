"""What several test modules share because it is dear to make."""

from pathlib import Path

import pytest

from specwalk.graph import StateGraph, explore

SPEC = Path(__file__).parents[1] / "spec"


@pytest.fixture(scope="session")
def published_graph() -> StateGraph:
    """The state graph of the published custody instance."""
    return explore(SPEC / "Custody.tla", SPEC / "Custody_published.cfg")
