"""Some thousand transfers, the same each time; and that the audit sees what it is there to see."""

import re
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from click.testing import CliRunner

import tests.million.__main__ as command
from abhyasa import Custodian, CustodianStore, ReceiverStore
from tests.million.batch import Failure, run_batch
from tests.million.plan import TRANSFERS, Crash, draw
from tests.million.punctual import Host
from tests.million.shrink import smallest
from tests.unit.rig import INSTANT, at

SEED = 5
BATCHES = 20


def test_thousands_of_transfers_keep_every_rule_and_nothing_that_can_happen_is_missing():
    counts = Counter()
    for batch in range(BATCHES):
        outcome = run_batch(SEED, batch)
        assert isinstance(outcome, Counter), outcome.story
        counts.update(outcome)
    assert counts["transfers"] == BATCHES * TRANSFERS
    assert [what for what, number in counts.items() if number == 0] == []


def test_the_command_runs_on_all_cores_and_repeats_a_run_by_its_seed():
    options = ["--transfers", "400", "--seed", str(SEED), "--workers"]
    ended = [CliRunner().invoke(command.main, [*options, workers]) for workers in "12"]
    assert [one.exit_code for one in ended] == [0, 0]
    tables = [[line for line in one.output.splitlines() if line.startswith("  ")] for one in ended]
    assert tables[0] == tables[1]
    assert f"seed {SEED}" in ended[0].output
    assert "       400  transfers" in ended[0].output


# Faults, each with the rule that the audit names


def safe_o_is_forgotten(monkeypatch):
    """section 5, AB-4: the principal's state is changed"""
    patched(
        monkeypatch, CustodianStore, "escalate", lambda escalate, command: escalate(without_change(command))
    )


def the_last_wait_is_an_instant_too_long(monkeypatch):
    """AB-4: the fail-safe fires when it is due exactly"""

    def attempt(original, command):
        record, instant = command.record, timedelta(seconds=INSTANT)
        if record.deliveries == record.terms.deliveries:
            record = replace(record, due_at=min(record.deadline, record.due_at + instant))
        original(replace(command, record=record))

    patched(monkeypatch, CustodianStore, "attempt", attempt)


def an_effect_is_made_twice(monkeypatch):
    """AB-3: agent-"""

    def change(original, change):
        original(change)
        original(change)

    patched(monkeypatch, ReceiverStore, "_change", change)


def a_crash_forgets_what_is_pending(monkeypatch):
    """AB-1: custody of an obligation begins once"""
    after_a_crash(monkeypatch, "DELETE FROM custody WHERE status = 'pending'")


def a_crash_moves_the_window(monkeypatch):
    """AB-4: the fail-safe fires when it is due exactly"""
    after_a_crash(monkeypatch, "UPDATE custody SET deadline = deadline + 1 WHERE status = 'pending'")


def a_message_leaves_before_it_is_durable(monkeypatch):
    """AB-1: what leaves is a durable attempt"""
    patched(
        monkeypatch,
        Custodian,
        "_execute",
        lambda execute, commands, *others: execute(commands[::-1], *others),
    )


def what_is_due_is_never_done(monkeypatch):
    """AB-4: every transfer ends"""
    monkeypatch.setattr(CustodianStore, "attempt", lambda *_: None)


FAULTS = [
    safe_o_is_forgotten,
    the_last_wait_is_an_instant_too_long,
    an_effect_is_made_twice,
    a_crash_forgets_what_is_pending,
    a_crash_moves_the_window,
    a_message_leaves_before_it_is_durable,
    what_is_due_is_never_done,
]


def patched(monkeypatch, owner, name, instead):
    """Let `instead` take a method's place; it is given the method, bound, and the arguments."""
    method = getattr(owner, name)
    monkeypatch.setattr(
        owner, name, lambda self, *arguments: instead(partial(method, self), *arguments), raising=False
    )


def without_change(command):
    return replace(command, change=None)


def after_a_crash(monkeypatch, statement):
    """Let a custodian's store be changed when a process starts on what another has left."""

    def restore(original, image):
        original(image)
        original.args[0]._db.execute(statement)

    patched(monkeypatch, CustodianStore, "restore", restore)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_the_audit_sees(fault, monkeypatch):
    fault(monkeypatch)
    outcomes = (run_batch(SEED, batch) for batch in range(2))
    failure = next(one for one in outcomes if isinstance(one, Failure))
    assert failure.rule.startswith(fault.__doc__), failure.story


def test_a_failure_is_told_with_the_commands_that_repeat_it_and_made_small(monkeypatch):
    an_effect_is_made_twice(monkeypatch)
    monkeypatch.setattr(command, "run", lambda seed, *_: run_batch(seed, 3))
    ended = CliRunner().invoke(command.main, ["--seed", "9"])
    assert ended.exit_code == 1
    assert "FAILED: AB-3: agent-" in ended.output
    assert "python -m tests.million --seed 9 --batch 3\n" in ended.output
    # One transfer is enough, and needs no crash.
    [only] = re.findall(r"--seed 9 --batch 3 --only (\S+)$", ended.output, flags=re.MULTILINE)
    assert re.fullmatch(r"t\d+", only)
    again = CliRunner().invoke(command.main, ["--seed", "9", "--batch", "3", "--only", only])
    assert (again.exit_code, again.output.splitlines()[0][:5]) == (1, "AB-3:")
    assert f"the story of {only}" in again.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--only", "t1"], "say which, with --batch"),
        (["--seed", "9", "--batch", "3", "--only", "t1,x9"], "batch 3 has no x9"),
    ],
)
def test_parts_that_are_of_no_batch_are_bad_input(options, said):
    ended = CliRunner().invoke(command.main, options)
    assert ended.exit_code == 2
    assert said in ended.output


# What a batch is made of


def test_a_part_stays_what_it_is_when_others_are_left_out():
    plan = draw(SEED, 0)
    assert plan == draw(SEED, 0)
    assert {part.name for part in plan.only(["t3", "c1"]).parts} == {"t3", "c1"}
    assert len(plan.of(Crash)) > 0
    assert (
        not {part.name: part for part in plan.parts}.items()
        & {part.name: part for part in draw(SEED, 1).parts}.items()
    )


@pytest.mark.parametrize(
    ("due", "moments"),
    [
        (0, [0]),
        (10, [10, 15, 20]),  # what is due may be done just before each crash
        (12, [15, 20]),  # it crashes again as it comes back
        (15, [15, 20]),
        (20, [20]),
        (30, [30]),  # a crash without an outage
    ],
)
def test_what_is_due_in_an_outage_is_done_at_its_end(due, moments):
    host = Host([(at(10), at(15)), (at(15), at(20)), (at(30), at(30))])
    assert host.moments(at(due)) == [at(moment) for moment in moments]


@pytest.mark.parametrize("needed", [{"b"}, {"a", "z"}, {"c", "m", "n"}, set("abcdefghijklmnopqrstuvwxyz")])
def test_the_smallest_part_is_what_is_needed_and_no_more(needed):
    parts = "abcdefghijklmnopqrstuvwxyz"
    assert set(smallest(parts, lambda some: needed <= set(some))) == needed


def test_parts_that_are_needed_only_with_each_other_go_one_after_another():
    fails = {("a", "b", "c"), ("a", "b"), ("b",)}
    assert smallest("abc", lambda some: tuple(some) in fails) == ["b"]
