"""What obligations mean, written down once more from section 5 of the paper, for judging.

Nothing here is taken from the kinds or actions of the implementation: keys are plain strings, and
numbers are multiples of powers of two, so that sums are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from abhyasa import Obligation

Values = dict[str, object]
Change = Callable[[Values], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What one obligation changes, and when. `safe` None: inadmissible (AC-1)."""

    governed: str | None = None
    effect: Change | None = None
    safe: Change | None = None
    at_issue: Change | None = None
    at_discharge: Change | None = None


def meaning(obligation: Obligation, best_effort_grants: bool) -> Meaning:
    """Return what an obligation means, where grants travel best-effort or under custody."""
    match obligation.kind, dict(obligation.payload):
        case "phala.belief_update", {"weight_key": str(weight), "weight_delta": float(delta)}:
            return _update(obligation.target, weight, delta)
        case "anumati.consent", {"decision": decision, "scope": scope}:
            return _consent(f"consent/{obligation.target}/{scope}", decision == "grant", best_effort_grants)
        case "oauth.token", {"operation": operation, "token_hash": token}:
            return _token(f"token/{token}", operation == "revoke")
        case _:
            return Meaning()


def _update(target: str, weight: str, delta: float) -> Meaning:
    """Corrective below zero: the principal trusts the target less. Otherwise loss is benign."""
    return Meaning(
        governed=f"weight/{target}/{weight}",
        effect=shift(f"weight/{weight}", delta),
        safe=shift(f"routing/{target}", delta) if delta < 0 else None,
    )


def _consent(key: str, grants: bool, best_effort_grants: bool) -> Meaning:
    """Fail-closed. A revocation holds from its issue on, a grant from its discharge on."""
    withhold, permit = put(key, "withheld"), put(key, "permitted")
    if not grants:
        return Meaning(governed=key, effect=withhold, safe=withhold, at_issue=withhold)
    if best_effort_grants:
        return Meaning(governed=key, effect=permit, at_issue=permit)
    return Meaning(governed=key, effect=permit, safe=withhold, at_discharge=permit)


def _token(key: str, revokes: bool) -> Meaning:
    """A revocation holds from its issue on. The loss of an issue or refresh is benign."""
    if not revokes:
        return Meaning(governed=key, effect=put(f"{key}/issued", True))
    revoke = put(f"{key}/revoked", True)
    return Meaning(governed=key, effect=revoke, safe=revoke, at_issue=revoke)


def put(key: str, value: object) -> Change:
    """Return the change that gives a key a value."""

    def change(values: Values) -> None:
        values[key] = value

    return change


def shift(key: str, by: float) -> Change:
    """Return the change that moves a weight within [0, 1], from one half on."""

    def change(values: Values) -> None:
        values[key] = min(1.0, max(0.0, values.get(key, 0.5) + by))

    return change


@dataclass(slots=True)
class Side:
    """The state of one side: its values, and the newest sequence applied on each governed key."""

    values: Values = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)

    def superseded(self, governed: str | None, sequence: int | None) -> bool:
        """Tell whether a newer decision stands (supersession)."""
        return sequence is not None and sequence < self.newest.get(governed, 0)

    def undergo(self, change: Change | None, governed: str | None, sequence: int | None) -> bool:
        """Make a change unless it is superseded, and tell whether it was made."""
        if self.superseded(governed, sequence):
            return False
        if change is not None:
            change(self.values)
        if sequence is not None:
            self.newest[governed] = sequence
        return True
