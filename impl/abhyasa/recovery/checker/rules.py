"""The rules R1 to R14, one function each: it yields what is wrong, in words.

Times are of one logical clock: `a` happened before `b` iff its time is lower.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from abhyasa.recovery.checker.history import History, Record, scope_of


def scope_and_action(history: History) -> Iterator[str]:
    """R1: every request carries the instance's scope and its canonical action, exactly."""
    for request in history.requests:
        if scope_of(request) != history.scope or request["action"] != history.instance["action"]:
            yield f"{request['reference']} asked for another scope or action"


def first_dispatch_authority(history: History) -> Iterator[str]:
    """R2: at the first intent write authority holds. A commit after a later revocation is no finding."""
    for intent in history.intents[:1]:
        for lost in history.lost_authority(intent["at"]):
            yield f"first dispatch at {intent['at']}: {lost}"


def approval_consumption(history: History) -> Iterator[str]:
    """R3: the approval is consumed by this instance, once, no later than the first intent."""
    if history.instance["approval"] is None:
        return
    consumers = [use["instance"] for use in history.consumptions]
    mine = history.instance["id"]
    if history.intents and consumers != [mine]:
        yield f"the approval was consumed by {consumers}, not by {mine!r} alone"
    if not history.intents and mine in consumers:
        yield "the approval was consumed, and nothing was dispatched"
    if any(use["at"] > intent["at"] for use in history.consumptions for intent in history.intents[:1]):
        yield "the approval was consumed after the first intent"


def repeat_authority(history: History) -> Iterator[str]:
    """R4: at every later intent write authority holds again."""
    for intent in history.intents[1:]:
        for lost in history.lost_authority(intent["at"]):
            yield f"repeated dispatch {intent['number']} at {intent['at']}: {lost}"


def repeat_freshness(history: History) -> Iterator[str]:
    """R5: every later intent has a live key; an empty lookup certifies nothing, and nothing else does."""
    for intent in history.intents[1:]:
        if not history.deduplicated(intent):
            yield f"dispatch {intent['number']} repeats one that may still commit"


def ownership(history: History) -> Iterator[str]:
    """R6: workers act under the current lease; epochs rise by 1; a stale heartbeat is refused.

    A lease that has run out permits no dispatch and is not revived. Its holder may still observe and
    settle until it is replaced: that needs no authority.
    """
    epochs = [lease["epoch"] for lease in history.leases]
    if epochs != list(range(1, len(epochs) + 1)):
        yield f"lease epochs {epochs} do not rise by 1"
    for act in chain(history.intents, history.observations, history.settlements):
        if not _is_holder(history, act):
            yield f"epoch {act['epoch']} acted at {act['at']} without the lease"
    for intent in history.intents:
        if _is_holder(history, intent) and not _is_in_time(history, intent):
            yield f"epoch {intent['epoch']} dispatched at {intent['at']}, when its lease had run out"
    for beat in history.heartbeats:
        if bool(beat["accepted"]) != (_is_holder(history, beat) and _is_in_time(history, beat)):
            yield f"the heartbeat of epoch {beat['epoch']} at {beat['at']} was answered wrongly"


def _is_holder(history: History, act: Record) -> bool:
    lease = history.lease_at(act["at"])
    return lease is not None and lease["epoch"] == act["epoch"]


def _is_in_time(history: History, act: Record) -> bool:
    lease = history.lease_at(act["at"])
    return lease is not None and act["at"] < lease["expires_at"]


def multiplicity(history: History) -> Iterator[str]:
    """R7: at the final boundary there are no more effects than were allowed."""
    allowed = history.instance["allowed_effects"]
    if len(history.effects) > allowed:
        yield f"{len(history.effects)} effects, {allowed} allowed"


def provenance(history: History) -> Iterator[str]:
    """R8: each request has one earlier durable intent, of its sender; each effect one request.

    No reference recurs.
    """
    for kind, records in (("request", history.requests), ("effect", history.effects)):
        references = [record["reference"] for record in records]
        yield from (f"{kind} {again} recurs" for again in {r for r in references if references.count(r) > 1})
    for request in history.requests:
        if not any(
            _precedes(intent, request)
            and intent["key"] == request["key"]
            and request["participant"] in history.workers(intent["epoch"])
            for intent in history.intents
        ):
            yield f"request {request['reference']} has no earlier intent"
    for effect in history.effects:
        if not any(_precedes(request, effect) for request in history.requests):
            yield f"effect {effect['reference']} has no request"


def _precedes(cause: Record, event: Record) -> bool:
    return bool(cause["reference"] == event["reference"] and cause["at"] < event["at"])


def retained_uncertainty(history: History) -> Iterator[str]:
    """R9: while a delivery group is unresolved, the report is UNKNOWN and the reservation HELD.

    A worker may die after it has settled what an earlier one had to report as UNKNOWN: that is none.
    """
    report = history.final_report
    unresolved = [group[0]["reference"] for group in history.groups() if not history.resolved(group)]
    if unresolved and report is not None and report["outcome"] != "unknown":
        yield f"reported {report['outcome']} while {unresolved} are unresolved"
    if unresolved and history.reservation != "held":
        yield f"the reservation is {history.reservation} while {unresolved} are unresolved"
    if report is not None and report["outcome"] == "unknown" and history.reservation is None:
        yield "reported unknown, and there is no reservation"
    for told in history.own_reports:
        if told["outcome"] == "unknown":
            yield from _doubts(history, told["at"])


def _doubts(history: History, at: int) -> Iterator[str]:
    """Yield why nothing is uncertain at a time: it is not yet, or not any more."""
    if not any(intent["at"] < at for intent in history.intents):
        yield f"reported unknown at {at}, and nothing was dispatched"
    if any(settlement["at"] < at for settlement in history.settlements):
        yield f"reported unknown at {at}, and it was settled"


