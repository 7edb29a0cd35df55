"""When a dispatch is permitted: the instance, its scope, its lease and what stands, at one moment.

Rule 1: judged once, at admission, in the transaction that commits the intent. What is admitted may
        take effect after a revocation (section 3): no remote cancellation is assumed.
Rule 2: whatever is not known to be permitted is refused. A missing grant is no grant.
Rule 3: an approval that this very instance has consumed is not lost to it.
"""

from dataclasses import dataclass
from enum import StrEnum

from abhyasa.core.values import path_key
from abhyasa.recovery.values import AuthorizationInstance, Denial, Scope


class Fact(StrEnum):
    """What an authority says about a scope, as an int: a policy's epoch, or 0 and 1 for no and yes."""

    GRANT = "grant"
    POLICY_EPOCH = "policy_epoch"
    APPROVAL_REQUIRED = "approval_required"
    CANCELLED = "cancelled"

    def subject(self, scope: Scope) -> str:
        """Return whom the fact is about: a principal, a whole organisation, or one run."""
        if self is Fact.GRANT:
            return path_key(scope.organisation, scope.principal)
        if self in (Fact.POLICY_EPOCH, Fact.APPROVAL_REQUIRED):
            return path_key(scope.organisation)
        return path_key(scope.organisation, scope.run)


#: What holds where the authority has said nothing.
UNSAID = {
    Fact.GRANT: 0,
    Fact.POLICY_EPOCH: 0,
    Fact.APPROVAL_REQUIRED: 0,
    Fact.CANCELLED: 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What an authority says about an instance now, and which instance has consumed its approval.

    `dependency` is what it last answered to the holder of the lease, None where it was not asked.
    """

    facts: dict[Fact, int]
    dependency: bool | None
    consumed_by: str | None
    lease_expires_at: int


def refusal(instance: AuthorizationInstance, standing: Standing, now: int) -> Denial | None:
    """Return why a dispatch is not permitted at `now`, None if it is. The first reason wins."""
    facts = standing.facts
    refusals = {
        Denial.CANCELLED: facts[Fact.CANCELLED],
        Denial.LEASE_EXPIRED: now >= standing.lease_expires_at,
        Denial.REVOKED: not facts[Fact.GRANT],
        Denial.POLICY_CHANGED: facts[Fact.POLICY_EPOCH] != instance.policy_epoch,
        Denial.APPROVAL_MISSING: facts[Fact.APPROVAL_REQUIRED] and instance.approval is None,
        Denial.APPROVAL_CONSUMED: standing.consumed_by not in (None, instance.id),
        Denial.APPROVAL_EXPIRED: now >= instance.expires_at,
        Denial.DEPENDENCY_REFUSED: standing.dependency is False,
    }
    return next((denial for denial, holds in refusals.items() if holds), None)
