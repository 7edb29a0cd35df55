"""What the event log of `abhyasa.runtime` shows of spec/DurableCustody.tla, at instances of one obligation.

Rule 1: a line is one step of the spec, or a look at its state. A step's line is written after the commit, so
        the step is done, or its process died after it.
Rule 2: unseen go time, losses, deaths, what a process did as it died, and that an answer was repeated.
Rule 3: times are compared line by line. What is done too early or too late shows as such, and is no step.
        Nor is what moves a deadline, or follows from nothing that arrived before it in the same run.
Rule 4: a message's first line is that of the commit before it, since its process may die before the next.
        A delivery has that line, for whoever dies before it sends nothing; an answer may come from a commit
        that went unseen, when it was repeated.
Rule 5: a log's first start resumes nothing: no line before it is unseen.
Rule 6: whether safe(O) of a decision with a sequence gives way to a newer one, Supersession.tla says. Here
        its place is taken for that of safe(O).
"""

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

from specwalk.errors import BadInput
from specwalk.graph import Label
from specwalk.model import LogFields, Reading

__all__ = ["CustodyLog"]

_Line: TypeAlias = Mapping[str, Any]
_State: TypeAlias = Mapping[str, Any]
_Sight: TypeAlias = tuple[Hashable, ...]

_ANSWERS = {"apply": "applied", "decline": "declined", "defer": "deferred"}

