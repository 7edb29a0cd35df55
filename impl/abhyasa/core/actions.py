"""Actions: what happens to a key of a state, as data.

Rule 1: an action is data, because it is stored when an obligation is admitted and carried out
        later, perhaps by another process: what was declared is what is done.
Rule 2: `apply` is total. A fail-safe that raised would hold its own escalation up, so a value that
        an Adjust cannot read counts as unset.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from abhyasa.core.values import Json, canonical, freeze, is_number, require_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """The key takes this value."""

    key: str
    value: Json

    def __post_init__(self) -> None:
        require_text("key", self.key)
        object.__setattr__(self, "value", freeze(self.value))

    def apply(self, current: Json) -> Json:
        """Return the new value."""
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjust:
    """The number at the key moves by `by`, clipped to [low, high]; an unset key is at `start`."""

    key: str
    by: float
    low: float
    high: float
    start: float

    def __post_init__(self) -> None:
        require_text("key", self.key)
        for name in ("by", "low", "high", "start"):
            if not is_number(getattr(self, name)):
                raise ValueError(f"{name} is a finite number, not {getattr(self, name)!r}")
        if not self.low <= self.start <= self.high:
            raise ValueError(f"start ({self.start}) is within [{self.low}, {self.high}]")

    def apply(self, current: Json) -> Json:
        """Return the new value."""
        base = current if is_number(current) else self.start
        return min(self.high, max(self.low, base + self.by))


Action = Set | Adjust


def action_text(action: Action | None) -> str | None:
    """Return the canonical JSON text of an action, None for none."""
    match action:
        case None:
            return None
        case Set(key=key, value=value):
            return canonical({"do": "set", "key": key, "value": value})
        case Adjust(key=key, by=by, low=low, high=high, start=start):
            numbers = {"by": by, "low": low, "high": high, "start": start}
            return canonical({"do": "adjust", "key": key, **numbers})


def action_from(content: Mapping[str, Json]) -> Action:
    """Return the action that `action_text` wrote. Raises ValueError for anything else."""
    fields = dict(content)
    makers: dict[Json, type[Set] | type[Adjust]] = {"set": Set, "adjust": Adjust}
    maker = makers.get(fields.pop("do", None))
    if maker is None:
        raise ValueError(f"no action: {canonical(content)}")
    return maker(**fields)  # type: ignore[arg-type]  # each maker validates its own fields
