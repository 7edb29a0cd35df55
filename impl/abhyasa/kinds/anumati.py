"""Anumati: consent, an obligation with a binary polarity (section 5).

Rule 1: an unconfirmed grant or revocation defaults to fail-closed: `safe(O)` withholds the
        authority that the principal mediates.
Rule 2: a revocation is the principal's own decision. It holds on the principal's side from its
        issue on and waits for no acknowledgment; custody carries it to the agent.
Rule 3: a grant holds on the principal's side once the agent has applied it, unless a revocation was
        issued in the meantime: that withdraws it, and only a grant issued after it permits again.
Rule 4: `grants="best_effort"` is the reading in which losing a grant is benign. Such a grant is
        inadmissible, and since nobody waits for its acknowledgment it holds from its issue on.
"""

from collections.abc import Mapping
from typing import Literal

from abhyasa.core.actions import Set
from abhyasa.core.obligation import Obligation
from abhyasa.core.polarity import Kind
from abhyasa.core.values import Json, path_key, require_text

PERMITTED = "permitted"
WITHHELD = "withheld"

_VALUES = {"grant": PERMITTED, "revoke": WITHHELD}


def consent_key(agent: str, scope: str) -> str:
    """Return the key, on both sides, of an agent's authority over a scope."""
    return path_key("consent", agent, scope)


class Consent(Kind):
    """A decision on the target's authority: `{"decision": "grant" | "revoke", "scope": str}`."""

    name = "anumati.consent"

    def __init__(self, *, grants: Literal["custody", "best_effort"] = "custody") -> None:
        if grants not in ("custody", "best_effort"):
            raise ValueError(f'grants is "custody" or "best_effort", not {grants!r}')
        self._grants_best_effort = grants == "best_effort"

    def check(self, payload: Mapping[str, Json]) -> None:
        """Raise ValueError unless this is a consent decision."""
        if payload.keys() != {"decision", "scope"}:
            raise ValueError(f"the fields are decision and scope, not {sorted(payload)}")
        require_text("scope", payload["scope"])
        if payload["decision"] not in _VALUES:
            raise ValueError(f"decision is one of {sorted(_VALUES)}, not {payload['decision']!r}")

    def governed_key(self, obligation: Obligation) -> str:
        """Return the authority that is decided about."""
        return consent_key(obligation.target, str(obligation.payload["scope"]))

    def safe(self, obligation: Obligation) -> Set | None:
        """Withhold the authority; None for a best-effort grant."""
        if self._grants_best_effort and _is_grant(obligation):
            return None
        return self._authority(obligation, WITHHELD)

    def effect(self, obligation: Obligation) -> Set:
        """Let the agent honour the decision."""
        return self._authority(obligation, _VALUES[str(obligation.payload["decision"])])

    def at_issue(self, obligation: Obligation) -> Set | None:
        """Let a revocation hold at once, and a grant that is sent best-effort."""
        if _is_grant(obligation) and not self._grants_best_effort:
            return None
        return self.effect(obligation)

    def at_discharge(self, obligation: Obligation) -> Set | None:
        """Let a grant hold once the agent has applied it."""
        return self.effect(obligation) if _is_grant(obligation) else None

    def _authority(self, obligation: Obligation, value: str) -> Set:
        return Set(key=self.governed_key(obligation), value=value)


def _is_grant(obligation: Obligation) -> bool:
    return obligation.payload["decision"] == "grant"
