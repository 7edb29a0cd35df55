"""What a history of the study shows of spec/Recovery.tla: its records, in the order of their times.

Rule 1: a line is a record of a history with its list's name as `event`; the contract comes first, and last
        what is left of reservation and approval. `lines` makes them.
Rule 2: a line is one step of the spec, or a look at its state. What only the provider knows has its lines
        too, so the hidden half of a history is explained with the other.
Rule 3: no line tells of a death, of a transaction that fails, is refused, or denies, and of an answer that
        brings nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from specwalk.errors import BadInput
from specwalk.graph import Label
from specwalk.model import LogFields, Reading

__all__ = ["RecoveryLog", "consumption", "lines", "number"]

_Line: TypeAlias = Mapping[str, Any]
_State: TypeAlias = Mapping[str, Any]

_APPLICATION = (
    *("authority", "consumptions", "leases", "heartbeats"),
    *("intents", "observations", "settlements", "reports"),
)
_PROVIDER = ("requests", "lookups", "effects", "deliveries")


def lines(history: Mapping[str, Any]) -> Iterator[_Line]:
    """Return a history as lines, in the order of their times."""
    instance, provider = history["instance"], history["provider"]
    records = [{"event": name, **record} for name in _APPLICATION for record in history[name]]
    records += [{"event": name, **record} for name in _PROVIDER for record in provider[name]]
    if history["contract"]["dedup"] and provider["window_closed_at"] is not None:
        records.append({"event": "closed", "at": provider["window_closed_at"]})
    if provider["final_at"] >= instance["expires_at"]:
        records.append({"event": "expired", "at": instance["expires_at"]})
    yield {"event": "contract", "name": history["contract"]["name"], "instance": instance, "at": 0}
    yield from sorted(records, key=lambda record: record["at"])
    left = {
        "reservation": history["reservation"],
        "consumers": [use["instance"] for use in history["consumptions"]],
    }
    yield {"event": "end", **left, "at": provider["final_at"]}


class RecoveryLog:
    """The part of a model that reads histories."""

    log_fields = LogFields(time="at")

    def read_event(self, line: _Line, kept: dict[str, Any]) -> Reading | None:
        """Read a line; kept are the instance, the authority's words, and the newest lease."""
        if line["event"] == "contract":
            kept.update(instance=line["instance"], said={}, lease=None)
        if not kept:
            raise BadInput("a history begins with its contract")
        sight = _read(line, kept)
        return None if sight is None else Reading(kept["instance"]["id"], sight)

    def explains(self, sight: Any, step: Label | None, before: _State, after: _State) -> bool:
        """Say whether a step, or a look at a state, shows as a sight."""
        if step is None:
            return _looks(sight, before)
        match sight:
            case ("heartbeat", p, accepted):
                return _is(step, "Heartbeat", p) and accepted is (p == "holder")
            case ("intend", number):
                return bool(len(before["intents"]) < len(after["intents"]) == number)
            case ("send", p, d):
                return _does("Send", p, d, step, before)
            case ("hear", p, d, kind):
                repeats = before["origin"][d - 1] != d
                return (
                    _does("Hear", p, d, step, before) and _shows(step, after) and (kind != "ack") is repeats
                )
            case ("find", p, d):
                return _does("LookUp", p, d, step, before) and _shows(step, after)
            case ("observe", d):
                return bool(before["observed"] == 0 and after["observed"] == d)
            case ("settle", d, charge):
                settles = _does("Settle", "holder", d, step, before)
                return settles and after["charged"] - before["charged"] == charge
            case ("report", outcome):
                tells = _is(step, "Report", "holder") or before["reported"] != after["reported"]
                return tells and bool(after["reported"] == outcome)
            case (action, *arguments):
                return _is(step, action, *arguments)
        return False

    def unobserved(self, step: Label, before: _State, after: _State) -> bool:
        """Say whether a step leaves no line: it changes what a worker does next, and shows it no effect."""
        changed = {name for name in before if before[name] != after[name]}
        return changed == {"worker"} and step.action != "Claim" and not _shows(step, after)


