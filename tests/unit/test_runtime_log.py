"""The event log: whole lines, numbered within a run, with what the agreed format asks of each event."""

import json
import os

import pytest

from abhyasa import Decision
from abhyasa.endpoint import Custodian, Receiver
from abhyasa.runtime import EventLog
from abhyasa.runtime.events import (
    START,
    STOP,
    ack_arrives,
    application_resolves,
    custodian_did,
    delivery_arrives,
    receiver_did,
)
from tests.unit.rig import (
    APPLIED,
    CONSENT_KEY,
    DECLINED,
    DEFERRED,
    TARGET,
    Rig,
    at,
    consent,
    update,
)

COMMON = ["run", "n", "side", "name", "at", "event"]
MICROS = 1_767_225_600_000_000  # at(0), of `date -d 2026-01-01T00:00Z +%s`


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_line_says_who_when_and_what(tmp_path):
    with EventLog(tmp_path / "log", "receiver", TARGET) as log:
        log.write(START, at(0))
        log.write(application_resolves("o", DECLINED), at(2.5))
        log.write(STOP, at(3))
    start, resolve, stop = lines(tmp_path / "log")
    assert list(start) == COMMON
    assert list(resolve) == [*COMMON, "obligation", "decision"]
    assert [line["n"] for line in (start, resolve, stop)] == [0, 1, 2]
    assert len({line["run"] for line in (start, resolve, stop)}) == 1
    assert {**resolve, "run": ""} == {
        "run": "",
        "n": 1,
        "side": "receiver",
        "name": TARGET,
        "at": MICROS + 2_500_000,
        "event": "resolve",
        "obligation": "o",
        "decision": "declined",
    }


def test_a_restart_is_another_run_in_the_same_file(tmp_path):
    for _ in range(2):
        with EventLog(tmp_path / "log", "custodian", "c") as log:
            log.write(START, at(0))
    first, second = lines(tmp_path / "log")
    assert (first["n"], second["n"]) == (0, 0)
    assert first["run"] != second["run"]


def test_a_line_that_a_kill_tore_is_ended_before_the_next(tmp_path):
    (tmp_path / "log").write_text('{"run":"a"}\n{"run":"b","n":')
    with EventLog(tmp_path / "log", "custodian", "c") as log:
        log.write(START, at(0))
        log.write(STOP, at(0))
    whole, torn, *rest = (tmp_path / "log").read_text().splitlines()
    assert (whole, torn) == ('{"run":"a"}', '{"run":"b","n":')
    assert [json.loads(line)["event"] for line in rest] == ["start", "stop"]


def test_trouble_with_the_log_is_told_once_leaves_a_gap_and_stops_nobody(tmp_path, monkeypatch, caplog):
    with EventLog(tmp_path / "log", "custodian", "c") as log:
        log.write(START, at(0))
        with monkeypatch.context() as full:
            full.setattr(
                os, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
            )
            log.write(START, at(1))
            log.write(START, at(2))
        log.write(STOP, at(3))
    assert [line["n"] for line in lines(tmp_path / "log")] == [0, 3]
    [warning] = caplog.messages
    assert "events are missing from" in warning
    assert "No space left" in warning


def test_what_a_full_disk_cut_in_the_middle_of_a_line_is_ended_before_the_next(tmp_path, monkeypatch):
    write = os.write
    with EventLog(tmp_path / "log", "custodian", "c") as log:
        with monkeypatch.context() as full:
            full.setattr(os, "write", lambda file, text: write(file, text[:10]))
            log.write(START, at(0))
        log.write(STOP, at(1))
    torn, whole = (tmp_path / "log").read_text().splitlines()
    assert len(torn) == 10
    assert json.loads(whole)["n"] == 1