def settlement_evidence(history: History) -> Iterator[str]:
    """R10: a settlement follows a durable observation of its receipt, which names a committed effect.

    SUCCESS follows exactly one charge.
    """
    for settlement in history.settlements:
        if not any(_shows(history, seen, settlement) for seen in history.observations):
            yield f"settlement of {settlement['receipt']} has no observed effect before it"
    successes = [report for report in history.own_reports if report["outcome"] == "success"]
    for report in successes:
        charges = [paid["charge"] for paid in history.settlements if paid["at"] < report["at"]]
        if charges.count(1) != 1:
            yield f"reported success at {report['at']} without exactly one charge before"
    if successes and history.reservation != "charged":
        yield f"reported success with the reservation {history.reservation}"


def _shows(history: History, seen: Record, settlement: Record) -> bool:
    return (
        seen["receipt"] == settlement["receipt"]
        and seen["at"] < settlement["at"]
        and any(e["receipt"] == seen["receipt"] and e["at"] < seen["at"] for e in history.effects)
    )


def settlement_idempotence(history: History) -> Iterator[str]:
    """R11: the total charge is at most 1; a repeated settlement has the same receipt and charges 0."""
    charge = sum(settlement["charge"] for settlement in history.settlements)
    if charge > 1:
        yield f"charged {charge} times"
    for again in history.settlements[1:]:
        if again["receipt"] != history.settlements[0]["receipt"] or again["charge"] != 0:
            yield f"the settlement at {again['at']} does not repeat the first"


def denial(history: History) -> Iterator[str]:
    """R12: what is denied left nothing behind, and the timeline shows the reason at that moment.

    A denial is final, so one that was justified may be repeated when its reason has gone. A stranger
    is denied, and told nothing else.
    """
    for report in history.reports:
        if scope_of(report) != history.scope and report["outcome"] != "denied":
            yield f"a stranger was told {report['outcome']} at {report['at']}"
    justified: set[str] = set()
    for report in history.reports:
        if report["outcome"] == "denied" and _justified(history, report):
            justified.add(report["reason"])
        elif report["outcome"] == "denied" and report["reason"] not in justified:
            yield f"denied as {report['reason']} at {report['at']}, which the timeline does not show"
    final = history.final_report
    if final is not None and final["outcome"] == "denied":
        left = {
            "intents": history.intents,
            "requests": history.requests,
            "effects": history.effects,
            "a reservation": history.reservation,
        }
        yield from (f"denied, and there are {what}" for what, found in left.items() if found)


def _justified(history: History, report: Record) -> bool:
    at, instance = report["at"], history.instance
    lease, strange = history.lease_at(at), scope_of(report) != history.scope
    if strange or lease is None:
        return strange and bool(report["reason"] == "wrong_run_scope")
    others = [use for use in history.consumptions if use["instance"] != instance["id"] and use["at"] <= at]
    reasons: dict[str, bool] = {
        "cancelled": history.stands("cancelled", at) == 1,
        "lease_expired": at >= lease["expires_at"],
        "revoked": history.stands("grant", at) != 1,
        "policy_changed": history.stands("policy_epoch", at) != instance["policy_epoch"],
        "approval_missing": history.stands("approval_required", at) == 1 and instance["approval"] is None,
        "approval_consumed": bool(others),
        "approval_expired": at >= instance["expires_at"],
        "dependency_refused": history.stands("dependency", at) == 0,
    }
    return reasons.get(report["reason"], False)


def closure(history: History) -> Iterator[str]:
    """R13: the final boundary was reached after all else, nothing is pending, and one report is final.

    Uncertainty may be resolved later, so an UNKNOWN may come before another report; nothing else may.
    """
    if history.final_at is None:
        yield "the final boundary was not reached"
    else:
        late = [name for name, record in history.events() if record["at"] >= history.final_at]
        yield from (f"after the final boundary there is one more of the {name}" for name in late)
    yield from (f"{request['reference']} is still pending" for request in history.pending())
    outcomes = [report["outcome"] for report in history.own_reports]
    if not outcomes:
        yield "nothing was reported"
    elif not set(outcomes[:-1]) <= {"unknown", outcomes[-1]}:
        yield f"reported {', then '.join(outcomes)}"


def no_leaked_truth(history: History) -> Iterator[str]:
    """R14: a persisted receipt was delivered before, to that very participant, by the answer it names."""
    for seen in history.observations:
        if not any(_tells(history, delivery, seen) for delivery in history.deliveries):
            yield f"{seen['source']} never brought the receipt {seen['receipt']} to epoch {seen['epoch']}"


def _tells(history: History, delivery: Record, seen: Record) -> bool:
    """Tell whether a delivery is where an observation came from, and is itself an answer to a question."""
    kind = "found" if seen["source"] == "lookup" else seen["source"]
    questions = history.lookups if kind == "found" else history.requests
    return (
        _precedes(delivery, seen)
        and (delivery["kind"], delivery["receipt"]) == (kind, seen["receipt"])
        and delivery["participant"] in history.workers(seen["epoch"])
        and any(
            _precedes(asked, delivery) and asked["participant"] == delivery["participant"]
            for asked in questions
        )
    )


RULES: dict[str, Callable[[History], Iterator[str]]] = {
    "R1": scope_and_action,
    "R2": first_dispatch_authority,
    "R3": approval_consumption,
    "R4": repeat_authority,
    "R5": repeat_freshness,
    "R6": ownership,
    "R7": multiplicity,
    "R8": provenance,
    "R9": retained_uncertainty,
    "R10": settlement_evidence,
    "R11": settlement_idempotence,
    "R12": denial,
    "R13": closure,
    "R14": no_leaked_truth,
}
