"""Deliver-or-report over random obligations, bounds, faults and crashes."""

import logging
from dataclasses import replace

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from abhyasa import CustodianStore
from tests.stateful.machine import Protocol, ProtocolInFiles
from tests.stateful.story import Broken


@pytest.fixture(autouse=True)
def no_word_of_lost_messages(caplog):
    """Broken transports are what the machine is about: no line in the log for each lost message."""
    caplog.set_level(logging.CRITICAL, "abhyasa.endpoint")


def test_the_rules_hold_whatever_happens(effort):
    # Stores in memory are fast, and most behaviours are told apart within 25 steps.
    many = settings(effort, max_examples=7 * effort.max_examples, stateful_step_count=25)
    run_state_machine_as_test(Protocol, settings=many)


def test_the_rules_hold_in_files(effort):
    # Each commit is synced, so these are few: what matters is the reopening of what was left behind.
    few = settings(effort, max_examples=effort.max_examples // 3)
    run_state_machine_as_test(ProtocolInFiles, settings=few)


def test_a_failure_names_the_rule_and_tells_the_story(monkeypatch):
    escalate = CustodianStore.escalate

    def forget_safe_o(store, command):
        escalate(store, replace(command, change=None))

    monkeypatch.setattr(CustodianStore, "escalate", forget_safe_o)
    unshrunk = settings(settings.get_profile("quick"), phases=[Phase.generate])
    with pytest.raises(Broken) as broken:
        run_state_machine_as_test(Protocol, settings=unshrunk)
    told = str(broken.value)
    assert "safe(O)" in told.splitlines()[0]
    assert "the story of o" in told
    assert "custodian: escalated" in told