#: Of each event the fields that are read, beside `at`, `side` and `obligation`.
_FIELDS: Mapping[str, Mapping[str, type]] = {
    "start": {},
    "stop": {},
    "accept": {
        **{"under_custody": bool, "status": str, "deliveries": int, "due": int, "deadline": int},
        **{"digest": str, "target": str},
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
_KINDS = {bool: "true or false", int: "a whole number", str: "a text"}


class CustodyLog:
    """The part of a model that reads logs."""

    log_fields = LogFields(time="at", run="run", count="n")
    constants: Mapping[str, Any]

    def read_event(self, line: _Line, kept: dict[str, Any]) -> Reading | None:
        """Read a line; kept is, of each obligation, what its lines said, and what has just arrived."""
        _require_fields(line)
        event = line["event"]
        if event in ("start", "stop"):
            seen = event if kept or event == "stop" else "first start"
            kept["arrived"] = {}
            return Reading(None, (seen, line["side"]), begins=event == "start")
        o = line["obligation"]
        held = kept.setdefault("held", {}).setdefault(o, {})
        if event == "accept" and line["under_custody"]:
            self._require_budget(o, line["deliveries"])
        if line.get("sequence") is not None:
            held["ordered"] = True
        wrong = _moved(line, held) or _unprompted(line, held, kept.setdefault("arrived", {}))
        reading = _read(line, held)
        return reading._replace(sight=(*reading.sight, wrong)) if wrong else reading

    def _require_budget(self, o: str, deliveries: int) -> None:
        """A transfer with another budget is not one of this instance, whatever became of it."""
        permitted = self.constants["MaxRetries"] + 1
        if deliveries != permitted:
            raise BadInput(
                f"{o!r} has a budget of {deliveries} deliveries, this instance one of {permitted}: "
                f"add one with MaxRetries = {deliveries - 1}, and as many ticks in Window and Horizon"
            )

    def explains(self, sight: Any, step: Label | None, before: _State, after: _State) -> bool:
        """Say whether a step, or a look at a state, shows as a sight."""
        if step is None:
            return self._looks(sight, before)
        if sight[0] in _ANSWERS:
            return self._enters(sight, step, before, after)
        (o,) = self.constants["Obligations"]
        status, protected = after["status"][o], after["protected"][o]
        match sight:
            case ("start", side):
                return step.action == "Resume" and step.arguments == (side,)
            case ("stop", side):
                return step.action == "Crash" and step.arguments == (side,)
            case ("accept", begun):
                return _did(step, "Accept") and status == begun
            case ("attempt", number):
                return _did(step, "Attempt") and after["deliveries"][o] == number
            case ("escalate", cause, safe):
                return _did(step, f"EscalateBy{cause.title()}") and protected is safe
            case ("discharge", answer, safe):
                ended = before["status"][o] == "pending" and (status, protected) == (answer, safe)
                return _did(step, "ReceiveAnswer") and ended
            case ("mark_deferred",):
                return _did(step, "ReceiveAnswer") and after["deferred"] != before["deferred"]
            case ("note", why, answer):
                noted = _why(before, after, o) == why
                return noted and _did(step, "ReceiveAnswer") and step.arguments[1] == answer
        return False

    def _enters(self, sight: Any, step: Label, before: _State, after: _State) -> bool:
        """Say whether a step shows as an entry into the receiver's ledger."""
        event, *how = sight
        (o,) = self.constants["Obligations"]
        expired = before["now"] + before["skew"] >= before["deadline"][o]
        answered = before["ledger"] != after["ledger"] and after["ledger"][o] == _ANSWERS[event]
        return _did(step, "Receive", "Resolve") and answered and how == (["expired"] if expired else [])

    def _looks(self, sight: Any, state: _State) -> bool:
        """Say whether a sight may be seen in a state, without a step."""
        (o,) = self.constants["Obligations"]
        match sight:
            case ("send", number):
                return bool(state["up"]["custodian"] and state["deliveries"][o] == number)
            case ("receive_ack",) | ("note", "foreign", _):
                return bool(state["up"]["custodian"])
            case ("receive", number):
                sent = o in state["copies"] and number <= state["deliveries"][o]
                return bool(state["up"]["receiver"] and sent)
            case ("reply", status):
                return bool(state["up"]["receiver"] and (o, status) in state["answers"])
            case ("resolve",):
                return bool(state["up"]["receiver"])
        return False

    def unobserved(self, step: Label, before: _State, after: _State) -> bool:
        """Say whether a step leaves no line (rule 2)."""
        if step.action in ("Tick", "LoseCopy", "LoseAnswer", "Crash"):
            return True
        if step.action == "Receive" and before["ledger"] == after["ledger"]:
            return True
        return step.arguments[-1] in ("before", "inside", "after")


def _require_fields(line: _Line) -> None:
    """Refuse a line that is not what a host writes."""
    fields = _FIELDS.get(str(line["event"]))
    if fields is None:
        raise BadInput(f"there is no event {line['event']!r}")
    for name, kind in fields.items():
        if type(line.get(name)) is not kind:
            raise BadInput(f"{name} is to be {_KINDS[kind]}, not {line.get(name)!r}")
    if line["side"] not in ("custodian", "receiver"):
        raise BadInput(f"side is to be custodian or receiver, not {line['side']!r}")


def _moved(line: _Line, held: dict[str, Any]) -> str | None:
    """Say what of an obligation has changed that never does; an answer may be one to another's content."""
    if line["event"] != "receive_ack":
        for name in ("deadline", "digest", "target"):
            if name in line and held.setdefault(name, line[name]) != line[name]:
                return f"with another {name}"
    return None


def _unprompted(line: _Line, held: _Line, arrived: dict[str, tuple[str, bool | None]]) -> str | None:
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
            if came != line.get("status", "deferred") or ours is foreign:
                return "unprompted"
    return None


def _ours(ack: _Line, held: _Line) -> bool | None:
    """Say whether an answer is one to what was accepted; None if no line has told what that is."""
    if any(held.get(name, ack[name]) != ack[name] for name in ("digest", "target")):
        return False
    return True if "digest" in held and "target" in held else None


def _read(line: _Line, held: dict[str, Any]) -> Reading:
    """Read a line of an obligation, by what its log has said of it before."""
    event, at, o, deadline = line["event"], line["at"], line["obligation"], line.get("deadline")
    match event:
        case "accept":
            held["due"] = line["due"]
            sends = None if line["under_custody"] else (1, deadline, line["digest"])
            return Reading(o, _timed((event, line["status"]), at, at, deadline), sends=sends)
        case "attempt":
            number, first, held["due"] = line["number"], held.get("due", at), line["due"]
            seen = _timed((event, number), at, first, deadline)
            if seen == (event, number) and not at < line["due"] <= deadline:
                seen = (*seen, "with a wrong due")
            return Reading(o, seen, sends=(number, deadline, line["digest"]))
        case "escalate":
            seen = (event, line["cause"], line["protected"] or "ordered" in held)
            if line["cause"] == "deadline":
                return Reading(o, _timed(seen, at, deadline, at + 1))
            return Reading(o, _timed(seen, at, held.get("due", at), deadline))
        case "discharge":
            gives_way = "ordered" in held and line["status"] == "declined"
            return Reading(
                o, _timed((event, line["status"], line["protected"] or gives_way), at, at, deadline)
            )
        case "mark_deferred":
            return Reading(o, _timed((event,), at, at, deadline))
        case "apply" | "defer":
            return Reading(o, _timed((event,), at, at, deadline), sends=(_ANSWERS[event], at))
        case "decline":
            expired = ("expired",) if at >= line["deadline"] else ()
            return Reading(o, (event, *expired), sends=(_ANSWERS[event], at))
        case "receive_ack":
            return Reading(o, (event,), receives=(line["status"], line["acked_at"]))
        case "receive":
            number = line["number"]
            return Reading(o, (event, number), receives=(number, deadline, line["digest"]), surely=True)
        case "note":
            return Reading(o, (event, line["why"], line["status"]))
        case "send":
            return Reading(o, (event, line["number"]))
        case "reply":
            return Reading(o, (event, line["status"]))
    return Reading(o, (event,))


def _timed(seen: tuple[Hashable, ...], at: int, first: int, last: int) -> tuple[Hashable, ...]:
    """Add to what is seen that it was done before it could be first, or when it was too late."""
    if at < first:
        return (*seen, "early")
    return (*seen, "late") if at >= last else seen


def _did(step: Label, *actions: str) -> bool:
    """Say whether a step is one of these actions and has committed."""
    return step.action in actions and step.arguments[-1] in ("done", "after")


def _why(before: _State, after: _State, o: Hashable) -> str | None:
    """Say why an answer is noted; None if it is not."""
    match before["status"][o]:
        case "escalated":
            return "late"
        case "best_effort":
            return "best_effort"
    return "repeated" if before == after else None
