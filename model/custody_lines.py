"""What a line of a host's log must have, and what the lines before it in the same log ask of it.

Rule 1: deadline, content and target of an obligation are those that its first line tells.
Rule 2: what is decided follows from what has just arrived. A message's line is written before the endpoint is
        given the message, which does at once what follows, or nothing: so in a run this order is certain.
Rule 3: an answer to other content, or of another target, is noted as foreign, and no other is.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

from specwalk.errors import BadInput

__all__ = ["Arrived", "moved", "require_fields", "unprompted"]

_Line: TypeAlias = Mapping[str, Any]

#: Of each obligation what has just arrived (an event, or an answer's status), and whether it answers what was
#: accepted (None: that is unknown, or it is no answer).
Arrived: TypeAlias = dict[str, tuple[str | None, bool | None]]

_FIELDS: Mapping[str, Mapping[str, type]] = {
    "start": {},
    "stop": {},
    "accept": {
        "under_custody": bool,
        "status": str,
        "deliveries": int,
        "due": int,
        "deadline": int,
        "digest": str,
        "target": str,
    },
    "attempt": {"number": int, "due": int, "deadline": int, "digest": str},
    "send": {"number": int},
    "receive_ack": {"status": str, "digest": str, "target": str, "acked_at": int},
    "mark_deferred": {"deadline": int},
    "discharge": {"status": str, "protected": bool, "deadline": int},
    "escalate": {"cause": str, "protected": bool, "deadline": int},
    "note": {"why": str, "status": str},
    "receive": {"number": int, "digest": str, "deadline": int},
    "apply": {"deadline": int},
    "decline": {"deadline": int},
    "defer": {"deadline": int},
    "reply": {"status": str},
    "resolve": {},
}
_NEEDED: Mapping[str, Mapping[str, type]] = {
    event: {"at": int, **fields} if event in ("start", "stop") else {"at": int, "obligation": str, **fields}
    for event, fields in _FIELDS.items()
}
_KINDS = {bool: "true or false", int: "a whole number", str: "a text"}


def require_fields(line: _Line) -> None:
    """Refuse a line that is not what a host writes."""
    fields = _NEEDED.get(str(line.get("event")))
    if fields is None:
        raise BadInput(f"there is no event {line.get('event')!r}")
    for name, kind in fields.items():
        if type(line.get(name)) is not kind:
            raise BadInput(f"{name} is to be {_KINDS[kind]}, not {line.get(name)!r}")
    if line.get("side") not in ("custodian", "receiver"):
        raise BadInput(f"side is to be custodian or receiver, not {line.get('side')!r}")


def moved(line: _Line, held: dict[str, Any]) -> str | None:
    """Say what of an obligation has changed that never does; an answer may be one to another's content."""
    if line["event"] != "receive_ack":
        for name in ("deadline", "digest", "target"):
            if name in line and held.setdefault(name, line[name]) != line[name]:
                return f"with another {name}"
    return None


def unprompted(line: _Line, held: _Line, arrived: Arrived) -> str | None:
    """Say whether a line follows from nothing that has just arrived in its run, and keep what arrives."""
    event, o = line["event"], line["obligation"]
    came, ours = arrived.pop(o, (None, None))
    match event:
        case "receive" | "resolve":
            arrived[o] = event, None
        case "receive_ack":
            arrived[o] = line["status"], _ours(line, held)
        case "escalate" if came is not None:  # the answer is noted behind it
            arrived[o] = came, ours
        case "apply" | "decline" | "defer" if came not in ("receive", "resolve"):
            return "unprompted"
        case "mark_deferred" | "discharge" | "note":
            foreign = line.get("why") == "foreign"
            # Whether it is ours may be unknown: then it may have been either.
            if came != line.get("status", "deferred") or ours is foreign:
                return "unprompted"
    return None


def _ours(ack: _Line, held: _Line) -> bool | None:
    """Say whether an answer is one to what was accepted; None if no line has told what that is."""
    if any(held.get(name, ack[name]) != ack[name] for name in ("digest", "target")):
        return False
    return True if "digest" in held and "target" in held else None
