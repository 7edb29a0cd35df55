"""What of a host's doing is an event of its log: one for each durable transition and message.

Times are whole microseconds since 1970 (UTC). Each function returns the event's name, the id of its
obligation, and its further fields. What may be the first line of an obligation in a log names its
governed key and its sequence: an attempt or an escalation too, for the process may have died between
the commit of the acceptance and its line.
"""

from collections.abc import Mapping
from typing import TypeAlias

from abhyasa.core import custodian, receiver
from abhyasa.core.obligation import CustodyAck, Delivery
from abhyasa.core.receiver import Decision, LedgerEntry
from abhyasa.core.values import to_micros

Field: TypeAlias = str | int | bool | None
Event: TypeAlias = tuple[str, str | None, Mapping[str, Field]]

START: Event = ("start", None, {})
STOP: Event = ("stop", None, {})


def custodian_did(command: custodian.Command) -> Event:
    """Return the event of a command that a custodian carried out."""
    match command:
        case custodian.Accept(record=record):
            return "accept", record.obligation.id, _accepted(record)
        case custodian.Attempt(record=record):
            content = {"digest": record.obligation.digest, **_ordered(record)}
            plan = {"number": record.deliveries, "due": to_micros(record.due_at)}
            return "attempt", record.obligation.id, {**plan, **content, **_until(record)}
        case custodian.MarkDeferred(record=record):
            return "mark_deferred", record.obligation.id, _until(record)
        case custodian.Discharge(record=record):
            answer = {"status": record.status.value, "reason": record.reason, "protected": record.protected}
            return "discharge", record.obligation.id, {**answer, **_until(record)}
        case custodian.Escalate(record=record, escalation=told):
            ended = {"cause": told.cause.value, "protected": told.protected}
            return "escalate", record.obligation.id, {**ended, **_ordered(record), **_until(record)}
        case custodian.TakeNote(note=note):
            said = {"why": note.why.value, "status": note.ack.status.value, "reason": note.ack.reason}
            return "note", note.ack.obligation_id, said
        case custodian.Send(delivery=delivery):
            return "send", delivery.obligation.id, {"number": delivery.attempt}


def receiver_did(command: receiver.Command) -> Event:
    """Return the event of a command that a receiver carried out."""
    match command:
        case receiver.Apply(entry=entry, change=change):
            ordered = {"governed_key": change.governed_key, "sequence": change.sequence}
            return "apply", entry.obligation.id, {**_until(entry), **ordered}
        case receiver.Decline(entry=entry):
            return "decline", entry.obligation.id, {"reason": entry.reason, **_until(entry)}
        case receiver.Defer(entry=entry):
            return "defer", entry.obligation.id, {"reason": entry.reason, **_until(entry)}
        case receiver.Reply(ack=ack):
            answer = {"status": ack.status.value, "reason": ack.reason}
            return "reply", ack.obligation_id, {**answer, "acked_at": to_micros(ack.acked_at)}


def delivery_arrives(delivery: Delivery, governed_key: str | None) -> Event:
    """Return the event of a delivery that a receiver is about to be given; no key if its kind refuses."""
    obligation = delivery.obligation
    ordered = {"governed_key": governed_key, "sequence": obligation.sequence}
    fields = {"number": delivery.attempt, "digest": obligation.digest, **ordered, **_until(delivery)}
    return "receive", obligation.id, fields


def ack_arrives(ack: CustodyAck) -> Event:
    """Return the event of an acknowledgment that a custodian is about to be given."""
    answer = {"status": ack.status.value, "digest": ack.digest, "target": ack.target}
    return "receive_ack", ack.obligation_id, {**answer, "acked_at": to_micros(ack.acked_at)}


def application_resolves(obligation_id: str, decision: Decision) -> Event:
    """Return the event of an application that is about to answer a deferred obligation."""
    return "resolve", obligation_id, {"decision": decision.status.value}


def _accepted(record: custodian.CustodyRecord) -> Mapping[str, Field]:
    return {
        "target": record.obligation.target,
        "digest": record.obligation.digest,
        "under_custody": record.safe is not None,
        "deadline": to_micros(record.deadline),
        "due": to_micros(record.due_at),
        "deliveries": record.terms.deliveries,
        "status": record.status.value,
        **_ordered(record),
    }


def _ordered(record: custodian.CustodyRecord) -> Mapping[str, Field]:
    return {"governed_key": record.governed_key, "sequence": record.obligation.sequence}


def _until(held: custodian.CustodyRecord | LedgerEntry | Delivery) -> Mapping[str, Field]:
    return {"deadline": to_micros(held.deadline)}
