"""Which state of the spec an observation is: compared as it is, and read as TLA+ values where that fails."""

import pytest

from specwalk.replay import Driver, NoValue
from specwalk.values import Value
from tests.harness.toy import SnapshotModel

STATES: list[tuple[Value, ...]] = [((), 0), ((1,), 1), ((1, 2), 2)]
DRIVER = Driver(SnapshotModel({}), ("log", "size"))


@pytest.mark.parametrize("number", range(3))
def test_an_observation_that_equals_a_state(number: int) -> None:
    log, size = STATES[number]
    assert DRIVER.place(STATES, {"size": size, "log": log}) == number


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("kind", [list, lambda log: dict(enumerate(log, 1))])
def test_an_observation_of_other_types_with_the_same_values(number: int, kind: type) -> None:
    log, size = STATES[number]
    assert DRIVER.place(STATES, {"log": kind(log), "size": size}) == number


def test_an_observation_that_is_no_state() -> None:
    assert DRIVER.place(STATES, {"log": [1], "size": 2}) is None


def test_an_observation_that_has_no_values() -> None:
    with pytest.raises(NoValue, match=r"log: .*complex"):
        DRIVER.place(STATES, {"log": [1j], "size": 1})
