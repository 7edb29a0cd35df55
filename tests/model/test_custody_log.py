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


def with_(line: Line, **fields: Any) -> Line:
    side, at, event, others = line
    return side, at, event, {**others, **fields}


def answered(at: float, status: str, acked_at: float) -> Line:
    return custodian(at, "receive_ack", status=status, acked_at=acked_at)


def ordered(line: Line) -> Line:
    """A line that names a sequence."""
    return with_(line, governed_key="key", sequence=1)


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

FOREIGN = custodian(0.4, "note", why="foreign", status="applied")

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
    "foreign answer to what never was": [
        START,
        ACK,
        FOREIGN,
    ],
    "foreign answer": [
        *[*BEGUN, *APPLIED, with_(ACK, digest="e"), FOREIGN, with_(ACK, target="agent-c"), FOREIGN],
        *[ACK, DISCHARGE],
    ],
    "deferred twice": [
        *[*BEGUN, RECEIVE, *DEFER, answered(0.3, "deferred", 0.2), custodian(0.3, "mark_deferred")],
        *[answered(0.4, "deferred", 0.2), custodian(0.4, "note", why="repeated", status="deferred")],
    ],
    "an answer that could not be kept": [*BEGUN, *APPLIED, ACK, *AGAIN, BY_BUDGET],
    "late answer, which escalates": [
        *[*BEGUN, *APPLIED, answered(3.0, "applied", 0.2), BY_DEADLINE],
        custodian(3.0, "note", why="late", status="applied"),
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
            custodian(0.0, "accept", under_custody=False, status="best_effort", deliveries=2, due=0.0),
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
    "AB-3: applied twice": ([*BEGUN, *APPLIED, RECEIVE, APPLY], "apply"),
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
    "AB-3: another answer than before": ([*BEGUN, RECEIVE, *DECLINE, RECEIVE, APPLY], "apply"),
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
        "attempt 2 with a wrong due late",
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
    "AB-4: expired there, yet in time here": (
        [
            *[*BEGUN, receiver(3.0, "receive", number=1), receiver(3.0, "decline")],
            *[answered(2.9, "declined", 3.0)],
            custodian(2.9, "discharge", status="declined", protected=True),
        ],
        "discharge declined True",
    ),
    "the deadline moves after a restart": (
        [
            *[*BEGUN, custodian(0.5, "start"), with_(AGAIN[0], deadline=9.0), AGAIN[1]],
            custodian(9.0, "escalate", cause="deadline", protected=True, deadline=9.0),
        ],
        "attempt 2 with another deadline",
    ),
    "the deadline moves as it is escalated": (
        [*BEGUN, custodian(0.5, "escalate", cause="deadline", protected=True, deadline=0.5)],
        "escalate deadline True with another deadline",
    ),
    "the deadline moves at the receiver": (
        [*BEGUN, RECEIVE, receiver(5.0, "apply", deadline=9.0)],
        "apply with another deadline",
    ),
    "the deadline moves on the way": (
        [*BEGUN, receiver(5.0, "receive", number=1, deadline=9.0), receiver(5.0, "apply", deadline=9.0)],
        "receive",
    ),
    "the content changes on the way": ([*BEGUN, with_(RECEIVE, digest="e")], "receive"),
    "the content changes before it is sent": (
        [*BEGUN[:-2], with_(ATTEMPT[0], digest="e")],
        "attempt 1 with another digest",
    ),
    "accepted behind its deadline": (
        [START, with_(ACCEPT, deadline=-1.0)],
        "accept pending late",
    ),
    "AB-2: no wait": (
        [*BEGUN[:-2], with_(ATTEMPT[0], due=0.0), ATTEMPT[1], with_(AGAIN[0], due=2.0)],
        "attempt 1 with a wrong due",
    ),
    "AB-2: waits beyond the deadline": (
        [*BEGUN[:-2], with_(ATTEMPT[0], due=3.1)],
        "attempt 1 with a wrong due",
    ),
    "AB-3: noted as repeated, though it is the first": (
        [*BEGUN, *APPLIED, ACK, custodian(0.4, "note", why="repeated", status="applied")],
        "note repeated applied",
    ),
    "AB-3: noted as repeated, though it is the first that defers": (
        [
            *[*BEGUN, RECEIVE, *DEFER, answered(0.3, "deferred", 0.2)],
            custodian(0.3, "note", why="repeated", status="deferred"),
        ],
        "note repeated deferred",
    ),
    "AB-3: noted as best effort, though under custody": (
        [*BEGUN, *APPLIED, ACK, custodian(0.4, "note", why="best_effort", status="applied")],
        "note best_effort applied",
    ),
    "AB-3: noted as foreign, though it is none": (
        [*BEGUN, *APPLIED, ACK, FOREIGN],
        "note foreign applied unprompted",
    ),
    "AB-3: discharged by a foreign answer": (
        [*BEGUN, *APPLIED, with_(ACK, digest="e"), DISCHARGE],
        "discharge applied False unprompted",
    ),
    "AB-3: discharged by the answer of another target": (
        [*BEGUN, *APPLIED, with_(ACK, target="agent-c"), DISCHARGE],
        "discharge applied False unprompted",
    ),
    "AB-3: discharged without an answer": (
        [*BEGUN, *APPLIED, DISCHARGE],
        "discharge applied False unprompted",
    ),
    "AB-3: discharged by what had another status": (
        [*BEGUN, *APPLIED, answered(0.4, "declined", 0.2), DISCHARGE],
        "discharge applied False unprompted",
    ),
    "AB-3: discharged by an answer to the run before": (
        [*BEGUN, *APPLIED, ACK, custodian(0.4, "start"), DISCHARGE],
        "discharge applied False unprompted",
    ),
    "deferred without an answer": (
        [*BEGUN, RECEIVE, *DEFER, custodian(0.4, "mark_deferred")],
        "mark_deferred unprompted",
    ),
    "noted twice": (
        [*BEGUN, *APPLIED, ACK, DISCHARGE, custodian(0.4, "note", why="repeated", status="applied")],
        "note repeated applied unprompted",
    ),
    "AB-3: applied without a delivery": ([*BEGUN, APPLY], "apply unprompted"),
    "AB-3: applied by a delivery to the run before": (
        [*BEGUN, RECEIVE, receiver(0.2, "start"), APPLY],
        "apply unprompted",
    ),
    "AB-2: received with a number beyond the spec's": (
        [*BEGUN, receiver(0.2, "receive", number=2), *APPLIED[1:]],
        "receive",
    ),
    "started again without having died": ([*BEGUN, custodian(0.5, "stop"), *AGAIN], "attempt 2"),
}


