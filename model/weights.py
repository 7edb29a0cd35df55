"""Obligations whose effects can be counted afterwards: Phala updates of weights that both sides hold.

Rule 1: a corrective update (below zero) is admissible, a reinforcing one is not. Neither touches the
        principal's state at issue, so that what shows there is the fail-safe alone.
Rule 2: each update moves the principal's one routing weight in a digit of its own, to base 16: how
        often each was applied, or made safe, is read off the weights in the stores.
"""

from collections.abc import Collection, Sequence

from abhyasa import CustodianStore, Kinds, Obligation, ReceiverStore
from abhyasa.core.values import Json
from abhyasa.kinds.phala import BeliefUpdate, routing_key, weight_state_key
from specwalk.values import ModelValue

TARGET = "agent-b"
START = 0.5  # where every weight stands before anything happened
_ROUTING = routing_key(TARGET)


class Updates:
    """One update per name, and what became of each according to the stores."""

    def __init__(self, names: Sequence[ModelValue], admissible: Collection[ModelValue]) -> None:
        self.kinds = Kinds(BeliefUpdate(start=START))
        self._places = {o: place for place, o in enumerate(names, 1)}
        self._deltas = {
            o: -(16.0**-place) if o in admissible else 16.0**-place for o, place in self._places.items()
        }
        self._keys = {o: weight_state_key(_weight_key(o)) for o in names}
        self.obligations = {o: _obligation(o, delta) for o, delta in self._deltas.items()}

    def effects(self, ledger: ReceiverStore) -> dict[ModelValue, object]:
        """How often each moved its weight at the receiver."""
        weights = ledger.states()
        return {o: _times(weights.get(self._keys[o]), delta) for o, delta in self._deltas.items()}

    def protected(self, custody: CustodianStore) -> dict[ModelValue, object]:
        """How often safe(O) of each lowered the principal's routing weight."""
        lost = -_moved(custody.state(_ROUTING))
        times = {o: int(lost * 16**place) % 16 for o, place in self._places.items()}
        return {o: bool(count) if count < 2 else f"{count} times" for o, count in times.items()}


def _obligation(o: ModelValue, delta: float) -> Obligation:
    payload: dict[str, Json] = {"weight_key": _weight_key(o), "weight_delta": delta}
    return Obligation(id=o.name, kind=BeliefUpdate.name, target=TARGET, payload=payload)


def _weight_key(o: ModelValue) -> str:
    return f"preference/{o.name}"


def _times(weight: Json, delta: float) -> object:
    times = _moved(weight) / delta
    return int(times) if times.is_integer() else f"{times} times"


def _moved(weight: Json) -> float:
    """How far a weight is from where it started."""
    return weight - START if isinstance(weight, float) else 0.0
