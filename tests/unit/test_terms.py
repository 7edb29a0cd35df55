"""AB-2's numbers: waits, bounds, and the strict check of declared profiles."""

from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abhyasa import KindProfile, OnDecline, Terms
from abhyasa.core.backoff import shortest_span, wait, wait_end
from tests.unit.rig import INSTANT, at, terms

SECOND = timedelta(seconds=1)


def waits(bounds, count, name="o"):
    return [wait(bounds, name, number) / SECOND for number in range(1, count + 1)]


def test_waits_double_from_the_initial_one_and_stop_at_the_cap():
    assert waits(terms(window=600, max_retries=64, cap=10), 6) == [1, 2, 4, 8, 10, 10]


def test_the_cap_is_by_default_an_eighth_of_the_window_but_not_below_the_initial_wait():
    assert Terms(window=80 * SECOND, max_retries=1, initial=SECOND).ceiling == 10 * SECOND
    assert Terms(window=4 * SECOND, max_retries=1, initial=SECOND).ceiling == SECOND


@pytest.mark.parametrize("number", [64, 1_000, 10**9, 10**100])
def test_the_wait_never_overflows(number):
    bounds = terms(window=600, max_retries=10**101, cap=64)
    assert wait(bounds, "o", number) == 64 * SECOND
    longest = Terms(window=SECOND, max_retries=10**101, initial=SECOND, cap=timedelta.max)
    assert SECOND <= wait(longest, "o", number) <= timedelta.max


durations = st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(days=400))


@given(durations, st.integers(1, 80), st.integers(), st.text(max_size=5))
def test_jitter_draws_from_the_upper_half_of_the_wait(initial, number, seed, name):
    bounds = Terms(window=SECOND, max_retries=100, initial=initial, cap=initial * 8, jitter=seed)
    full = min(initial * 8, initial * 2 ** min(number - 1, 3))
    assert full / 2 <= wait(bounds, name, number) <= full
    assert wait(bounds, name, number) == wait(bounds, name, number)


def test_jitter_draws_both_ends_of_the_upper_half():
    bounds = Terms(window=SECOND, max_retries=9, initial=timedelta(microseconds=2))
    drawn = {wait(bounds, f"o{number}", 1) / timedelta(microseconds=1) for number in range(50)}
    assert drawn == {1, 2}


def test_jitter_spreads_obligations_seeds_and_deliveries():
    bounds = terms(window=600, max_retries=64, cap=64, jitter=7)
    assert len({wait(bounds, f"o{number}", 7) for number in range(50)}) > 40
    assert len({wait(terms(cap=64, jitter=seed), "o", 3) for seed in range(50)}) > 40
    capped = {wait(bounds, "o", number) for number in range(10, 60)}
    assert len(capped) > 40
    # Uniform over [32, 64] seconds: fifty draws fill both halves.
    assert min(capped) < 40 * SECOND < 56 * SECOND < max(capped)


def test_jitter_is_on_by_default():
    bounds = Terms(window=600 * SECOND, max_retries=64, initial=SECOND)
    assert len({wait_end(bounds, f"o{number}", 5, at(0), at(600)) for number in range(20)}) > 10


def test_the_wait_after_the_last_permitted_delivery_is_not_jittered():
    for seed in range(20):
        bounds = terms(window=600, max_retries=5, cap=64, jitter=seed)
        assert wait(bounds, "o", 6) == 32 * SECOND


def test_every_wait_ends_by_the_deadline():
    bounds = terms(window=600, max_retries=64, cap=64)
    assert wait_end(bounds, "o", 7, at(0), at(65)) == at(64)
    assert wait_end(bounds, "o", 7, at(0), at(63)) == at(63)
    forever = Terms(window=SECOND, max_retries=1, initial=timedelta.max, cap=timedelta.max)
    assert wait_end(forever, "o", 2, at(0), at(1)) == at(1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"window": timedelta(0)}, "window"),
        ({"initial": -SECOND}, "initial"),
        ({"max_retries": -1}, "^max_retries is"),
        ({"max_retries": True}, "^max_retries is"),
        ({"max_retries": 1.0}, "^max_retries is"),
        ({"cap": timedelta(seconds=0.5)}, "raise it"),
        ({"jitter": False}, "None for no jitter"),
        ({"on_decline": "ignore"}, "ignore"),
    ],
)
def test_impossible_terms_are_refused_by_name(fields, message):
    with pytest.raises(ValueError, match=message):
        Terms(**{"window": 6 * SECOND, "max_retries": 4, "initial": SECOND, **fields})