def check(lines: list[Line], folder: Path) -> Validation:
    about = {"obligation": "o", "deadline": DEADLINE, "digest": "d", "target": "agent-b"}
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


def test_a_log_may_begin_within_a_run(tmp_path: Path) -> None:
    found = check([ACCEPT, *ATTEMPT, custodian(0.5, "start"), *AGAIN], tmp_path)
    assert not found.rejected
    assert found.flaws


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (custodian(0.0, "forget"), "there is no event 'forget'"),
        (with_(ACCEPT, deliveries=6), "'o' has a budget of 6 deliveries, this instance one of 2"),
        (with_(ACCEPT, obligation=5), "obligation is to be a text, not 5"),
        (with_(ACCEPT, obligation=None), "obligation is to be a text, not None"),
        (with_(ACCEPT, under_custody=1), "under_custody is to be true or false, not 1"),
        (with_(ACCEPT, due="now"), "due is to be a whole number, not 'now'"),
        (with_(ACCEPT, side="agent"), "side is to be custodian or receiver, not 'agent'"),
        (with_(ACK, digest=["d"]), "digest is to be a text, not ['d']"),
        (custodian(0.0, "send"), "number is to be a whole number, not None"),
        (with_(custodian(0.0, "stop"), at="now"), "at is to be a whole number, not 'now'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_no_host_writes_is_a_flaw(line: Line, told: str, tmp_path: Path) -> None:
    (flaw,) = check([START, line], tmp_path).flaws.told
    assert told in str(flaw)
