"""What recovery asks of a provider: send a request, and look up what became of a delivery.

Rule 1: only FOUND, an acknowledgment and a duplicate's reply are evidence. EMPTY is none: an
        earlier request may still commit (section 3).
Rule 2: a lost answer is an answer (LOST), not an exception: it says nothing about the effect. What a
        provider does raise ends the run where it stands, and the next run recovers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from abhyasa.core.values import require_text
from abhyasa.recovery.permits import EffectEvidence, Source
from abhyasa.recovery.values import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One delivery: the action of an instance in its scope, sent by `participant`.

    `reference` names this delivery, and a lookup asks for it; it is the instance's id, a slash and a
    number. `key` is what a provider may deduplicate by; two deliveries may share it. Both are text with
    slashes or `#`: quote them in a URL.
    """

    reference: str
    key: str
    participant: str
    scope: Scope
    action: str


class AnswerKind(StrEnum):
    """What a provider says; LOST is what a participant sees where it says nothing."""

    ACK = "ack"
    DUPLICATE = "duplicate"
    IN_PROGRESS = "in_progress"
    LOST = "lost"
    FOUND = "found"
    EMPTY = "empty"
    UNSUPPORTED = "unsupported"


_SOURCES = {
    AnswerKind.ACK: Source.ACK,
    AnswerKind.DUPLICATE: Source.DUPLICATE,
    AnswerKind.FOUND: Source.LOOKUP,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of a provider, with the receipt of an effect, a non-empty text, where it names one."""

    kind: AnswerKind
    receipt: str | None = None

    def __post_init__(self) -> None:
        if (self.receipt is not None) != (self.kind in _SOURCES):
            raise ValueError(f"a receipt goes with {', '.join(_SOURCES)}, and with nothing else: {self}")
        if self.receipt is not None:
            require_text("receipt", self.receipt)

    def evidence(self, reference: str) -> EffectEvidence | None:
        """Return what the answer, about the delivery `reference`, shows of an effect."""
        if self.receipt is None:
            return None
        return EffectEvidence(reference=reference, receipt=self.receipt, source=_SOURCES[self.kind])


class Provider(Protocol):
    """The other side of a consequential action."""

    def send(self, request: Request) -> Callable[[], Answer]:
        """Send a request, and return what waits for its answer."""

    def lookup(self, reference: str, participant: str) -> Answer:
        """Ask what became of the delivery `reference`: FOUND, EMPTY, UNSUPPORTED or LOST."""
