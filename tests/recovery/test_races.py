"""Workers that race, as real processes (section 7 names this as unmeasured), judged from what is durable.

What spec/Recovery.tla claims of all histories these show of processes, on each database: Ownership (R6)
where a worker is replaced; FirstDispatchAuthority (R2), ConsumedOnce (R3) and DenialIsJustified (R12)
where check and commit contend; SettlementIdempotence (R11) and RetainedUncertainty (R9) where a worker
dies. The checker grades each race once one more worker has brought it to its end.
"""

import random
from contextlib import closing
from dataclasses import replace

import pytest

from tests.recovery.corpus import DELAYED, LOST, PROMPT
from tests.recovery.racer import revoke, revoke_for_a_while
from tests.recovery.racing import Track, at_once
from tests.recovery.watched import BY_NAME

A_FEW, MANY = 3, pytest.param(100, marks=pytest.mark.deep, id="many")
EVERY = pytest.param({"before", "after", "judged"}, marks=pytest.mark.deep, id="every place")


@pytest.fixture
def track(database):
    with closing(Track(database.opening("watched"))) as track:
        yield track


def sound(race, instance=None):
    """Require that the checker finds no fault in a race, and return its verdict."""
    verdict = race.verdict(instance)
    assert verdict.findings == ()
    return verdict


def counted(events):
    return {of: len(events[of]) for of in ("intents", "consumptions", "observations", "settlements")}


ENDS = {"success", "unknown", "denied", "LeaseLost", "revoked", "granted", "dead"}
ONCE = {"intents": 1, "consumptions": 1, "observations": 1, "settlements": 1}


@pytest.mark.parametrize("rounds", [A_FEW, MANY])
def test_of_two_workers_that_ask_at_once_one_is_admitted(track, rounds):
    for _ in range(rounds):
        with track.race() as race:
            workers = [race.begin(name, stops=["before admit 1"]) for name in ("w1", "w2")]
            assert sorted(at_once(*workers)) == ["LeaseLost", "success"]
            assert counted(race.events()) == ONCE
            assert sound(race).requests == 1


@pytest.mark.parametrize("rounds", [A_FEW, MANY])
def test_of_two_instances_that_ask_for_one_approval_at_once_one_is_admitted(track, rounds):
    for _ in range(rounds):
        with track.race() as race:
            rival = replace(race.instance, id=f"{race.instance.id}-rival")
            race.permit(rival)
            workers = [
                race.begin(name, instance=instance, stops=["before admit 1"])
                for name, instance in (("w1", race.instance), ("w2", rival))
            ]
            assert sorted(at_once(*workers)) == ["denied", "success"]
            intents = [len(race.events(instance)["intents"]) for instance in (race.instance, rival)]
            assert sorted(intents) == [0, 1]
            assert len(race.events()["consumptions"]) == 1
            reservations = {race.events(instance)["reservation"] for instance in (race.instance, rival)}
            assert reservations == {None, "charged"}
            sound(race)
            sound(race, rival)


def contended(race):
    """Tell of each intent whether it was committed before the revocation."""
    events = race.events()
    (revoked,) = (said["at"] for said in events["authority"] if (said["fact"], said["value"]) == ("grant", 0))
    return [intent["at"] < revoked for intent in events["intents"]]


@pytest.mark.parametrize("rounds", [A_FEW, MANY])
def test_what_is_admitted_beside_a_revocation_was_admitted_before_it(track, rounds):
    for turn in range(rounds):
        with track.race() as race:
            asks = race.begin("w1", stops=["before admit 1"])
            revokes = race.begin("authority", revoke, stops=["before set_fact 1"])
            at_once(*((asks, revokes) if turn % 2 else (revokes, asks)))
            assert contended(race) in ([], [True])
            assert sound(race).grade == ("completion" if contended(race) else "denial")


def test_a_revocation_waits_for_an_admission_that_is_judged_and_not_committed(track):
    with track.race() as race:
        asks = race.begin("w1", stops=["judged 1"])
        assert asks.hear() == "judged 1"
        revokes = race.begin("authority", revoke)
        assert not revokes.pipe.poll(0.1)
        asks.pipe.send(None)
        assert [asks.hear(), revokes.hear()] == ["success", "revoked"]
        assert contended(race) == [True]
        assert sound(race).grade == "completion"


def revoked_meanwhile(track, place):
    """Have a worker stop at a place, and go on after a revocation; return what comes of it."""
    with track.race() as race:
        asks = race.begin("w1", stops=[place])
        assert asks.hear() == place
        assert race.end("authority", job=revoke) == "revoked"
        asks.pipe.send(None)
        return asks.hear(), contended(race), race.verdict()


