"""Permission to retry: recovery of a consequential action under changing authority.

Register an `AuthorizationInstance`, and let an `Application` run it: it ends in SUCCESS, in DENIED,
or in UNKNOWN with its reservation held. A worker that dies is replaced by another `run`, which goes
on from the store. `ledger` is the policy to use; the others are there to be compared with it.
"""

from abhyasa.recovery.application import Application, Boundary
from abhyasa.recovery.authority import Fact
from abhyasa.recovery.history import application_events
from abhyasa.recovery.permits import (
    DispatchPermit,
    EffectEvidence,
    Lease,
    LeaseLost,
    ReconcilePermit,
    Source,
)
from abhyasa.recovery.policies import POLICIES, Case, Policy, cached, ledger, revalidate, stable_key
from abhyasa.recovery.provider import Answer, AnswerKind, Provider, Request
from abhyasa.recovery.sqlite import RecoveryStore
from abhyasa.recovery.store import Transactions
from abhyasa.recovery.values import (
    AuthorizationInstance,
    Denial,
    Outcome,
    Report,
    Reservation,
    Scope,
)

__all__ = [
    "POLICIES",
    "Answer",
    "AnswerKind",
    "Application",
    "AuthorizationInstance",
    "Boundary",
    "Case",
    "Denial",
    "DispatchPermit",
    "EffectEvidence",
    "Fact",
    "Lease",
    "LeaseLost",
    "Outcome",
    "Policy",
    "Provider",
    "ReconcilePermit",
    "RecoveryStore",
    "Report",
    "Request",
    "Reservation",
    "Scope",
    "Source",
    "Transactions",
    "application_events",
    "cached",
    "ledger",
    "revalidate",
    "stable_key",
]