class Told:
    """A rig whose endpoints tell of what they do, as event name, id and fields."""

    def __init__(self):
        self.rig = rig = Rig()
        self.events = []
        rig.custodian = Custodian(rig.custodian_store, rig.custodian._kinds, rig.sent.append, self.custodian)
        rig.receiver = Receiver(
            TARGET,
            rig.receiver_store,
            rig.custodian._kinds,
            rig.replies.append,
            rig.decide,
            None,
            self.receiver,
        )

    def custodian(self, command, now):
        self.events.append((now, *custodian_did(command)))

    def receiver(self, command, now):
        self.events.append((now, *receiver_did(command)))


def test_an_endpoint_tells_of_each_command_after_it_and_when():
    told = Told()
    rig = told.rig
    rig.decision = DEFERRED
    accepted = rig.accept(consent("revoke", sequence=3))
    rig.advance(1, "revoke")
    rig.carry(2)
    rig.carry_back(3)
    rig.receiver.resolve("revoke", APPLIED, at(4))
    rig.carry_back(5)
    rig.carry_back(6)
    until, digest = {"deadline": MICROS + 6_000_000}, accepted.obligation.digest
    ordered = {"governed_key": CONSENT_KEY, "sequence": 3}
    deferred = {"status": "deferred", "reason": "", "acked_at": MICROS + 2_000_000}
    applied = {"status": "applied", "reason": "", "acked_at": MICROS + 4_000_000}
    acceptance = {
        "target": TARGET,
        "digest": digest,
        "under_custody": True,
        "due": MICROS,
        "deliveries": 5,
        "status": "pending",
        **ordered,
        **until,
    }
    expected = [
        (0, "accept", acceptance),
        (1, "attempt", {"number": 1, "due": MICROS + 2_000_000, "digest": digest, **ordered, **until}),
        (1, "send", {"number": 1}),
        (2, "defer", {"reason": "", **until}),
        (2, "reply", deferred),
        (3, "mark_deferred", until),
        (4, "apply", {**ordered, **until}),
        (4, "reply", applied),
        (5, "discharge", {"status": "applied", "reason": "", "protected": False, **until}),
        (6, "note", {"why": "repeated", "status": "applied", "reason": ""}),
    ]
    assert told.events == [(at(moment), name, "revoke", fields) for moment, name, fields in expected]


def test_the_events_of_other_ends():
    told = Told()
    rig = told.rig
    rig.decision = DECLINED
    rig.accept(update("o", 0.5))  # its loss is benign (AC-1)
    rig.accept(update("p"))
    rig.advance(6, "p")
    rig.receiver.receive(rig.sent[0], at(1))
    names = {(name, obligation): fields for _, name, obligation, fields in told.events}
    best_effort = names["accept", "o"]
    assert (best_effort["under_custody"], best_effort["status"]) == (False, "best_effort")
    assert names["send", "o"] == {"number": 1}
    ordered = {"governed_key": "weight/agent-b/w", "sequence": None}
    escalated = {"cause": "deadline", "protected": True, **ordered, "deadline": MICROS + 6_000_000}
    assert names["escalate", "p"] == escalated
    assert names["decline", "o"] == {"reason": "not now", "deadline": MICROS + 6_000_000}


def test_the_events_of_what_arrives():
    rig = Rig()
    rig.accept(update())
    rig.advance(0)
    ack = rig.carry(1)
    digest = update().digest
    ordered = {"governed_key": "a key", "sequence": None}
    received = {"number": 1, "digest": digest, **ordered, "deadline": MICROS + 6_000_000}
    assert delivery_arrives(rig.sent[0], "a key") == ("receive", "o", received)
    answered = {"status": "applied", "digest": digest, "target": TARGET, "acked_at": MICROS + 1_000_000}
    assert ack_arrives(ack) == ("receive_ack", "o", answered)


@pytest.mark.parametrize("status", ["applied", "declined", "deferred"])
def test_a_resolution_tells_the_decision(status):
    assert application_resolves("o", Decision(status=status)) == ("resolve", "o", {"decision": status})
