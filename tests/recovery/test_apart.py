"""What is of one instance, scope or lease counts for no other; and what is recorded names the right one."""

import sqlite3
from dataclasses import replace
from functools import partial

import psycopg
import pytest

from abhyasa.core.errors import Conflict, Refused
from abhyasa.recovery import (
    Denial,
    DispatchPermit,
    EffectEvidence,
    Fact,
    Outcome,
    Report,
    Reservation,
    Source,
    ledger,
    revalidate,
    stable_key,
)
from tests.recovery.clock import Clock
from tests.recovery.corpus import EXPIRES_AT, INSTANCE, LEASE_SPAN, LOST, PROMPT, SCOPE, Run
from tests.recovery.providers import P1
from tests.recovery.stage import Stage, set_up

#: Its id begins with the other's, and so does its reference.
LONGER = replace(INSTANCE, id=f"{INSTANCE.id}/1", approval=None)

STRANGERS = [
    replace(SCOPE, organisation="globex"),
    replace(SCOPE, principal="mallory"),
    replace(SCOPE, run="run-2"),
]


class Two:
    """A store with two instances of one run, each held by a worker."""

    def __init__(self, store):
        self.store, self.clock = store, Clock()
        set_up(store, self.clock)
        store.register(LONGER)
        self.mine, self.other = (self.claim(instance) for instance in (INSTANCE, LONGER))

    def claim(self, instance):
        return self.store.claim(instance.id, instance.scope, "w1", LEASE_SPAN, self.clock())

    def admit(self, lease):
        return self.store.admit(lease, self.clock())

    def observe(self, lease, receipt):
        seen = EffectEvidence(reference=f"{lease.instance_id}/1", receipt=receipt, source=Source.ACK)
        self.store.observe(self.store.may_reconcile(lease), seen, self.clock())

    def settle(self, lease, receipt):
        return self.store.settle(self.store.may_reconcile(lease), receipt, self.clock())

    def say(self, fact, scope, value):
        self.store.set_fact(fact, scope, value, self.clock())


@pytest.fixture
def two(database):
    return Two(database.open())


def test_two_instances_are_dispatched_observed_and_settled_each_for_itself(two):
    two.admit(two.other)
    with pytest.raises(Refused, match="nothing to reconcile"):
        two.store.may_reconcile(two.mine)
    assert two.admit(two.mine).reference == f"{INSTANCE.id}/1"
    two.observe(two.other, "r2")
    with pytest.raises(Refused, match="observe it first"):
        two.settle(two.mine, "r2")
    assert two.settle(two.other, "r2") == 1
    assert two.store.reservation(INSTANCE.id) is Reservation.HELD
    two.observe(two.mine, "r1")
    assert two.settle(two.mine, "r1") == 1


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_stranger_differs_in_one_name_and_what_it_is_told_is_not_the_owner_s(two, stranger):
    claimed = two.store.claim(INSTANCE.id, stranger, "w9", LEASE_SPAN, two.clock())
    assert claimed is Denial.WRONG_SCOPE
    two.store.turn_away(INSTANCE.id, stranger, two.clock())
    assert two.store.row(INSTANCE.id).denial is None
    assert isinstance(two.admit(two.mine), DispatchPermit)


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("fact", Fact)
def test_a_fact_counts_for_those_that_it_is_about(two, fact, stranger):
    changed = {"run": "run", "principal": "mallory", "organisation": "globex"}
    differs = next(name for name in changed if getattr(stranger, name) != getattr(SCOPE, name))
    about = {
        Fact.GRANT: {"organisation", "principal"},
        Fact.POLICY_EPOCH: {"organisation"},
        Fact.APPROVAL_REQUIRED: {"organisation"},
        Fact.CANCELLED: {"organisation", "run"},
    }[fact]
    two.say(fact, stranger, {Fact.GRANT: 0, Fact.POLICY_EPOCH: 2}.get(fact, 1))
    denial = {
        Fact.GRANT: Denial.REVOKED,
        Fact.POLICY_EPOCH: Denial.POLICY_CHANGED,
        Fact.APPROVAL_REQUIRED: Denial.APPROVAL_MISSING,
        Fact.CANCELLED: Denial.CANCELLED,
    }[fact]
    answer = two.admit(two.other)
    assert isinstance(answer, DispatchPermit) if differs in about else answer is denial


@pytest.mark.parametrize(
    "change",
    [
        *({"scope": stranger} for stranger in STRANGERS),
        {"policy_epoch": 2},
        {"expires_at": EXPIRES_AT + 1},
        {"allowed_effects": 2},
        {"approval": "approval-18"},
    ],
    ids=str,
)
def test_an_id_stands_for_all_that_an_instance_says(two, change):
    with pytest.raises(Conflict, match="choose another id"):
        two.store.register(replace(INSTANCE, **change))
    changed = replace(INSTANCE, id="refund-20", **change)
    two.store.register(changed)
    assert two.store.instance("refund-20") == changed


@pytest.mark.parametrize(
    ("table", "first", "second"),
    [
        ("consumptions", ("approval-1", "a", 1), ("approval-1", "b", 2)),
        ("intents", ("a", 1, "a/1", "a#1", 1, 1, 1), ("b", 1, "a/1", "b#1", 1, 2, 2)),
    ],
)
def test_an_approval_and_a_reference_are_used_once(two, table, first, second):
    two.store._add(table, *first)
    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.UniqueViolation)):
        two.store._add(table, *second)


def test_what_was_seen_is_not_sent_again_under_its_old_judgment(two):
    key = two.admit(two.mine).key
    two.observe(two.mine, "r1")
    with pytest.raises(Refused, match="settle it, do not send again"):
        two.store.reuse(two.mine, key, two.clock())


def test_a_later_worker_cannot_settle_by_another_receipt(two):
    two.admit(two.mine)
    two.observe(two.mine, "r1")
    two.settle(two.mine, "r1")
    later = two.claim(INSTANCE)
    two.observe(later, "r2")
    with pytest.raises(Refused, match="is another effect"):
        two.settle(later, "r2")


def test_an_approval_s_expiry_counts_for_a_readmission(two):
    two.admit(two.mine)
    two.clock.reach(EXPIRES_AT - 1)
    assert two.store.readmit(two.mine, two.clock()) is Denial.APPROVAL_EXPIRED


@pytest.mark.parametrize(
    ("policy", "first", "seen"),
    [
        (ledger, PROMPT, ("refund-17/1", Source.ACK)),
        (ledger, LOST, ("refund-17/1", Source.LOOKUP)),
        (stable_key, LOST, ("refund-17/2", Source.DUPLICATE)),
        (revalidate, LOST, ("refund-17/2", Source.ACK)),
    ],
)
def test_an_observation_names_the_delivery_and_the_answer_that_showed_it(policy, first, seen, database):
    stage = Stage(policy, P1, first, store=partial(database.open, "failing"))
    stage.run(Run(worker="w1"))
    stage.run(Run(worker="w2"))
    assert stage.store.records("observations", ("reference", "source"), INSTANCE.id) == [seen]


def test_a_lease_lasts_as_long_as_the_application_says(database):
    stage = Stage(ledger, P1, PROMPT, store=partial(database.open, "failing"))
    app = replace(stage._application, lease_span=60)
    assert app.run(INSTANCE.id, SCOPE, "w1") == Report(outcome=Outcome.SUCCESS)
    ((end, at),) = stage.store.records("leases", ("expires_at", "at"), INSTANCE.id)
    assert end - at == 60
