"""The system clock: it follows a wall clock that is ahead, and never one that is put back."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abhyasa.runtime import SystemClock

SECOND = 10**9


class Hands:
    """A wall clock and a monotonic one, in nanoseconds, that a test moves."""

    def __init__(self):
        self.wall, self.monotonic = 1_700_000_000 * SECOND, 5 * SECOND
        self.clock = SystemClock(lambda: self.wall, lambda: self.monotonic)

    def pass_(self, seconds):
        self.wall += seconds * SECOND
        self.monotonic += seconds * SECOND


def since(moment):
    return (moment - datetime.fromtimestamp(1_700_000_000, UTC)) / timedelta(seconds=1)


def test_it_tells_the_wall_clock_in_utc():
    hands = Hands()
    hands.pass_(3)
    assert hands.clock.now() == datetime(2023, 11, 14, 22, 13, 23, tzinfo=UTC)
    assert hands.clock.now().tzinfo is UTC


def test_a_jump_forward_is_followed_at_once_and_stays():
    hands = Hands()
    hands.wall += 3600 * SECOND
    assert since(hands.clock.now()) == 3600
    hands.wall -= 3600 * SECOND  # and back again: what was told stands
    hands.pass_(1)
    assert since(hands.clock.now()) == 3601


@pytest.mark.parametrize("back", [1, 3600, 10**8])
def test_a_jump_back_leaves_time_going_on_as_the_process_measures_it(back):
    hands = Hands()
    hands.pass_(2)
    hands.wall -= back * SECOND
    assert since(hands.clock.now()) == 2
    hands.pass_(5)
    assert since(hands.clock.now()) == 7


MOVES = st.lists(st.tuples(st.integers(-100, 100), st.integers(0, 100)), max_size=20)


@given(MOVES)
def test_it_is_the_latest_that_any_reading_of_the_wall_clock_implies(moves):
    hands = Hands()
    implied = [hands.wall - hands.monotonic]
    for jump, passed in moves:
        hands.wall += jump * SECOND
        hands.pass_(passed)
        implied.append(hands.wall - hands.monotonic)
        told = since(hands.clock.now()) * SECOND
        assert told == hands.monotonic + max(implied) - 1_700_000_000 * SECOND
