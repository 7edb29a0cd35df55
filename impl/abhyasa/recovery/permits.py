"""Three things that are easily taken for one another (sections 1 and 8), each a type of its own.

`DispatchPermit` is permission to send one request. It says nothing about an effect.
`EffectEvidence` is what a participant saw of an effect. It permits nothing.
`ReconcilePermit` is permission to look up, to keep what was seen, and to settle. It asks for no
    write authority and gives none: what was begun under authority may be settled after it is gone.

Rule 1: permits are made by the store alone, in the transaction that checks what they stand for.
Rule 2: all work under a lease. A worker that was replaced is refused (LeaseLost), whatever it holds.
"""

from dataclasses import dataclass
from enum import StrEnum

from abhyasa.core.errors import Refused
from abhyasa.core.values import require_text


class LeaseLost(Refused):
    """Another worker has claimed the instance since, or the lease ran out before the instance was admitted.

    The worker stops, and reports nothing; whoever claims the instance next goes on.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A worker's hold on an instance. `epoch` rises by 1 with each claim and fences older holders."""

    instance_id: str
    epoch: int
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchPermit:
    """Permission to send one request, for which a durable write-ahead intent stands.

    `reference` names this delivery and is never used again; `key` is what a provider deduplicates
    by. `judged_at` is when authority was last found to hold, which may be long before the intent.
    """

    lease: Lease
    reference: str
    key: str
    judged_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcilePermit:
    """Permission to look up a prior delivery and to settle what it did. Read-only at the provider."""

    lease: Lease


class Source(StrEnum):
    """By which answer of the provider an effect was seen."""

    ACK = "ack"
    DUPLICATE = "duplicate"
    LOOKUP = "lookup"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectEvidence:
    """A provider's receipt for an effect, as the answer about one delivery showed it.

    Raises ValueError for a receipt that is no text, or an empty one: it could not be told from none.
    """

    reference: str
    receipt: str
    source: Source

    def __post_init__(self) -> None:
        require_text("receipt", self.receipt)
