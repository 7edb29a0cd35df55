"""Canonical-JSON texts and back: for channels and for stores.

Rule 1: reading is strict. Unknown, missing or repeated fields, wrong types, NaN: each is a
        WireError that names what is wrong, and never half a value.
Rule 2: writing then reading gives an equal value, and the same text again.
Rule 3: an obligation travels with its digest and is refused when they disagree, so that a carrier
        that rewrites numbers or reorders keys is found out.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from abhyasa.core.actions import Action, action_from
from abhyasa.core.obligation import AckStatus, CustodyAck, Delivery, Obligation
from abhyasa.core.terms import OnDecline, Terms
from abhyasa.core.values import Json, canonical, freeze

_P = ParamSpec("_P")
_T = TypeVar("_T")
_MICROSECOND = timedelta(microseconds=1)


class WireError(ValueError):
    """A text that is not what it was read as."""


def _reader(read: Callable[_P, _T]) -> Callable[_P, _T]:
    """Turn every way in which reading can fail into a WireError that keeps the cause."""

    @wraps(read)
    def strict(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return read(*args, **kwargs)
        except (ValueError, TypeError, AttributeError, RecursionError, OverflowError) as error:
            raise WireError(f"{read.__name__}: {error}") from error

    return strict


@_reader
def read_value(text: str) -> Json:
    """Read one JSON value."""
    return freeze(json.loads(text, object_pairs_hook=_distinct, parse_constant=_no_constant))


def read_object(text: str) -> Mapping[str, Json]:
    """Read one JSON object."""
    value = read_value(text)
    if not isinstance(value, Mapping):
        raise WireError(f"a JSON object is expected, not {type(value).__name__}")
    return value


@_reader
def read_obligation(text: str) -> Obligation:
    """Read `Obligation.text`."""
    return _obligation(read_object(text))


def delivery_text(delivery: Delivery) -> str:
    """Write a delivery; `read_delivery` reads it."""
    return canonical(
        {
            "obligation": delivery.obligation.content(),
            "digest": delivery.obligation.digest,
            "deadline": delivery.deadline.isoformat(),
            "attempt": delivery.attempt,
        }
    )


@_reader
def read_delivery(text: str) -> Delivery:
    """Read a delivery; one whose digest is not that of its obligation is a WireError."""
    fields = _exactly(read_object(text), "obligation", "digest", "deadline", "attempt")
    obligation = _obligation(fields["obligation"])
    if fields["digest"] != obligation.digest:
        raise ValueError("the digest is not that of the obligation: it was changed on its way")
    return Delivery(obligation=obligation, deadline=_time(fields["deadline"]), attempt=fields["attempt"])


def ack_text(ack: CustodyAck) -> str:
    """Write an acknowledgment; `read_ack` reads it."""
    return canonical(
        {
            "obligation_id": ack.obligation_id,
            "target": ack.target,
            "status": ack.status.value,
            "acked_at": ack.acked_at.isoformat(),
            "digest": ack.digest,
            "reason": ack.reason,
        }
    )


@_reader
def read_ack(text: str) -> CustodyAck:
    """Read an acknowledgment."""
    names = ("obligation_id", "target", "status", "acked_at", "digest", "reason")
    fields = _exactly(read_object(text), *names)
    status, acked_at = AckStatus(fields.pop("status")), _time(fields.pop("acked_at"))
    return CustodyAck(status=status, acked_at=acked_at, **fields)


def terms_text(terms: Terms) -> str:
    """Write the terms of a transfer, its times as whole microseconds; `read_terms` reads them."""
    return canonical(
        {
            "window": terms.window // _MICROSECOND,
            "max_retries": terms.max_retries,
            "initial": terms.initial // _MICROSECOND,
            "cap": None if terms.cap is None else terms.cap // _MICROSECOND,
            "jitter": terms.jitter,
            "on_decline": terms.on_decline.value,
        }
    )


@_reader
def read_terms(text: str) -> Terms:
    """Read the terms of a transfer."""
    names = ("window", "max_retries", "initial", "cap", "jitter", "on_decline")
    fields = _exactly(read_object(text), *names)
    return Terms(
        window=_duration(fields["window"]),
        max_retries=fields["max_retries"],
        initial=_duration(fields["initial"]),
        cap=None if fields["cap"] is None else _duration(fields["cap"]),
        jitter=fields["jitter"],
        on_decline=OnDecline(fields["on_decline"]),
    )


@_reader
def read_action(text: str) -> Action:
    """Read `action_text`."""
    return action_from(read_object(text))


def _obligation(content: Json) -> Obligation:
    return Obligation(**_exactly(content, "id", "kind", "target", "payload", "sequence"))


# The fields stay untyped here: each value validates its own, once, when it is made.
def _exactly(content: Json, *names: str) -> dict[str, Any]:
    if not isinstance(content, Mapping):
        raise ValueError(f"a JSON object is expected, not {content!r}")
    if content.keys() != set(names):
        missing, unknown = set(names) - content.keys(), content.keys() - set(names)
        raise ValueError(f"missing fields {sorted(missing)}, unknown fields {sorted(unknown)}")
    return dict(content)


def _time(value: Json) -> datetime:
    if not isinstance(value, str):
        raise ValueError(f"a time is an ISO 8601 string, not {value!r}")
    return datetime.fromisoformat(value)


def _duration(value: Json) -> timedelta:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"a duration is whole microseconds, not {value!r}")
    return value * _MICROSECOND


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says one thing twice: two readers could take different halves."""
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError(f"repeated keys in {sorted(key for key, _ in pairs)}")
    return dict(pairs)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
