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

from model.custody_lines import moved, require_fields, unprompted
from specwalk.errors import BadInput
from specwalk.graph import Label
from specwalk.model import LogFields, Reading

__all__ = ["CustodyLog"]

_Line: TypeAlias = Mapping[str, Any]
_State: TypeAlias = Mapping[str, Any]

_ANSWERS = {"apply": "applied", "decline": "declined", "defer": "deferred"}


class CustodyLog:
    """The part of a model that reads logs."""

    log_fields = LogFields(time="at", run="run", count="n")
    constants: Mapping[str, Any]

    def read_event(self, line: _Line, kept: dict[str, Any]) -> Reading | None:
        """Read a line; kept is, of each obligation, what its lines said, and what has just arrived."""
        require_fields(line)
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
        wrong = moved(line, held) or unprompted(line, held, kept.setdefault("arrived", {}))
        reading = _read(line, held)
        sight: Any = reading.sight
        return reading._replace(sight=(*sight, wrong)) if wrong else reading

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
            case ("receive",):
                return bool(state["up"]["receiver"] and o in state["copies"])
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


def _read(line: _Line, held: dict[str, Any]) -> Reading:
    """Read a line of an obligation, by what its log has said of it before."""
    event, o = line["event"], line["obligation"]
    at: int = line["at"]
    deadline: Any = line.get("deadline")
    match event:
        case "accept":
            held["due"] = line["due"]
            sends = None if line["under_custody"] else (1, deadline, line["digest"])
            return Reading(o, _timed((event, line["status"]), at, at, deadline), sends=sends)
        case "attempt":
            number, first, held["due"] = line["number"], held.get("due", at), line["due"]
            wrong = () if at < line["due"] <= deadline else ("with a wrong due",)
            seen = _timed((event, number, *wrong), at, first, deadline)
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
            return Reading(o, (event,), receives=(line["number"], deadline, line["digest"]), surely=True)
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
