"""Deliver-or-report over random obligations, bounds, faults and crashes."""

import logging

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.stateful.machine import Protocol, ProtocolInFiles


@pytest.fixture(autouse=True)
def no_word_of_lost_messages(caplog):
    """Broken transports are what the machine is about: no line in the log for each lost message."""
    caplog.set_level(logging.CRITICAL, "abhyasa.endpoint")


def test_the_rules_hold_whatever_happens(effort):
    run_state_machine_as_test(Protocol, settings=effort)


def test_the_rules_hold_in_files(effort):
    run_state_machine_as_test(ProtocolInFiles, settings=effort)
