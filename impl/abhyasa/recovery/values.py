"""What is authorised, who asks, and how a run of it ends (section 3 of permission-to-retry).

Rule 1: a time is an int, in the unit of the application's clock; a limit has passed once it is reached.
Rule 2: an action is its canonical JSON text: two that differ in it are two actions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from abhyasa.core.values import Json, canonical, freeze_object, require_count, require_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Who acts, for whom, and in which run. Raises ValueError for an empty name."""

    organisation: str
    principal: str
    run: str

    def __post_init__(self) -> None:
        for name in ("organisation", "principal", "run"):
            require_text(name, getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorizationInstance:
    """One authorised use of one action.

    It holds under `policy_epoch` and before `expires_at`, for at most `allowed_effects` effects at
    the provider, which an audit counts there. `approval` names the approval that its first dispatch
    consumes, None where the policy asks for none. Raises ValueError, naming the field to change.
    """

    id: str
    scope: Scope
    action: Mapping[str, Json] = field(hash=False)
    policy_epoch: int
    expires_at: int
    allowed_effects: int = 1
    approval: str | None = None
    action_text: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_text("id", self.id)
        if not isinstance(self.action, Mapping):
            raise ValueError(f"action is a JSON object, not {type(self.action).__name__}")
        require_count("policy_epoch", self.policy_epoch, least=0)
        require_count("expires_at", self.expires_at, least=0)
        require_count("allowed_effects", self.allowed_effects, least=1)
        if self.approval is not None:
            require_text("approval", self.approval)
        object.__setattr__(self, "action", freeze_object(self.action))
        object.__setattr__(self, "action_text", canonical(self.action))


class Denial(StrEnum):
    """Why a dispatch is not permitted."""

    WRONG_SCOPE = "wrong_run_scope"
    CANCELLED = "cancelled"
    LEASE_EXPIRED = "lease_expired"
    REVOKED = "revoked"
    POLICY_CHANGED = "policy_changed"
    APPROVAL_MISSING = "approval_missing"
    APPROVAL_CONSUMED = "approval_consumed"
    APPROVAL_EXPIRED = "approval_expired"
    DEPENDENCY_REFUSED = "dependency_refused"


class Outcome(StrEnum):
    """How a run ends. UNKNOWN keeps the reservation: the effect may exist, or may still come."""

    SUCCESS = "success"
    DENIED = "denied"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the host is told. `reason` says why, exactly where the outcome is DENIED."""

    outcome: Outcome
    reason: Denial | None = None

    def __post_init__(self) -> None:
        if (self.reason is not None) != (self.outcome is Outcome.DENIED):
            raise ValueError(f"a reason goes with DENIED, and with nothing else: {self}")


class Reservation(StrEnum):
    """What is set aside for the effect: held from the first intent on, charged by the settlement."""

    HELD = "held"
    CHARGED = "charged"
