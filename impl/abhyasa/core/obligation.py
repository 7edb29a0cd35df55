"""What is carried: the obligation, the delivery that carries it, and the CustodyAck that answers.

Rule 1: an obligation is its content. Two with equal content have equal digests; the digest is
        what an acknowledgment names, so that no answer to one content settles another.
Rule 2: a deadline is an absolute time and travels with every delivery, so both sides judge
        expiry by one moment; at that moment the obligation *is* expired.
Rule 3: a CustodyAck attests application, not receipt (section 4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from abhyasa.core.values import (
    Json,
    canonical,
    digest,
    freeze_object,
    require_count,
    require_string,
    require_text,
    utc,
)

_MAX_SEQUENCE = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """A message whose receiver is required to honour a constraint it carries (section 3).

    `sequence` orders the decisions on one governed key, newest highest; None leaves them unordered.
    `text` is the canonical JSON of the content and `digest` its SHA-256.
    Raises ValueError for empty names, a negative sequence, or a payload that is no JSON object.
    """

    id: str
    kind: str
    target: str
    payload: Mapping[str, Json] = field(hash=False)
    sequence: int | None = None
    text: str = field(init=False, repr=False, compare=False)
    digest: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("id", "kind", "target"):
            require_text(name, getattr(self, name))
        if not isinstance(self.payload, Mapping):
            raise ValueError(f"payload is a JSON object, not {type(self.payload).__name__}")
        if self.sequence is not None:
            require_count("sequence", self.sequence, least=0)
            if self.sequence > _MAX_SEQUENCE:
                raise ValueError(f"sequence is at most 2^63 - 1, not {self.sequence}")
        object.__setattr__(self, "payload", freeze_object(self.payload))
        object.__setattr__(self, "text", canonical(self.content()))
        object.__setattr__(self, "digest", digest(self.text))

    def content(self) -> dict[str, Json]:
        """Return the obligation as a JSON object: all of it, and nothing derived."""
        return {
            "id": self.id,
            "kind": self.kind,
            "target": self.target,
            "payload": self.payload,
            "sequence": self.sequence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery of an obligation: `attempt` counts from 1, `deadline` is absolute (UTC)."""

    obligation: Obligation
    deadline: datetime
    attempt: int

    def __post_init__(self) -> None:
        require_count("attempt", self.attempt, least=1)
        object.__setattr__(self, "deadline", utc(self.deadline))


class AckStatus(StrEnum):
    """What became of an obligation at its receiver (section 4)."""

    APPLIED = "applied"
    DECLINED = "declined"
    DEFERRED = "deferred"


@dataclass(frozen=True, slots=True, kw_only=True)
class CustodyAck:
    """CustodyAck = (obligation_id, target, status, acked_at) of section 4, with two fields more.

    `digest` names the content that was answered and `reason` says why it was declined or
    deferred: both are extensions of the paper's tuple.
    """

    obligation_id: str
    target: str
    status: AckStatus
    acked_at: datetime
    digest: str
    reason: str = ""

    def __post_init__(self) -> None:
        for name in ("obligation_id", "target", "digest"):
            require_text(name, getattr(self, name))
        require_string("reason", self.reason)
        object.__setattr__(self, "status", AckStatus(self.status))
        object.__setattr__(self, "acked_at", utc(self.acked_at))
