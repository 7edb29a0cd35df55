"""Whole transfers in simulated time: golden schedules, bad channels, and the shape of many runs."""

from collections import Counter
from datetime import timedelta
from random import Random

import pytest

from abhyasa import AckStatus, Due, Status
from abhyasa.channel import DEAD, PERFECT, Channel, Faults
from abhyasa.clock import SimulatedClock
from abhyasa.simulation import Simulation, Weather
from tests.unit.rig import APPLIED, DECLINED, KINDS, START, TARGET, WEIGHT_KEY, at, terms, update

HARSH = Faults(lose=0.3, duplicate=0.3, delay=0.5, reorder=0.5, longest=timedelta(seconds=20))


def simulation(weather, decide=lambda _: APPLIED, seed=0):
    return Simulation(
        clock=SimulatedClock(START),
        kinds=KINDS,
        receivers=[TARGET],
        weather=weather,
        decide=decide,
        seed=seed,
    )


@pytest.mark.parametrize(
    ("window", "cap", "max_retries", "deliveries", "last", "cause", "fail_safe"),
    [
        (600, 64, 64, 15, 575, Due.DEADLINE, 600),
        (86400, 3600, 48, 35, 83295, Due.DEADLINE, 86400),
        (3600, 600, 16, 15, 3423, Due.DEADLINE, 3600),
        (3600, 3600, 16, 12, 2047, Due.DEADLINE, 3600),
        (60, 3600, 100, 6, 31, Due.DEADLINE, 60),
        # The budget is spent: the fail-safe follows the last delivery by its whole wait.
        (86400, 3600, 6, 7, 63, Due.BUDGET, 63 + 64),
        (10, 3600, 0, 1, 0, Due.BUDGET, 0 + 1),
    ],
)
def test_golden_schedules_on_a_dead_channel(window, cap, max_retries, deliveries, last, cause, fail_safe):
    run = simulation(lambda _: Weather(outward=DEAD, homeward=PERFECT))
    run.custodian.accept(update(), terms(window=window, cap=cap, max_retries=max_retries), START)
    run.run()
    record = run.custodian.record("o")
    assert (record.deliveries, record.attempted_at) == (deliveries, at(last))
    [escalation] = run.custodian.escalations()
    assert (escalation.cause, escalation.escalated_at) == (cause, at(fail_safe))


def test_on_a_perfect_channel_one_delivery_discharges_at_once():
    run = simulation(lambda _: Weather(outward=PERFECT, homeward=PERFECT))
    run.custodian.accept(update(), terms(), START)
    run.run()
    record = run.custodian.record("o")
    assert (record.status, record.deliveries, record.settled_at) == (Status.APPLIED, 1, START)
    assert run.custodian.notes() == []


def test_after_a_pause_the_run_goes_on_from_the_present():
    run = simulation(lambda _: Weather(outward=PERFECT, homeward=PERFECT))
    run.custodian.accept(update(), terms(), START)
    run.clock.jump(at(100))
    run.run()
    assert run.custodian.record("o").settled_at == at(100)
    assert run.custodian.record("o").status is Status.ESCALATED


def test_ab4_holds_without_a_working_reverse_channel():
    run = simulation(lambda _: Weather(outward=PERFECT, homeward=DEAD))
    run.custodian.accept(update(), terms(), START)
    run.run()
    assert run.custodian.record("o").status is Status.ESCALATED
    assert run.receivers[TARGET].state(WEIGHT_KEY) == 0.375  # five deliveries, one application


MICROSECOND = timedelta(microseconds=1)


def test_at_one_moment_arrivals_come_first_then_what_is_due():
    # A delay of up to one microsecond rounds to none or to all of it: just when the wait ends.
    late = Faults(delay=1, longest=MICROSECOND)
    settled = set()
    for seed in range(20):
        run = simulation(lambda _: Weather(outward=PERFECT, homeward=late), seed=seed)
        run.custodian.accept(update(), terms(initial=MICROSECOND), START)
        run.run()
        record = run.custodian.record("o")
        assert (record.status, record.deliveries) == (Status.APPLIED, 1)
        settled.add(record.settled_at)
    assert settled == {START, START + MICROSECOND}