def _read(line: _Line, kept: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return what a line shows; None for what only prepares a history, or repeats what an intent shows."""
    instance = kept["instance"]
    match line["event"]:
        case "contract":
            return "contract", line["name"]
        case "authority":
            return _word(line, kept)
        case "consumptions":
            return None if line["instance"] == instance["id"] else ("Lose", "approval_consumed")
        case "expired":
            return "Lose", "approval_expired"
        case "leases":
            kept["lease"] = line
            return ("Claim",)
        case "heartbeats":
            return "heartbeat", _place(line["epoch"], "epoch", kept), bool(line["accepted"])
        case "intents":
            return "intend", line["number"]
        case "observations":
            return "observe", number(line["receipt"])
        case "settlements":
            return "settle", number(line["receipt"]), line["charge"]
        case "reports" if line["run"] != instance["run"]:
            return ("StrangerAsks",)
        case "reports":
            return "report", line["reason"] or line["outcome"]
        case "requests":
            return "send", _place(line["participant"], "worker", kept), number(line["reference"])
        case "lookups":
            return "ask", _place(line["participant"], "worker", kept), number(line["reference"])
        case "deliveries":
            about = _place(line["participant"], "worker", kept), number(line["reference"])
            return ("find", *about) if line["kind"] == "found" else ("hear", *about, line["kind"])
        case "effects":
            return "Commit", number(line["reference"])
        case "closed":
            return ("CloseWindow",)
        case "end":
            consumers = [consumption(consumer, instance["id"]) for consumer in line["consumers"]]
            return "end", line["reservation"] or "none", *(consumers or ["unused"])
    raise BadInput(f"there is no event {line['event']!r}")


def _word(line: _Line, kept: dict[str, Any]) -> tuple[Any, ...] | None:
    """Return what the authority's word changes."""
    fact, value = line["fact"], line["value"]
    before = kept["said"].get(fact)
    kept["said"][fact] = value
    if before == value:
        return None
    match fact, value:
        case "grant", 0:
            return "Lose", "revoked"
        case "grant", 1:
            return None if before is None else ("GrantAgain",)
        case "policy_epoch", _:
            return None if value == kept["instance"]["policy_epoch"] else ("Lose", "policy_changed")
        case "cancelled", 1:
            return "Lose", "cancelled"
    raise BadInput(f"Recovery.tla says nothing of {fact} {value}")


def _place(who: object, named: str, kept: dict[str, Any]) -> str:
    """Return where a worker is, who is known by a column of its lease."""
    return "holder" if kept["lease"][named] == who else "former"


def _looks(sight: Any, state: _State) -> bool:
    """Say whether a sight may be seen in a state, without a step."""
    match sight:
        case "contract", name:
            return bool(state["contract"] == name)
        case "end", reservation, approval:
            return bool((state["reservation"], state["approval"]) == (reservation, approval))
        case "ask", p, d:
            return bool(state["worker"][p] == {"act": "look_up", "about": d})
    return False


def _is(step: Label, action: str, *arguments: object) -> bool:
    return (step.action, step.arguments) == (action, arguments)


def _does(action: str, p: str, d: int, step: Label, before: _State) -> bool:
    """Say whether a step is an act of a worker about a delivery, or its effect."""
    return step.action == action and step.arguments[0] == p and bool(before["worker"][p]["about"] == d)


def _shows(step: Label, after: _State) -> bool:
    """Say whether a step shows a worker an effect, whether or not the worker may go on with it."""
    asks = step.action in ("Hear", "LookUp")
    return asks and bool(after["worker"][step.arguments[0]]["act"] != "unknown")


def consumption(consumer: str, instance_id: str) -> str:
    """Return whose consumption of an approval it is, as the spec has it."""
    return "ours" if consumer == instance_id else "theirs"


def number(name: str) -> int:
    """Return the number of a delivery, from its reference or its receipt."""
    return int(name.rpartition("/")[2])