def test_a_revocation_just_before_the_admission_is_seen(track):
    how, dispatched, verdict = revoked_meanwhile(track, "before admit 1")
    assert (how, dispatched, verdict.grade) == ("denied", [], "denial")


def test_a_judgment_before_the_transaction_that_commits_it_is_caught(database):
    with closing(Track(database.opening("early"))) as track:
        how, dispatched, verdict = revoked_meanwhile(track, "judged early 1")
    assert (how, dispatched, verdict.rules) == ("success", [False], {"R2"})


def test_a_revocation_that_waited_for_its_turn_is_not_dated_back(track):
    with track.race() as race:
        revokes = race.begin("authority", revoke, stops=["before set_fact 1"])
        assert revokes.hear() == "before set_fact 1"  # it has read its clock
        assert race.end("w1") == "success"
        revokes.pipe.send(None)
        assert revokes.hear() == "revoked"
        assert contended(race) == [True]
        sound(race)


def places(track):
    """Return every place of a run that is admitted, sends, and settles, in order."""
    reached = []
    with track.race() as race:
        track.store.reach = reached.append
        race.verdict()
        del track.store.reach
    return [f"{place} {reached[: at + 1].count(place)}" for at, place in enumerate(reached)]


def between_transactions(track):
    """Return the places of a run that has claimed, and has no transaction open."""
    every = places(track)
    return [place for place in every[every.index("after claim 1") :] if place.split()[1] in BY_NAME]


def test_a_worker_that_goes_on_after_it_was_replaced_changes_nothing(track):
    for place in between_transactions(track):
        with track.race() as race:
            stale = race.begin("w1", stops=[place])
            assert stale.hear() == place
            assert race.end("w2") in ("success", "unknown")
            before = race.events()
            stale.pipe.send(None)
            assert stale.hear() == ("LeaseLost" if place != "after report 1" else "success")
            assert race.events() == before
            assert sound(race).grade == "completion"


@pytest.mark.parametrize("kinds", [{"after", "commit"}, EVERY])
def test_whatever_a_dead_worker_left_open_its_replacement_goes_on_from_there(track, kinds):
    every = places(track)
    admitted, sent, observed = map(
        every.index, ("after admit 1", "before may_reconcile 1", "after observe 1")
    )
    for at, place in enumerate(every):
        if kinds.isdisjoint(place.split()):
            continue
        with track.race() as race:
            race.die("w1", place)
            how = race.end("w2")
            verdict = sound(race)
            if at == admitted:  # the intent is durable, and nobody can tell that its request never left
                assert (how, verdict.grade, verdict.requests) == ("unknown", "unknown", 0)
            else:
                assert (how, verdict.grade, verdict.requests) == ("success", "completion", 1)
                assert verdict.lookups == int(sent <= at < observed)


@pytest.mark.parametrize(
    ("place", "settlements"), [("after observe 1", [1, 0]), ("after settle 1", [1, 0, 0])]
)
def test_a_gap_in_the_settlement_log_is_closed_without_the_provider(track, place, settlements):
    """An observation without settlement, and a settlement without report (R10, R11)."""
    with track.race() as race:
        race.die("w1", place)
        assert race.events()["reports"] == []
        assert race.end("w2") == "success"
        verdict = sound(race)
        assert (verdict.grade, verdict.requests, verdict.lookups) == ("completion", 1, 0)
        assert [settled["charge"] for settled in race.events()["settlements"]] == settlements
        assert race.events()["reservation"] == "charged"


def at_random(race, every, chance):
    """Have two workers race, and perhaps an authority; each stops or dies at places that are drawn."""
    racers = [race.begin("w1", stops=chance.sample(every, 3), dies=chance.choice([None, *every]))]
    racers.append(race.begin("w2", stops=chance.sample(every, 3)))
    says = chance.choice([None, revoke, revoke_for_a_while])
    if says is not None:
        racers.append(race.begin("authority", says, stops=["before set_fact 1", "before set_fact 2"]))
    return race.play_out(racers, chance)


@pytest.mark.parametrize("rounds", [A_FEW, MANY])
def test_whatever_stops_and_dies_where_no_rule_is_broken(track, rounds):
    every = places(track)
    for seed in range(rounds):
        chance = random.Random(seed)
        with track.race(chance.choice([PROMPT, LOST, DELAYED])) as race:
            assert set(at_random(race, every, chance)) <= ENDS, seed
            assert sound(race).effects <= 1, seed
            assert counted(race.events())["intents"] <= 1, seed