def test_the_two_directions_draw_their_faults_apart():
    even = Faults(lose=0.5)
    outcomes = Counter()
    for seed in range(40):
        run = simulation(lambda _: Weather(outward=even, homeward=even), seed=seed)
        run.custodian.accept(update(), terms(max_retries=0), START)
        run.run()
        arrived = run.receivers[TARGET].entry("o") is not None
        outcomes[arrived, run.custodian.record("o").status] += 1
    # If both drew alike, an answer to what arrived could not be lost.
    assert outcomes[True, Status.ESCALATED] > 0
    assert outcomes[True, Status.APPLIED] > 0


def decide_by_id(obligation):
    """Decline one in three."""
    return DECLINED if int(obligation.id) % 3 == 0 else APPLIED


def many(transfers, weather, seed, window=600.0):
    """Run numbered transfers at the same time, each for a weight of its own."""
    run = simulation(weather, decide_by_id, seed)
    for number in range(transfers):
        payload = {"weight_key": f"w{number}", "weight_delta": -0.125}
        bounds = terms(window=window, max_retries=64, cap=64)
        run.custodian.accept(update(str(number), payload=payload), bounds, START)
    run.run()
    return run


def require_deliver_or_report(run, transfers, window=600.0):
    """Check each transfer against the guarantee of section 4 and the rules AB-2 to AB-4."""
    receiver = run.receivers[TARGET]
    escalated = {escalation.obligation_id for escalation in run.custodian.escalations()}
    for number in range(transfers):
        record, entry = run.custodian.record(str(number)), receiver.entry(str(number))
        weight = receiver.state(f"weight/w{number}")
        assert record.status in (Status.APPLIED, Status.DECLINED, Status.ESCALATED)
        assert record.settled_at <= at(window)
        assert (record.status is Status.ESCALATED) == (str(number) in escalated)
        assert record.protected == (record.status is not Status.APPLIED)
        applied = entry is not None and entry.status is AckStatus.APPLIED
        assert weight == (0.375 if applied else None)
        if record.status is not Status.ESCALATED:
            assert record.status.value == entry.status.value
    assert run.custodian.next_due() is None


@pytest.mark.parametrize("seed", range(5))
def test_deliver_or_report_on_harsh_channels(seed):
    run = many(60, lambda _: Weather(outward=HARSH, homeward=HARSH), seed, window=30)
    require_deliver_or_report(run, 60, window=30)
    statuses = {run.custodian.record(str(number)).status for number in range(60)}
    assert statuses >= {Status.APPLIED, Status.DECLINED}
    assert run.custodian.notes()  # duplicates and delays did happen


def weather_of(transfers, seed, duplicates):
    """Draw drop, duplicate and ack-drop uniformly in [0, 1), once per transfer."""
    random = Random(seed)
    drawn = {}
    for number in range(transfers):
        drop, duplicate, ack_drop = random.random(), random.random(), random.random()
        outward = Faults(lose=drop, duplicate=duplicate if duplicates else 0)
        drawn[str(number)] = Weather(outward=outward, homeward=Faults(lose=ack_drop))
    return drawn.__getitem__


BATCH = 500