def test_terms_are_lenient_about_budget_and_cap():
    terms(window=6, max_retries=0, cap=1)
    terms(window=6, max_retries=4, cap=3600)
    assert terms(on_decline="surface").on_decline is OnDecline.SURFACE


def longhand_span(bounds: Terms) -> Fraction:
    """The least time until the budget is spent, in microseconds, added up wait by wait."""
    total = Fraction(0)
    for number in range(1, bounds.max_retries + 2):
        full = min(
            bounds.ceiling // timedelta(microseconds=1),
            (bounds.initial // timedelta(microseconds=1)) * 2 ** (number - 1),
        )
        last = number == bounds.max_retries + 1
        total += full if last or bounds.jitter is None else -(-full // 2)
    return total


@given(durations, st.integers(0, 40), st.integers(1, 50), st.none() | st.just(3))
def test_the_shortest_span_is_the_sum_of_the_lower_ends(initial, max_retries, factor, jitter):
    bounds = Terms(
        window=SECOND,
        max_retries=max_retries,
        initial=initial,
        cap=initial * factor,
        jitter=jitter,
    )
    assert shortest_span(bounds) == timedelta(microseconds=int(longhand_span(bounds)))


@pytest.mark.parametrize(
    # Waits of 1, 2, 4, then 8: three retries. Jitter halves all but the last.
    ("jitter", "span"),
    [(None, 15), (1, 0.5 + 1 + 2 + 8)],
)
def test_a_profile_is_checked_exactly_at_the_boundary(jitter, span):
    fits = terms(window=span, max_retries=3, cap=8, jitter=jitter)
    assert KindProfile(kind="k", terms=fits).terms is fits
    with pytest.raises(ValueError, match="raise max_retries"):
        KindProfile(kind="k", terms=terms(window=span + INSTANT, max_retries=3, cap=8, jitter=jitter))


def test_a_profile_keeps_its_cap_below_the_deadline():
    KindProfile(kind="k", terms=terms(window=8 + INSTANT, max_retries=9, cap=8))
    with pytest.raises(
        ValueError, match=r"cap .* is not below the deadline .*; lower cap or lengthen window"
    ):
        KindProfile(kind="k", terms=terms(window=8, max_retries=9, cap=8))


def test_a_profile_names_its_kind():
    with pytest.raises(ValueError, match=r"^kind is a non-empty string"):
        KindProfile(kind="", terms=terms(window=8, max_retries=9, cap=1))


@pytest.mark.parametrize(
    ("window", "cap", "max_retries", "accepted"),
    [
        (600, 64, 64, True),
        (86400, 3600, 48, True),
        (3600, 600, 16, True),
        (3600, 3600, 16, False),  # the cap is the deadline
        (60, 3600, 100, False),  # the cap is above the deadline
        (86400, 3600, 6, False),  # seven deliveries are spent after 127 seconds
        (10, 3600, 0, False),
    ],
)
def test_profiles_of_the_known_schedules(window, cap, max_retries, accepted):
    bounds = terms(window=window, max_retries=max_retries, cap=cap)
    if accepted:
        KindProfile(kind="k", terms=bounds)
    else:
        with pytest.raises(ValueError, match="AB-2"):
            KindProfile(kind="k", terms=bounds)


def test_a_huge_budget_is_checked_at_once():
    KindProfile(kind="k", terms=terms(window=600, max_retries=10**12, cap=64, jitter=1))
    assert shortest_span(terms(window=600, max_retries=10**30, cap=64)) == timedelta.max
