"""What the event log of `abhyasa.runtime` shows of spec/DurableCustody.tla, at instances of one obligation.

Rule 1: a line is one step of the spec, or a look at its state. A step's line is written after the commit, so
        the step is done, or its process died after it.
Rule 2: unseen go time, losses, deaths, what a process did as it died, and that an answer was repeated.
Rule 3: times are compared line by line. What is done too early or too late shows as such, and is no step.
Rule 4: a message's first line is that of the commit before it, since its process may die before the next.
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

_ANSWERS = {"apply": "applied", "decline": "declined", "defer": "deferred"}


class CustodyLog:
    """The part of a model that reads logs."""

    log_fields = LogFields(time="at", run="run", count="n")
    constants: Mapping[str, Any]

    def read_event(self, line: _Line, kept: dict[str, Any]) -> Reading | None:
        """Read a line; kept are whether the log has begun, when each wait ends, and what has a sequence."""
        event, at, o, due = line["event"], line["at"], line.get("obligation", ""), kept.setdefault("due", {})
        ordered = kept.setdefault("ordered", set())
        if line.get("sequence") is not None:
            ordered.add(o)
        match event:
            case "start":
                seen = event if "begun" in kept else "first start"
                kept["begun"] = True
                return Reading(None, (seen, line["side"]), begins=True)
            case "stop":
                return Reading(None, (event, line["side"]))
            case "accept" if line["under_custody"]:
                self._require_budget(o, line["deliveries"])
                due[o] = line["due"]
                return Reading(o, (event, line["status"]))
            case "accept":
                return Reading(o, (event, line["status"]), sends=1)
            case "attempt":
                number, first, due[o] = line["number"], due.get(o, at), line["due"]
                return Reading(o, _timed((event, number), at, first, line["deadline"]), sends=number)
            case "escalate":
                first = due.pop(o, at)
                seen = (event, line["cause"], line["protected"] or o in ordered)
                if line["cause"] == "deadline":
                    return Reading(o, _timed(seen, at, line["deadline"], at + 1))
                return Reading(o, _timed(seen, at, first, line["deadline"]))
            case "discharge":
                due.pop(o, None)
                gives_way = o in ordered and line["status"] == "declined"
                seen = (event, line["status"], line["protected"] or gives_way)
                return Reading(o, _timed(seen, at, at, line["deadline"]))
            case "mark_deferred":
                return Reading(o, _timed((event,), at, at, line["deadline"]))
            case "apply" | "defer":
                return Reading(o, _timed((event,), at, at, line["deadline"]), sends=(_ANSWERS[event], at))
            case "decline":
                expired = ("expired",) if at >= line["deadline"] else ()
                return Reading(o, (event, *expired), sends=(_ANSWERS[event], at))
            case "receive_ack":
                return Reading(o, (event,), receives=(line["status"], line["acked_at"]))
            case "receive":
                return Reading(o, (event,), receives=line["number"])
            case "send":
                return Reading(o, (event, line["number"]))
            case "note":
                return Reading(o, (event, line["why"], line["status"]))
            case "reply":
                return Reading(o, (event, line["status"]))
            case "resolve":
                return Reading(o, (event,))
        raise BadInput(f"there is no event {event!r}")

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
            case ("note", "late", answer):
                late = before["status"][o] == "escalated"
                return late and _did(step, "ReceiveAnswer") and step.arguments[1] == answer
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
            case ("receive_ack",) | ("note", "foreign" | "repeated" | "best_effort", _):
                return bool(state["up"]["custodian"] and state["status"][o] != "issued")
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


def _timed(seen: tuple[Hashable, ...], at: int, first: int, last: int) -> tuple[Hashable, ...]:
    """Add to what is seen that it was done before it could be first, or when it was too late."""
    if at < first:
        return (*seen, "early")
    return (*seen, "late") if at >= last else seen


def _did(step: Label, *actions: str) -> bool:
    """Say whether a step is one of these actions and has committed."""
    return step.action in actions and step.arguments[-1] in ("done", "after")
