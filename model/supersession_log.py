"""What the event log of `abhyasa.runtime` shows of spec/Supersession.tla: the decisions on one governed key.

Rule 1: a governed key is the subject, a decision its sequence there, counted from 1. What has no sequence
        is not this spec's business.
Rule 2: a line is one step of the spec, or a look at its state. A start after a kill may also be the step
        that its process had committed and could not tell of: at most one, for the next commit has a line.
Rule 3: which decisions are grants no line says. The instances differ in it, and a log may be of any.
Rule 4: without a clock, what the receiver declines as expired is its application's decline, superseded
        or not. It declines as superseded what is so, and nothing else that is so.
Rule 5: what arrives at the receiver may be answered again, whether or not its process lives to tell.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from specwalk.errors import BadInput
from specwalk.graph import Label
from specwalk.model import LogFields, Reading

__all__ = ["SupersessionLog"]

_Line: TypeAlias = Mapping[str, Any]
_State: TypeAlias = Mapping[str, Any]

_ANSWERS = {"apply": "applied", "decline": "declined", "defer": "deferred"}
_SIDES = {"custodian": "principal", "receiver": "receiver"}


class SupersessionLog:
    """The part of a model that reads logs."""

    log_fields = LogFields(time="at", run="run", count="n")
    constants: Mapping[str, Any]

    def read_event(self, line: _Line, kept: dict[str, Any]) -> Reading | None:
        """Read a line; kept are whether a run goes on, and key and sequence of each obligation."""
        event = line["event"]
        if event == "start":
            killed, kept["runs"] = kept.get("runs", False), True
            return Reading(None, ("start after a kill" if killed else event, line["side"]), begins=True)
        if event == "stop":
            kept["runs"] = False
            return Reading(None, (event, line["side"]))
        known = kept.setdefault("decisions", {})
        if line.get("governed_key") is not None and line["sequence"] is not None:
            known[line["obligation"]] = line["governed_key"], self._within(line["sequence"])
        if line["obligation"] not in known:
            return None
        return _read(line, *known[line["obligation"]])

    def _within(self, sequence: int) -> int:
        if sequence not in self.constants["Decisions"]:
            most = max(self.constants["Decisions"])
            raise BadInput(
                f"sequence {sequence} is beyond this instance, whose decisions on a key are 1 to {most}: "
                "number them so, or add an instance that has more"
            )
        return sequence

    def explains(self, sight: Any, step: Label | None, before: _State, after: _State) -> bool:
        """Say whether a step, or a look at a state, shows as a sight."""
        if step is None:
            return _looks(sight, before)
        match sight:
            case ("start after a kill", side):
                return before != after and _untold(step) == _SIDES[side]
            case ("accept", d):
                return step.action == "Issue" and step.arguments == (d,)
            case ("attempt", d):
                return step.action == "Deliver" and step.arguments == (d,)
            case ("escalate", d, safe):
                escalates = step.action == "Escalate" and step.arguments == (d,)
                return escalates and (d in after["protected"]) is safe
            case ("discharge", d, answer, safe):
                answers = step.action == "ReceiveAnswer" and step.arguments == (d, answer)
                ends = answers and before["status"] != after["status"]
                return ends and (d in after["protected"]) is safe
            case ("receive", d):
                repeats = step.action == "Receive" and before["ledger"] == after["ledger"]
                return repeats and step.arguments[0] == d
            case ("apply" | "decline" | "defer" as event, d, *why):
                enters = step.arguments[0] == d and step.arguments[-1] == "done"
                answers = enters and before["ledger"] != after["ledger"]
                return answers and _at(after["ledger"], d) == _ANSWERS[event] and _declined(why, d, before)
        return False


def _read(line: _Line, key: str, d: int) -> Reading:
    """Read a line about a decision."""
    match line["event"]:
        case "accept" if not line["under_custody"]:
            raise BadInput(
                f"{line['obligation']!r} is sent best-effort, of which Supersession.tla says nothing"
            )
        case "attempt":
            return Reading(key, ("attempt", d), sends=(d, line["number"]))
        case "escalate":
            return Reading(key, ("escalate", d, line["protected"]))
        case "discharge":
            return Reading(key, ("discharge", d, line["status"], line["protected"]))
        case "note":
            return Reading(key, ("note", d, line["why"], line["status"]))
        case "apply" | "defer" as event:
            return Reading(key, (event, d), sends=(d, _ANSWERS[event], line["at"]))
        case "decline":
            why = line["reason"] if line["reason"] in ("expired", "superseded") else "answered"
            return Reading(key, ("decline", d, why), sends=(d, "declined", line["at"]))
        case "receive":
            return Reading(key, ("receive", d), receives=(d, line["number"]))
        case "receive_ack":
            return Reading(key, ("receive_ack", d), receives=(d, line["status"], line["acked_at"]))
        case "reply":
            return Reading(key, ("reply", d, line["status"]))
        case "accept" | "send" | "mark_deferred" | "resolve" as event:
            return Reading(key, (event, d))
    raise BadInput(f"there is no event {line['event']!r}")


def _looks(sight: Any, state: _State) -> bool:
    """Say whether a sight may be seen in a state, without a step."""
    if sight[0] in ("start", "start after a kill", "stop", "receive_ack", "resolve"):
        return True
    event, d, *how = sight
    if not 1 <= d <= len(state["status"]):
        return False
    status, answered = _at(state["status"], d), _at(state["ledger"], d)
    match event, how:
        case ("send" | "receive", _):
            return d in state["copies"]
        case ("attempt", _):
            return d in state["copies"] and status == "pending"
        case ("reply", ["deferred"]):
            return answered == "deferred"
        case ("reply", [answer]):
            return (d, answer) in state["answers"]
        case ("mark_deferred", _):
            return answered != "none" and status == "pending"
        case ("note", [why, _]):
            return why != "late" or status == "escalated"
    return False


def _untold(step: Label) -> str | None:
    """Return the side on which a step may be the last thing done, and not told."""
    if step.action in ("Issue", "Escalate", "ReceiveAnswer"):
        return "principal"
    return "receiver" if step.arguments[-1] == "after" else None


def _at(function: Sequence[str], d: int) -> str:
    """Return the value of a function on 1..n, which TLA+ takes for a sequence."""
    return function[d - 1]


def _declined(why: list[str], d: int, state: _State) -> bool:
    """Say whether an answer that is no decline, or a decline for a reason, agrees with the state."""
    if why in ([], ["expired"]):
        return True
    newest: int = state["newest"]["receiver"]
    return (why == ["superseded"]) is (d < newest)
