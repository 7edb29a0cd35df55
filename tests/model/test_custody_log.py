"""What the hosts' event logs may say of an obligation, and what they may not.

One tick is a second. Logs are written here as the lines of both sides in the order of their times. Beside
each forbidden one stands the rule of the paper that it breaks.
"""

from pathlib import Path
from typing import Any

import pytest

from specwalk.validate import Validation
from tests.model.durable_logs import Line, validated, written

DEADLINE = 3.0


def custodian(at: float, event: str, **fields: Any) -> Line:
    return "custodian", at, event, fields


def receiver(at: float, event: str, **fields: Any) -> Line:
    return "receiver", at, event, fields


def answered(at: float, status: str, acked_at: float) -> Line:
    return custodian(at, "receive_ack", status=status, acked_at=acked_at)


def ordered(line: Line) -> Line:
    """A line that names a sequence."""
    side, at, event, fields = line
    return side, at, event, {**fields, "governed_key": "key", "sequence": 1}


START, START_THERE = custodian(-1.0, "start"), receiver(-1.0, "start")
ACCEPT = custodian(0.0, "accept", under_custody=True, status="pending", deliveries=2, due=0.0)
ATTEMPT = [custodian(0.0, "attempt", number=1, due=1.0), custodian(0.0, "send", number=1)]
AGAIN = [custodian(1.0, "attempt", number=2, due=2.0), custodian(1.0, "send", number=2)]
RECEIVE = receiver(0.2, "receive", number=1)
APPLY = receiver(0.2, "apply")
REPLY = receiver(0.2, "reply", status="applied")
DECLINE = [receiver(0.2, "decline"), receiver(0.2, "reply", status="declined")]
DEFER = [receiver(0.2, "defer"), receiver(0.2, "reply", status="deferred")]
ACK = answered(0.4, "applied", 0.2)
DISCHARGE = custodian(0.4, "discharge", status="applied", protected=False)
BY_BUDGET = custodian(2.0, "escalate", cause="budget", protected=True)
BY_DEADLINE = custodian(3.0, "escalate", cause="deadline", protected=True)

BEGUN = [START, START_THERE, ACCEPT, *ATTEMPT]
APPLIED = [RECEIVE, APPLY, REPLY]

BEHAVIOURS = {
    "applied": [*BEGUN, *APPLIED, ACK, DISCHARGE],
    "declined": [
        *[*BEGUN, RECEIVE, *DECLINE, answered(0.4, "declined", 0.2)],
        custodian(0.4, "discharge", status="declined", protected=True),
    ],
    "deferred, then applied": [
        *[*BEGUN, RECEIVE, *DEFER, answered(0.3, "deferred", 0.2), custodian(0.3, "mark_deferred")],
        *[receiver(0.5, "resolve"), receiver(0.5, "apply"), receiver(0.5, "reply", status="applied")],
        *[answered(0.6, "applied", 0.5), custodian(0.6, "discharge", status="applied", protected=False)],
    ],
    "budget": [*BEGUN, *AGAIN, BY_BUDGET],
    "deadline": [*BEGUN, BY_DEADLINE],
    "late answer": [
        *[*BEGUN, *APPLIED, BY_DEADLINE, answered(3.1, "applied", 0.2)],
        custodian(3.1, "note", why="late", status="applied"),
    ],
    "expired there": [
        *[*BEGUN, receiver(3.0, "receive", number=1), receiver(3.0, "decline", reason="expired")],
        receiver(3.0, "reply", status="declined"),
    ],
    "repeated": [
        *[
            *BEGUN,
            *APPLIED,
            *AGAIN,
            receiver(1.2, "receive", number=2),
            receiver(1.2, "reply", status="applied"),
        ],
        *[answered(1.3, "applied", 0.2), custodian(1.3, "discharge", status="applied", protected=False)],
        *[answered(1.4, "applied", 0.2), custodian(1.4, "note", why="repeated", status="applied")],
    ],
    "killed after accepting": [START, custodian(0.1, "start"), *ATTEMPT],
    "killed after accepting, and after counting": [
        *[START, START_THERE, custodian(0.1, "start"), custodian(0.2, "start"), *AGAIN, BY_BUDGET],
    ],
    "killed before sending": [*BEGUN[:-1], custodian(0.1, "start"), *AGAIN],
    "killed after escalating": [*BEGUN, custodian(3.2, "start")],
    "killed after applying": [
        *[*BEGUN, RECEIVE, receiver(0.3, "start"), *AGAIN, receiver(1.2, "receive", number=2)],
        *[receiver(1.2, "reply", status="applied"), answered(1.3, "applied", 0.2)],
        custodian(1.3, "discharge", status="applied", protected=False),
    ],
    "given way to a newer decision": [
        *[START, START_THERE, ordered(ACCEPT), *ATTEMPT],
        custodian(3.0, "escalate", cause="deadline", protected=False),
    ],
    "declined, and given way to a newer decision": [
        *[START, START_THERE, ACCEPT, ordered(ATTEMPT[0]), ATTEMPT[1], RECEIVE, *DECLINE],
        *[
            answered(0.4, "declined", 0.2),
            custodian(0.4, "discharge", status="declined", protected=False),
        ],
    ],
    "best effort": [
        *[
            START,
            START_THERE,
            custodian(0.0, "accept", under_custody=False, status="best_effort", deliveries=2),
        ],
        *[custodian(0.0, "send", number=1), *APPLIED, ACK],
        custodian(0.4, "note", why="best_effort", status="applied"),
    ],
}