def shape(transfers, duplicates):
    """Run so many transfers, batch by batch, and check each against the guarantee.

    Return the shares of applied, declined and escalated, and the deliveries on average.
    """
    totals = Counter()
    for seed in range(transfers // BATCH):
        run = many(BATCH, weather_of(BATCH, seed, duplicates), seed)
        require_deliver_or_report(run, BATCH)
        for number in range(BATCH):
            record = run.custodian.record(str(number))
            totals[record.status] += 1
            totals["deliveries"] += record.deliveries
    kinds = (Status.APPLIED, Status.DECLINED, Status.ESCALATED, "deliveries")
    return [totals[kind] / transfers for kind in kinds]


# Without duplicates these have closed forms. A delivery is answered with probability s, the product
# of two uniforms, and 15 fit in the window: E[(1-s)^15] = H(16)/16 = 0.2113 are escalated, and
# E[(1 - (1-s)^15) / s] = 6.296 deliveries are made. One in three of the rest is declined.
ESCALATED = sum(1 / n for n in range(1, 17)) / 16
DELIVERIES = sum(sum(1 / n for n in range(1, m + 1)) / m for m in range(1, 16))
SHAPE = [(1 - ESCALATED) * 2 / 3, (1 - ESCALATED) / 3, ESCALATED, DELIVERIES]


def test_the_closed_form_is_the_known_shape():
    assert pytest.approx([0.526, 0.262, 0.212, 6.3], abs=0.005) == SHAPE


@pytest.mark.parametrize(
    ("transfers", "share", "deliveries"),
    [
        # Four standard deviations of a share near one half, and of the deliveries (about 5.4).
        (1000, 0.064, 0.7),
        pytest.param(100_000, 0.0064, 0.07, marks=pytest.mark.deep),
    ],
)
def test_the_shape_of_many_transfers(transfers, share, deliveries):
    *shares, average = shape(transfers, duplicates=False)
    assert shares == pytest.approx(SHAPE[:3], abs=share)
    assert average == pytest.approx(SHAPE[3], abs=deliveries)


@pytest.mark.parametrize("transfers", [1000, pytest.param(100_000, marks=pytest.mark.deep)])
def test_duplicates_change_no_guarantee_and_only_help_delivery(transfers):
    assert shape(transfers, duplicates=True)[2] < ESCALATED


def test_the_same_seed_gives_the_same_run():
    runs = [many(40, lambda _: Weather(outward=HARSH, homeward=HARSH), seed) for seed in (3, 3, 4)]
    first, again, other = ([run.custodian.record(str(number)) for number in range(40)] for run in runs)
    assert first == again
    assert first != other


def arrivals(faults, messages=1000, seed=5):
    channel = Channel(seed)
    for number in range(messages):
        channel.put(number, at(number), faults)
    taken = []
    while (moment := channel.next_arrival()) is not None:
        assert channel.take(moment - timedelta(microseconds=1)) is None
        taken.append((channel.take(moment), moment))
    return taken


def test_a_perfect_channel_keeps_everything_in_order():
    assert arrivals(PERFECT) == [(number, at(number)) for number in range(1000)]


@pytest.mark.parametrize(
    ("faults", "low", "high"),
    [(Faults(lose=0.25), 690, 810), (Faults(duplicate=0.25), 1190, 1310), (DEAD, 0, 0)],
)
def test_a_channel_loses_and_duplicates_as_often_as_it_says(faults, low, high):
    assert low <= len(arrivals(faults)) <= high


def test_a_channel_delays_by_at_most_the_longest_and_thereby_reorders():
    taken = arrivals(Faults(delay=0.5, longest=timedelta(seconds=10)))
    delays = [(moment - at(number)).total_seconds() for number, moment in taken]
    assert sum(delay == 0 for delay in delays) in range(430, 570)
    assert 9 < max(delays) <= 10
    assert [number for number, _ in taken] != sorted(number for number, _ in taken)


def test_a_reordered_message_overtakes_those_that_arrive_with_it():
    channel = Channel(6)
    for number in range(100):
        channel.put(number, at(0), Faults(reorder=0.5))
    order = [channel.take(at(0)) for _ in range(100)]
    assert sorted(order) == list(range(100))
    assert order != sorted(order)
    assert order[-25:] == sorted(order[-25:]), "those that were overtaken stay in order"


@pytest.mark.parametrize("fields", [{"lose": 1.1}, {"delay": -0.1}, {"longest": -timedelta(1)}])
def test_impossible_faults_are_refused(fields):
    with pytest.raises(ValueError, match=next(iter(fields))):
        Faults(**fields)


def test_simulated_time_only_goes_forward():
    clock = SimulatedClock(START)
    clock.jump(at(1))
    with pytest.raises(ValueError, match="only goes forward"):
        clock.jump(at(0.5))
    assert clock.now() == at(1)
