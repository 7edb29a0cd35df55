"""What the hosts' event logs may say of the decisions on one governed key, and what they may not.

The lines stand in the order of their times, a tenth of a second apart; d1, d2, d3 are numbered as issued.
Beside each forbidden story stands what it breaks.
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from specwalk.graph import Label
from specwalk.validate import Validation
from tests.model.durable_logs import Line, possible, validated, written

ANSWERS = {"apply": "applied", "decline": "declined", "defer": "deferred"}
KEY = "consent/agent-b/calendar"
#: A line whose time is its place in the story.
Told: TypeAlias = tuple[str, str, dict[str, Any]]

START, START_THERE = ("custodian", "start", {}), ("receiver", "start", {})
BEGUN = [START, START_THERE]


def about(d: int, **fields: Any) -> dict[str, Any]:
    return {"obligation": f"d{d}", **fields}


def ordered(d: int, **fields: Any) -> dict[str, Any]:
    return about(d, governed_key=KEY, sequence=d, **fields)


def accept(d: int, **fields: Any) -> Told:
    return "custodian", "accept", ordered(d, **{"under_custody": True, **fields})


def attempt(d: int, number: int = 1) -> list[Told]:
    return [("custodian", "attempt", ordered(d, number=number)), ("custodian", "send", about(d))]


def escalate(d: int, protected: bool = True) -> Told:
    return "custodian", "escalate", ordered(d, protected=protected)


def receive(d: int, number: int = 1) -> Told:
    return "receiver", "receive", ordered(d, number=number)


def apply(d: int) -> Told:
    return "receiver", "apply", ordered(d)


def decline(d: int, reason: str) -> Told:
    return "receiver", "decline", about(d, reason=reason)


def defer(d: int) -> Told:
    return "receiver", "defer", about(d)


def reply(d: int, status: str) -> Told:
    return "receiver", "reply", about(d, status=status)


def hear(d: int, status: str) -> Told:
    return "custodian", "receive_ack", about(d, status=status)


def discharge(d: int, status: str, protected: bool = False) -> Told:
    return "custodian", "discharge", about(d, status=status, protected=protected)


def note(d: int, why: str, status: str) -> Told:
    return "custodian", "note", about(d, why=why, status=status)


def issued(*decisions: int) -> list[Told]:
    return [*BEGUN, *[line for d in decisions for line in (accept(d), *attempt(d))]]


def applied(d: int) -> list[Told]:
    return [receive(d), apply(d), reply(d, "applied")]


def confirmed(d: int) -> list[Told]:
    return [hear(d, "applied"), discharge(d, "applied")]


def superseded(d: int) -> list[Told]:
    return [receive(d), decline(d, "superseded"), reply(d, "declined"), hear(d, "declined")]


STORIES = {
    "in order": [*issued(1), *applied(1), *confirmed(1), accept(2), *attempt(2), *applied(2), *confirmed(2)],
    # A revocation holds on the principal's side at once, so the older grant's decline protects nothing.
    "grant overtaken by its revocation": [
        *[*issued(1, 2), *applied(2), *confirmed(2)],
        *[*superseded(1), discharge(1, "declined", protected=False)],
    ],
    "revocation lost, newer grant stands": [*issued(1, 2), *applied(2), *confirmed(2), escalate(1, False)],
    "newer grant lost": [*issued(1, 2), *applied(1), *confirmed(1), escalate(2)],
    "three, in reverse": [
        *[*issued(1, 2, 3), *applied(3), *confirmed(3), *superseded(2), discharge(2, "declined")],
        *[*superseded(1), discharge(1, "declined")],
    ],
    "deferred, then superseded": [
        *[*issued(1, 2), receive(1), defer(1), reply(1, "deferred"), hear(1, "deferred")],
        *[("custodian", "mark_deferred", about(1)), *applied(2), *confirmed(2)],
        *[("receiver", "resolve", about(1)), decline(1, "superseded"), reply(1, "declined")],
    ],
    "deferred, then applied": [
        *[*issued(1), receive(1), defer(1), reply(1, "deferred"), ("receiver", "resolve", about(1))],
        *[apply(1), reply(1, "applied"), *confirmed(1)],
    ],
    "expired, superseded or not": [
        *[*issued(1, 2), escalate(1), receive(1), decline(1, "expired"), reply(1, "declined")],
        *[hear(1, "declined"), note(1, "late", "declined"), ("receiver", "stop", {})],
    ],
    "expired though superseded too": [*issued(1, 2), *applied(2), receive(1), decline(1, "expired")],
    "declined by the application": [
        *[*issued(1), receive(1), decline(1, "no"), reply(1, "declined"), hear(1, "declined")],
        discharge(1, "declined", protected=True),
    ],
    "killed after accepting": [*BEGUN, START, *attempt(1), *applied(1), *confirmed(1)],
    "killed after escalating": [
        *issued(1, 2),
        START,
        *applied(1),
        hear(1, "applied"),
        note(1, "late", "applied"),
    ],
    "killed after discharging": [*issued(1), *applied(1), hear(1, "applied"), START],
    "killed after applying the newer one": [*issued(1, 2), receive(2), START_THERE, *superseded(1)],
    "killed after applying, asked again": [
        *[*issued(1), receive(1), START_THERE, *attempt(1, 2), receive(1, 2), reply(1, "applied")],
        *confirmed(1),
    ],
    "killed after answering again": [
        *[*issued(1), receive(1), START_THERE, *attempt(1, 2), receive(1, 2), *confirmed(1), START_THERE],
    ],
    "without a sequence": [*BEGUN, ("custodian", "accept", {**accept(1)[2], "sequence": None})],
}

FORBIDDEN = {
    "the receiver fell back behind a newer decision": (
        [*issued(1, 2), *applied(2), receive(1), apply(1)],
        "apply 1",
    ),
    "... across a restart": ([*issued(1, 2), *applied(2), START_THERE, receive(1), apply(1)], "apply 1"),
    "... after a newer one that only the custodian tells of": (
        [
            *issued(1, 2),
            receive(2),
            START_THERE,
            *attempt(2, 2),
            receive(2, 2),
            *confirmed(2),
            receive(1),
            apply(1),
        ],
        "apply 1",
    ),
    "superseded by nothing": ([*issued(1, 2), receive(1), decline(1, "superseded")], "decline 1 superseded"),
    "superseded by what is older": (
        [*issued(1, 2), *applied(1), receive(2), decline(2, "superseded")],
        "decline 2 superseded",
    ),
    "superseded, and its application's doing": (
        [*issued(1, 2), *applied(2), receive(1), decline(1, "no")],
        "decline 1 answered",
    ),
    "superseded, and deferred": ([*issued(1, 2), *applied(2), receive(1), defer(1)], "defer 1"),
    "AB-4: lost without safe(O)": ([*issued(1), escalate(1, False)], "escalate 1 False"),
    "AB-4: safe(O) over a newer decision": (
        [*issued(1, 2), *applied(2), *confirmed(2), escalate(1, True)],
        "escalate 1 True",
    ),
    "a decline that protects over a newer decision": (
        [*issued(1, 2), *applied(2), *confirmed(2), *superseded(1), discharge(1, "declined", True)],
        "discharge 1 declined True",
    ),
    "AB-3: another answer than the receiver's": (
        [*issued(1, 2), *applied(2), *superseded(1)[:3], *confirmed(1)],
        "discharge 1 applied False",
    ),
    "AB-3: applied twice": ([*issued(1), *applied(1), apply(1)], "apply 1"),
    "AB-3: unsent, yet heard": (
        [*issued(1), receive(1), START_THERE, *confirmed(1)],
        "discharge 1 applied False",
    ),
    "AB-3: not killed, and not told": ([*issued(1), receive(1), reply(1, "applied")], "reply 1 applied"),
    "AB-3: received though never sent": ([*BEGUN, accept(1), receive(1)], "receive 1"),
    "AB-3: heard before the delivery that it answers": (
        [
            *[*issued(1), receive(1, 2), defer(1), hear(1, "deferred")],
            *[("custodian", "mark_deferred", about(1)), *attempt(1, 2)],
        ],
        "receive 1",
    ),
    "AB-1: sent without custody": ([*BEGUN, *attempt(1)], "attempt 1"),
    "AB-4: twice": ([*issued(1), escalate(1), escalate(1)], "escalate 1 True"),
    "AB-4: late, though nothing was escalated": (
        [*issued(1), *applied(1), hear(1, "applied"), note(1, "late", "applied")],
        "note 1 late applied",
    ),
    "a deferral that the receiver did not make": (
        [*issued(1), ("custodian", "mark_deferred", about(1))],
        "mark_deferred 1",
    ),
    "AB-3: deferred without an entry": ([*issued(1), receive(1), reply(1, "deferred")], "reply 1 deferred"),
    "issued twice": ([*issued(1), accept(1)], "accept 1"),
    "an orderly end leaves nothing untold": (
        [*BEGUN, ("custodian", "stop", {}), START, *attempt(1)],
        "attempt 1",
    ),
}


def check(story: Sequence[Told], folder: Path) -> Validation:
    """Validate a story; an answer that is heard was given where the story enters it."""
    entered: dict[object, float] = {}
    lines: list[Line] = []
    for n, (side, event, fields) in enumerate(story):
        at = n / 10
        if event in ANSWERS:
            entered[fields["obligation"], ANSWERS[event]] = at
        given = entered.get((fields.get("obligation"), fields.get("status")), 0.0)
        lines.append((side, at, event, {**fields, "acked_at": given} if event == "receive_ack" else fields))
    return validated(written(lines, folder), "supersession")


@pytest.mark.parametrize("name", STORIES)
def test_what_a_run_may_log(name: str, tmp_path: Path) -> None:
    found = check(STORIES[name], tmp_path)
    assert not found.rejected, found.rejections[0]
    assert not found.flaws.told
    assert found.subjects == (name != "without a sequence")


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_no_run_may_log(name: str, tmp_path: Path) -> None:
    story, told = FORBIDDEN[name]
    (rejection,) = check(story, tmp_path).rejections
    assert f"the spec does not allow {told} here" in str(rejection)


def test_each_governed_key_is_a_subject_of_its_own(tmp_path: Path) -> None:
    other = {**accept(1)[2], "obligation": "other", "governed_key": "consent/agent-b/mail"}
    found = check([*issued(2), ("custodian", "accept", other), *applied(2)], tmp_path)
    assert (found.subjects, found.rejected) == (2, ())


def test_a_decision_that_is_sent_best_effort_is_a_flaw(tmp_path: Path) -> None:
    (flaw,) = check([*BEGUN, accept(1, under_custody=False)], tmp_path).flaws.told
    assert "'d1' is sent best-effort, of which Supersession.tla says nothing" in str(flaw)


def test_an_unknown_event_is_a_flaw(tmp_path: Path) -> None:
    (flaw,) = check([*BEGUN, accept(1), ("custodian", "forget", about(1))], tmp_path).flaws.told
    assert "there is no event 'forget'" in str(flaw)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_drawn_from_the_graph_is_accepted(seed: int, tmp_path: Path) -> None:
    story = drawn(random.Random(seed))
    found = check(story, tmp_path)
    assert not found.rejected, found.rejections[0]
    assert not found.flaws.told


def drawn(draw: random.Random) -> list[Told]:
    """Tell a behaviour as hosts would, whose processes die now and then before they tell of a commit."""
    graph = possible("supersession").meaning.machines[draw.randrange(2)].graph
    state, story = graph.initial[0], list(BEGUN)
    for _ in range(30):
        # Of a decision's many steps that change nothing few are taken.
        edges = [edge for edge in graph.out(state) if graph.target[edge] != state or draw.random() < 0.1]
        if not edges:
            return story
        edge = draw.choice(edges)
        step, before, state = graph.labels[graph.label[edge]], graph.state_dict(state), graph.target[edge]
        story += told(step, before, graph.state_dict(state), draw.random() < 0.3)
    return story


def told(step: Label, before: dict[str, Any], after: dict[str, Any], dies: bool) -> list[Told]:
    """The lines of a step; a custodian that commits may die of it."""
    d = step.arguments[0]
    untold = dies and before != after
    match step.action, step.arguments[1:]:
        case "Restart", _:
            return [START if d == "principal" else START_THERE]
        case "Issue", _:
            return [START if untold else accept(d)]
        case "Deliver", _:
            return attempt(d)
        case "Escalate", _:
            return [START if untold else escalate(d, d in after["protected"])]
        case "ReceiveAnswer", (answer,):
            ends = [START if untold else discharge(d, answer, d in after["protected"])]
            escalated = before["status"][d - 1] == "escalated"
            kept = [note(d, "late" if escalated else "repeated", answer)]
            return [hear(d, answer), *(ends if before != after else kept)]
        case "Receive" | "Resolve" as action, (_, fate):
            arrives = receive(d) if action == "Receive" else ("receiver", "resolve", about(d))
            return [arrives, *answered(d, fate, before, after)]
    return []


def answered(d: int, fate: str, before: dict[str, Any], after: dict[str, Any]) -> list[Told]:
    """The lines of a receiver that has a copy, or its application's answer."""
    if fate == "after":
        return [START_THERE]
    stands = after["ledger"][d - 1]
    if before["ledger"] == after["ledger"]:
        return [reply(d, stands)]
    reason = "superseded" if d < before["newest"]["receiver"] else "no"
    entry = {"applied": apply(d), "declined": decline(d, reason), "deferred": defer(d)}[stands]
    return [entry, reply(d, stands)]


def test_more_decisions_than_the_instances_have_are_no_divergence(tmp_path: Path) -> None:
    found = check([*BEGUN, accept(4)], tmp_path)
    assert not found.rejected
    (flaw,) = found.flaws.told
    assert "sequence 4 is beyond this instance, whose decisions on a key are 1 to 3" in str(flaw)
