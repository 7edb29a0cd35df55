"""What the tests share: their processes, the one graph that is dear to make, and the closing of stores."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from xdist.remote import Producer

from abhyasa.store.sqlite import SqliteStore
from specwalk.graph import StateGraph
from tests.explored import KEPT, explored
from tests.sharing import PROCESSES, ByGraph

SPEC = Path(__file__).parents[1] / "spec"

# A shell that runs the suite in the background has it ignore Ctrl-C, and so would every command that a
# test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """What TLC explores for one process is kept for the others."""
    if KEPT not in os.environ:
        kept = TemporaryDirectory(prefix="explored-")
        os.environ[KEPT] = kept.name
        config.add_cleanup(kept.cleanup)


def pytest_xdist_auto_num_workers() -> int:
    return PROCESSES


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByGraph:
    return ByGraph(config, log)


@pytest.fixture(scope="session")
def published_graph() -> StateGraph:
    """The state graph of the published custody instance."""
    return explored(SPEC / "Custody.tla", SPEC / "Custody_published.cfg")


@pytest.fixture(autouse=True)
def close_stores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every store that a test opens is closed after it: Python 3.13 warns of connections left open."""
    opened: list[SqliteStore] = []
    original = SqliteStore.__init__

    def init(store: SqliteStore, *arguments: str, **options: bytes | None) -> None:
        original(store, *arguments, **options)
        opened.append(store)

    monkeypatch.setattr(SqliteStore, "__init__", init)
    yield
    for store in opened:
        store.close()
