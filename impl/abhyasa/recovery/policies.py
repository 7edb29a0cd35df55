"""The four matched policies of section 4.1. They differ in `recover` alone.

`recover` is asked when an intent is durable and no observation is: the effect may exist, may still
come, or may never have been asked for. It answers with a permit to send again, with evidence to
settle, or with None: the outcome stays unknown, and the reservation is held.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from abhyasa.recovery.permits import DispatchPermit, EffectEvidence
from abhyasa.recovery.values import Denial


class Case(Protocol):
    """What a policy may do about a delivery whose outcome it does not know."""

    @property
    def key(self) -> str:
        """The key of the last delivery."""

    def reuse(self, key: str | None = None) -> DispatchPermit:
        """Send again, under the authority found at the first dispatch; without a key under a fresh one."""

    def readmit(self) -> DispatchPermit | Denial:
        """Send again under a fresh key, if the authority that stands now permits it."""

    def lookup(self) -> EffectEvidence | None:
        """Ask the provider for the effect of the last delivery."""


Recovery: TypeAlias = DispatchPermit | EffectEvidence | None
Policy: TypeAlias = Callable[[Case], Recovery]


def cached(case: Case) -> Recovery:
    """Send again under a fresh key, and trust the authority that was once found."""
    return case.reuse()


def revalidate(case: Case) -> Recovery:
    """Send again under a fresh key if authority still stands."""
    permit = case.readmit()
    return None if isinstance(permit, Denial) else permit


def stable_key(case: Case) -> Recovery:
    """Send again under the original key, and trust the provider to deduplicate."""
    return case.reuse(case.key)


def ledger(case: Case) -> Recovery:
    """Look the delivery up, and never send again. This is the policy to use."""
    return case.lookup()


POLICIES: dict[str, Policy] = {policy.__name__: policy for policy in (cached, revalidate, stable_key, ledger)}
