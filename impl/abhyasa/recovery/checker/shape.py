"""What a history must have before it can be judged: its lists, the fields of their records, and their types.

Rule 1: nothing is missing, nothing is more, and nothing is of another type: a rule never meets a surprise.
Rule 2: what is wrong is named by its place, such as `intents[0].key`.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

_Types: TypeAlias = tuple[type, ...]
_TEXT, _COUNT = (str,), (int,)
_SCOPE = {"organisation": _TEXT, "principal": _TEXT, "run": _TEXT}

#: The fields of what is no list.
_PARTS: dict[str, dict[str, _Types]] = {
    "contract": {"name": _TEXT, "dedup": (bool,), "lookup": (bool,)},
    "instance": {
        **_SCOPE,
        "id": _TEXT,
        "action": _TEXT,
        "policy_epoch": _COUNT,
        "expires_at": _COUNT,
        "allowed_effects": _COUNT,
        "approval": (str, type(None)),
    },
}

#: The fields of each list's records, of which each has a time besides.
LISTS: dict[str, dict[str, _Types]] = {
    "authority": {"fact": _TEXT, "value": _COUNT},
    "leases": {"epoch": _COUNT, "worker": _TEXT, "expires_at": _COUNT},
    "heartbeats": {"epoch": _COUNT, "accepted": _COUNT},
    "consumptions": {"instance": _TEXT},
    "intents": {
        "number": _COUNT,
        "reference": _TEXT,
        "key": _TEXT,
        "epoch": _COUNT,
        "judged_at": _COUNT,
    },
    "observations": {"reference": _TEXT, "receipt": _TEXT, "source": _TEXT, "epoch": _COUNT},
    "settlements": {"receipt": _TEXT, "charge": _COUNT, "epoch": _COUNT},
    "reports": {**_SCOPE, "outcome": _TEXT, "reason": (str, type(None))},
    "requests": {**_SCOPE, "reference": _TEXT, "key": _TEXT, "participant": _TEXT, "action": _TEXT},
    "lookups": {"reference": _TEXT, "participant": _TEXT},
    "effects": {"reference": _TEXT, "receipt": _TEXT},
    "deliveries": {"reference": _TEXT, "participant": _TEXT, "receipt": _TEXT, "kind": _TEXT},
}

_SINGLE: dict[str, _Types] = {
    "reservation": (str, type(None)),
    "window_closed_at": (int, type(None)),
    "final_at": (int, type(None)),
}
_OUTCOMES = ("success", "denied", "unknown")


def require_whole(history: Mapping[str, Any]) -> None:
    """Raise ValueError, naming the place, for a history that is not whole."""
    _require_names("a history", history, {*_PARTS, *LISTS, *_SINGLE})
    for name, fields in _PARTS.items():
        _require_record(name, history[name], fields)
    for name, fields in LISTS.items():
        _require_type(name, history[name], (list,))
        for number, record in enumerate(history[name]):
            _require_record(f"{name}[{number}]", record, {**fields, "at": _COUNT})
    for name, types in _SINGLE.items():
        _require_type(name, history[name], types)
    for number, report in enumerate(history["reports"]):
        if report["outcome"] not in _OUTCOMES:
            allowed = ", ".join(_OUTCOMES)
            raise ValueError(f"reports[{number}].outcome is {report['outcome']!r}, and not one of {allowed}")


def _require_record(place: str, record: Any, fields: Mapping[str, _Types]) -> None:
    _require_type(place, record, (dict,))
    _require_names(place, record, set(fields))
    for name, types in fields.items():
        _require_type(f"{place}.{name}", record[name], types)


def _require_names(place: str, record: Mapping[str, Any], names: set[str]) -> None:
    if record.keys() != names:
        wrong = ", ".join(sorted(record.keys() ^ names))
        raise ValueError(f"{place} is not whole: missing or unknown are {wrong}")


def _require_type(place: str, value: Any, types: _Types) -> None:
    # To Python True is an int; to JSON it is none.
    if not isinstance(value, types) or isinstance(value, bool) is not (bool in types):
        wanted = " or ".join("null" if kind is type(None) else kind.__name__ for kind in types)
        raise ValueError(f"{place} is {value!r}, and no {wanted}")
