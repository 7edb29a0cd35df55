"""Fail-safe polarity: which obligations are carried under custody, and what protects the principal.

Rule 1 (AC-1): an obligation is admissible iff its kind declares `safe(O)` for it. The answer is
        found once, at admission, and stored: a later release of the kind changes no transfer.
Rule 2: `safe(O)` is a pure function of the obligation. One that raises or returns no action is
        found at admission, not at the deadline, when nobody is left to repair it.
Rule 3 (supersession): with a sequence, what is older than the newest applied on its governed key
        changes nothing, on either side.
Rule 4 (withdrawal): a restrictive decision that holds at issue withdraws what the decisions pending
        on its governed key would have permitted at discharge: a late ack of theirs permits nothing
        (section 5). Between two sequences the sequence says which is older; otherwise acceptance.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from abhyasa.core.actions import Action, Adjust, Set
from abhyasa.core.errors import Refused, UnknownKind
from abhyasa.core.obligation import Obligation
from abhyasa.core.values import Json, require_text


class Kind(ABC):
    """A kind of governance obligation. Every method is pure."""

    name: ClassVar[str]

    @abstractmethod
    def check(self, payload: Mapping[str, Json]) -> None:
        """Raise ValueError unless this is a payload of the kind."""

    @abstractmethod
    def governed_key(self, obligation: Obligation) -> str:
        """Return what the obligation decides about: sequences order the decisions on one key."""

    @abstractmethod
    def safe(self, obligation: Obligation) -> Action | None:
        """Return what the principal's state defaults to when delivery is not confirmed.

        None means that no safe default exists: the obligation is inadmissible (AC-1).
        """

    @abstractmethod
    def effect(self, obligation: Obligation) -> Action:
        """Return what the receiver's own state undergoes when the obligation is applied."""

    def at_issue(self, obligation: Obligation) -> Action | None:
        """Return the restrictive decision that holds at once, never gated on an ack (section 5)."""
        return None

    def at_discharge(self, obligation: Obligation) -> Action | None:
        """Return the permissive decision that holds only once the receiver has applied it.

        It never holds if a restrictive one was issued in the meantime (Rule 4).
        """
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What was found out about an obligation when it was admitted; `safe` None: inadmissible."""

    governed_key: str | None
    safe: Action | None
    at_issue: Action | None
    at_discharge: Action | None


#: An obligation of a kind that nobody knows: it governs nothing here and has no safe default.
UNKNOWN = Admission(governed_key=None, safe=None, at_issue=None, at_discharge=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a state undergoes: an action, and the sequence now newest on its governed key."""

    action: Action | None
    governed_key: str | None
    sequence: int | None


def superseded(sequence: int | None, newest: int | None) -> bool:
    """Tell whether a newer decision than `sequence` is already applied on the key."""
    return sequence is not None and newest is not None and sequence < newest


def guarded(
    action: Action | None, governed_key: str | None, sequence: int | None, newest: int | None
) -> Change | None:
    """Return the change that `action` makes past the guard of Rule 3: None when superseded."""
    if superseded(sequence, newest):
        return None
    return Change(action=action, governed_key=governed_key, sequence=sequence)


class Kinds:
    """The registry of the kinds that an endpoint knows."""

    def __init__(self, *kinds: Kind) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        if len(self._kinds) != len(kinds):
            raise ValueError(f"two kinds share a name: {sorted(kind.name for kind in kinds)}")

    def admit(self, obligation: Obligation) -> Admission:
        """Return the admission of an obligation. Raises Refused, or UnknownKind."""
        kind = self._checked(obligation)
        return Admission(
            governed_key=_governed_key(kind, obligation),
            safe=_declared(kind.safe, obligation),
            at_issue=_declared(kind.at_issue, obligation),
            at_discharge=_declared(kind.at_discharge, obligation),
        )

    def effect(self, obligation: Obligation) -> Change:
        """Return what applying an obligation does. Raises Refused, or UnknownKind."""
        kind = self._checked(obligation)
        action = _declared(kind.effect, obligation)
        if action is None:
            raise Refused(f"effect of kind {kind.name!r} is no action for {obligation.id!r}")
        governed_key = _governed_key(kind, obligation)
        return Change(action=action, governed_key=governed_key, sequence=obligation.sequence)

    def _checked(self, obligation: Obligation) -> Kind:
        kind = self._kinds.get(obligation.kind)
        if kind is None:
            known = ", ".join(sorted(self._kinds)) or "none"
            raise UnknownKind(f"unknown kind {obligation.kind!r}; known kinds: {known}")
        try:
            kind.check(obligation.payload)
        except Exception as error:
            raise Refused(f"payload of {obligation.id!r} is no {kind.name}: {error}") from error
        return kind


# A kind is an application's code: whatever it raises must surface here, where refusing is safe.
def _declared(declare: Callable[[Obligation], Action | None], obligation: Obligation) -> Action | None:
    name = getattr(declare, "__name__", "the kind")
    try:
        action = declare(obligation)
    except Exception as error:
        raise Refused(f"{name}({obligation.id!r}) raised {error!r}: repair the kind") from error
    if action is not None and not isinstance(action, Set | Adjust):
        raise Refused(f"{name}({obligation.id!r}) is {action!r}: return a Set, an Adjust or None")
    return action


def _governed_key(kind: Kind, obligation: Obligation) -> str:
    try:
        key = kind.governed_key(obligation)
        require_text("governed_key", key)
    except Exception as error:
        raise Refused(f"governed_key({obligation.id!r}) failed: {error!r}") from error
    return key
