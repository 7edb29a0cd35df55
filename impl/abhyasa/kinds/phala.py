"""Phala: the belief update, an obligation with a signed polarity (section 5; phala.txt 3.3, 3.5).

Rule 1: the sign of `weight_delta`, before any rounding, is the polarity. A corrective update
        (below zero) is admissible; a reinforcing one (zero or above) travels best-effort, since
        its loss is the benign default.
Rule 2: `safe(O)` lowers the principal's routing weight to the target by |weight_delta|. It is a
        stand-in for the correction that was not delivered, so it is not applied at issue.
Rule 3 (BU-1): the payload carries the scalar and no evidence. Unknown fields are errors.
Rule 4: a delta travels unclipped; every weight stays within the declared [w_min, w_max].
Rule 5: weights have keys of their own in the receiver's state: whatever name an update gives its
        weight, it reaches no consent, no token and nothing else that is not a weight.
"""

from collections.abc import Mapping

from abhyasa.core.actions import Adjust
from abhyasa.core.obligation import Obligation
from abhyasa.core.polarity import Kind
from abhyasa.core.values import Json, is_number, path_key, require_text

_REQUIRED = {"weight_key", "weight_delta"}
_OPTIONAL = {"satisfaction_record_id", "context_hash", "valid_from", "ttl_seconds"}


def routing_key(target: str) -> str:
    """Return the key of the principal's routing weight to a target."""
    return path_key("routing", target)


def weight_state_key(weight_key: str) -> str:
    """Return the key, in the receiver's state, of the weight that updates call `weight_key`."""
    return path_key("weight", weight_key)


class BeliefUpdate(Kind):
    """A weight adjustment at the target. All weights are within [w_min, w_max], first `start`."""

    name = "phala.belief_update"

    def __init__(self, *, w_min: float = 0.0, w_max: float = 1.0, start: float = 0.5) -> None:
        if not w_min <= start <= w_max:
            raise ValueError(f"start ({start}) is within [w_min, w_max] = [{w_min}, {w_max}]")
        self._w_min, self._w_max, self._start = w_min, w_max, start

    def check(self, payload: Mapping[str, Json]) -> None:
        """Raise ValueError unless this is a belief update."""
        missing, unknown = _REQUIRED - payload.keys(), payload.keys() - _REQUIRED - _OPTIONAL
        if missing or unknown:
            raise ValueError(f"missing {sorted(missing)}, not allowed {sorted(unknown)} (BU-1)")
        require_text("weight_key", payload["weight_key"])
        delta = payload["weight_delta"]
        if not is_number(delta) or not -1 <= delta <= 1:
            raise ValueError(f"weight_delta is a number within [-1, 1], not {delta!r}")

    def governed_key(self, obligation: Obligation) -> str:
        """Return the weight at the target."""
        return path_key("weight", obligation.target, str(obligation.payload["weight_key"]))

    def safe(self, obligation: Obligation) -> Adjust | None:
        """Lower the principal's routing weight to the target, for a corrective update."""
        delta = _delta(obligation)
        return self._adjust(routing_key(obligation.target), delta) if delta < 0 else None

    def effect(self, obligation: Obligation) -> Adjust:
        """Move the weight that the update names."""
        key = weight_state_key(str(obligation.payload["weight_key"]))
        return self._adjust(key, _delta(obligation))

    def _adjust(self, key: str, by: float) -> Adjust:
        return Adjust(key=key, by=by, low=self._w_min, high=self._w_max, start=self._start)


def _delta(obligation: Obligation) -> float:
    delta = obligation.payload["weight_delta"]
    if not is_number(delta):
        raise ValueError(f"weight_delta is a number, not {delta!r}")
    return delta
