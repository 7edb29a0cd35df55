"""What the tests of recovery share: an empty database, once of each kind."""

from functools import partial
from itertools import count

import pytest

from tests.recovery import postgres
from tests.recovery.databases import on_postgres, on_sqlite


@pytest.fixture(scope="session")
def postgres_server():
    """The connection string of a server."""
    with postgres.server(postgres.programs()) as dsn:
        yield dsn


@pytest.fixture(params=["sqlite", "postgres"])
def new_database(request, tmp_path):
    """Makes an empty database, each time it is called; on a server, in the place of the one before."""
    if request.param == "postgres":
        return partial(on_postgres, request.getfixturevalue("postgres_server"))
    numbers = count()
    return lambda: on_sqlite(tmp_path / f"{next(numbers)}.db")


@pytest.fixture
def database(new_database):
    """An empty database, whose stores are closed after the test."""
    database = new_database()
    yield database
    database.close()
