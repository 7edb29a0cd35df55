"""Canonical JSON, deep-frozen values, digests, and times: what every other value is made of.

Rule 1: a JSON value has one canonical text (sorted keys, no spaces, ASCII, no NaN or infinity),
        so equal values have equal digests on every machine.
Rule 2: a frozen JSON value cannot change: objects are read-only mappings, arrays are tuples.
Rule 3: a time is aware and in UTC. A naive time is refused, because two parties would read it
        as two different deadlines. Stores keep it as whole microseconds since 1970.
"""

import hashlib
import json
import math
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeAlias, TypeGuard
from urllib.parse import quote

Json: TypeAlias = "str | int | float | bool | tuple[Json, ...] | Mapping[str, Json] | None"

#: Deeper values are refused: they come from a mistake or from an attack on the parser's stack.
MAX_DEPTH = 64

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def freeze(value: object, depth: int = MAX_DEPTH) -> Json:
    """Return `value` as a frozen JSON value.

    Raises ValueError for anything that has no canonical JSON text: other types, keys that are no
    strings, NaN and infinities, nesting deeper than MAX_DEPTH.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no JSON text: send a finite number, or a string")
        return value
    if depth == 0:
        raise ValueError(f"JSON nested deeper than {MAX_DEPTH}: flatten the value")
    if isinstance(value, Mapping):
        return freeze_object(value, depth)
    if isinstance(value, list | tuple):
        return tuple(freeze(item, depth - 1) for item in value)
    raise ValueError(f"{type(value).__name__} is no JSON type: use str, int, float, bool, None, list or dict")


def freeze_object(value: Mapping[Any, Any], depth: int = MAX_DEPTH) -> Mapping[str, Json]:
    """Return a frozen JSON object. Raises ValueError as `freeze` does."""
    frozen: dict[str, Json] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise ValueError(f"JSON keys are strings, not {type(key).__name__}: {key!r}")
        frozen[key] = freeze(item, depth - 1)
    return MappingProxyType(frozen)


def canonical(value: Json) -> str:
    """Return the canonical JSON text of a frozen value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain_object)


def _plain_object(value: Mapping[str, Json]) -> dict[str, Json]:
    """Give the encoder, which knows only dict, the content of a frozen object."""
    return dict(value)


def digest(text: str) -> str:
    """Return the SHA-256 of a canonical text, in hexadecimal."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def utc(moment: datetime) -> datetime:
    """Return an aware time in UTC. Raises ValueError for a naive one."""
    if moment.tzinfo is UTC:
        return moment
    if moment.utcoffset() is None:
        raise ValueError(f"{moment.isoformat()} is naive: give it a time zone, such as UTC")
    return moment.astimezone(UTC)


def to_micros(moment: datetime) -> int:
    """Return an aware time as whole microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the UTC time that `to_micros` turned into `micros`."""
    return _EPOCH + timedelta(microseconds=micros)


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether `value` is a number (no bool) that a float can hold, and finite."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


@lru_cache(maxsize=1024)
def path_key(*parts: str) -> str:
    """Return the key of a state that names `parts`. Different parts never share a key."""
    return "/".join(quote(part, safe=":") for part in parts)


def require_text(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a non-empty string that UTF-8 can write."""
    require_string(name, value)
    if not value:
        raise ValueError(f"{name} is a non-empty string, not ''")


def require_string(name: str, value: object) -> None:
    """Raise ValueError unless `value` is a string that UTF-8 can write."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is a string, not {value!r}")
    value.encode()


def require_count(name: str, value: object, least: int) -> None:
    """Raise ValueError unless `value` is an int (no bool) of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ValueError(f"{name} is an integer of at least {least}, not {value!r}")
