"""Every store that a test opens is closed after it: Python 3.13 warns of connections left open."""

import pytest

from abhyasa.store.sqlite import SqliteStore


@pytest.fixture(autouse=True)
def close_stores(monkeypatch):
    opened = []
    original = SqliteStore.__init__

    def init(store, *arguments):
        original(store, *arguments)
        opened.append(store)

    monkeypatch.setattr(SqliteStore, "__init__", init)
    yield
    for store in opened:
        store.close()