FORBIDDEN = {
    "AB-1: sent without custody": ([START, START_THERE, *ATTEMPT], "attempt 1"),
    "AB-2: a delivery too many": (
        [*BEGUN, *AGAIN, custodian(2.0, "attempt", number=3, due=3.0)],
        "attempt 3",
    ),
    "AB-2: budget refilled": ([*BEGUN, custodian(1.0, "start"), *ATTEMPT], "attempt 1 early"),
    "AB-2: too early": ([*BEGUN, custodian(0.9, "attempt", number=2, due=2.0)], "attempt 2 early"),
    "AB-2: given up too early": (
        [*BEGUN, *AGAIN, (*BY_BUDGET[:1], 1.9, *BY_BUDGET[2:])],
        "escalate budget True early",
    ),
    "AB-2: given up with budget left": ([*BEGUN, BY_BUDGET], "escalate budget True"),
    "AB-3: applied twice": ([*BEGUN, RECEIVE, APPLY, APPLY], "apply"),
    "AB-3: applied twice, killed between": (
        [
            *BEGUN,
            *APPLIED,
            receiver(0.3, "start"),
            receiver(0.5, "receive", number=1),
            receiver(0.5, "apply"),
        ],
        "apply",
    ),
    "AB-3: another answer than before": ([*BEGUN, RECEIVE, *DECLINE, APPLY], "apply"),
    "AB-3: answered before it is applied": ([*BEGUN, RECEIVE, REPLY], "reply applied"),
    "AB-3: received though never sent": ([START, START_THERE, ACCEPT, RECEIVE], "receive"),
    "AB-3: discharged by another answer": (
        [*BEGUN, RECEIVE, *DECLINE, answered(0.4, "applied", 0.2), DISCHARGE],
        "discharge applied False",
    ),
    "AB-3: applied though expired": (
        [*BEGUN, receiver(3.0, "receive", number=1), receiver(3.0, "apply")],
        "apply late",
    ),
    "AB-3: unseen, but not killed": ([*BEGUN, RECEIVE, *APPLIED[2:], ACK, DISCHARGE], "reply applied"),
    "AB-4: not yet the deadline": (
        [*BEGUN, (*BY_DEADLINE[:1], 2.9, *BY_DEADLINE[2:])],
        "escalate deadline True early",
    ),
    "AB-4: without safe(O)": (
        [*BEGUN, custodian(3.0, "escalate", cause="deadline", protected=False)],
        "escalate deadline False",
    ),
    "AB-4: declined without safe(O)": (
        [
            *[*BEGUN, RECEIVE, *DECLINE, answered(0.4, "declined", 0.2)],
            custodian(0.4, "discharge", status="declined", protected=False),
        ],
        "discharge declined False",
    ),
    "AB-4: twice": ([*BEGUN, BY_DEADLINE, BY_DEADLINE], "escalate deadline True"),
    "AB-4: retried past the deadline": (
        [*BEGUN, custodian(3.0, "attempt", number=2, due=3.0)],
        "attempt 2 late",
    ),
    "AB-4: reopened by a late answer": (
        [*BEGUN, *APPLIED, BY_DEADLINE, (*ACK[:1], 3.1, *ACK[2:]), (*DISCHARGE[:1], 3.1, *DISCHARGE[2:])],
        "discharge applied False late",
    ),
    "AC-1: best effort, retried": (
        [START, START_THERE, BEHAVIOURS["best effort"][2], *AGAIN],
        "attempt 2",
    ),
    "AB-2: not counted": ([*BEGUN, custodian(1.0, "attempt", number=1, due=2.0)], "attempt 1"),
    "AB-2: sent before it is counted": ([*BEGUN, custodian(0.0, "send", number=2)], "send 2"),
    "AB-2: another budget than the instance's": (
        [START, custodian(0.0, "accept", under_custody=True, status="pending", deliveries=6, due=0.0)],
        "accept pending 6",
    ),
    "AB-4: expired there, yet in time here": (
        [
            *[*BEGUN, receiver(3.0, "receive", number=1), receiver(3.0, "decline")],
            *[answered(2.9, "declined", 3.0)],
            custodian(2.9, "discharge", status="declined", protected=True),
        ],
        "discharge declined True",
    ),
    "started again without having died": ([*BEGUN, custodian(0.5, "stop"), *AGAIN], "attempt 2"),
}


def check(lines: list[Line], folder: Path) -> Validation:
    about = {"obligation": "o", "deadline": DEADLINE}
    named = [
        (side, at, event, fields if event in ("start", "stop") else {**about, **fields})
        for side, at, event, fields in lines
    ]
    return validated(written(named, folder))


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_what_a_run_may_log(name: str, tmp_path: Path) -> None:
    found = check(BEHAVIOURS[name], tmp_path)
    assert not found.rejected, found.rejections[0]
    assert not found.flaws.told
    assert found.subjects == 1


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_no_run_may_log(name: str, tmp_path: Path) -> None:
    lines, told = FORBIDDEN[name]
    (rejection,) = check(lines, tmp_path).rejections
    assert f"the spec does not allow {told} here" in str(rejection)


def test_an_unknown_event_is_a_flaw(tmp_path: Path) -> None:
    (flaw,) = check([START, custodian(0.0, "forget")], tmp_path).flaws.told
    assert "there is no event 'forget'" in str(flaw)
