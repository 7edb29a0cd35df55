"""A custodian and a receiver with hands instead of a channel: tests carry each message themselves.

Times are seconds after `START`; `at` turns them into what the endpoints take.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from abhyasa import (
    AckStatus,
    Custodian,
    CustodianStore,
    CustodyAck,
    CustodyRecord,
    Decision,
    Delivery,
    Kinds,
    Obligation,
    Receiver,
    ReceiverStore,
    Terms,
)
from abhyasa.kinds import BeliefUpdate, Consent, Token

START = datetime(2026, 1, 1, tzinfo=UTC)
INSTANT = 1e-6  # seconds: the least difference between two times
TARGET = "agent-b"
KINDS = Kinds(BeliefUpdate(), Consent(), Token())

APPLIED = Decision(status=AckStatus.APPLIED)
DECLINED = Decision(status=AckStatus.DECLINED, reason="not now")
DEFERRED = Decision(status=AckStatus.DEFERRED)


def at(seconds: float) -> datetime:
    """Return the time so many seconds after the start."""
    return START + timedelta(seconds=seconds)


def terms(window: float = 6, max_retries: int = 4, cap: float = 1, **others: object) -> Terms:
    """Return terms whose waits begin at one second and have no jitter."""
    fields = {"initial": timedelta(seconds=1), "jitter": None, **others}
    return Terms(
        window=timedelta(seconds=window),
        max_retries=max_retries,
        cap=timedelta(seconds=cap),
        **fields,
    )


def update(name: str = "o", delta: float = -0.125, **others: object) -> Obligation:
    """Return a belief update: corrective, unless `delta` says otherwise."""
    payload = {"weight_key": "w", "weight_delta": delta}
    fields = {"target": TARGET, "kind": "phala.belief_update", "payload": payload, **others}
    return Obligation(id=name, **fields)


def consent(decision: str, name: str | None = None, sequence: int | None = None) -> Obligation:
    """Return a decision on the scope "calendar"."""
    return Obligation(
        id=name or decision,
        kind="anumati.consent",
        target=TARGET,
        payload={"decision": decision, "scope": "calendar"},
        sequence=sequence,
    )


CONSENT_KEY = "consent/agent-b/calendar"
ROUTING_KEY = "routing/agent-b"
WEIGHT_KEY = "weight/w"


def ack_of(obligation: Obligation, status: AckStatus = AckStatus.APPLIED, **others: object) -> CustodyAck:
    """Return the acknowledgment that an honest receiver gives."""
    fields = {
        "obligation_id": obligation.id,
        "target": obligation.target,
        "digest": obligation.digest,
        "acked_at": START,
        **others,
    }
    return CustodyAck(status=status, **fields)


class Rig:
    """Both endpoints, and lists of what left them; `decision` is the receiver's application."""

    def __init__(
        self,
        custodian_store: CustodianStore | None = None,
        receiver_store: ReceiverStore | None = None,
        kinds: Kinds = KINDS,
    ) -> None:
        self.custodian_store = custodian_store or CustodianStore()
        self.receiver_store = receiver_store or ReceiverStore()
        self.sent: list[Delivery] = []
        self.replies: list[CustodyAck] = []
        self.decision = APPLIED
        self.asked: list[str] = []
        self.custodian = Custodian(self.custodian_store, kinds, self.sent.append)
        self.receiver = Receiver(TARGET, self.receiver_store, kinds, self.replies.append, self.decide)

    def decide(self, obligation: Obligation) -> Decision:
        self.asked.append(obligation.id)
        return self.decision

    def accept(self, obligation: Obligation, seconds: float = 0, **bounds: object) -> CustodyRecord:
        """Take an obligation into custody."""
        return self.custodian.accept(obligation, terms(**bounds), at(seconds))

    def advance(self, seconds: float, name: str = "o") -> str | None:
        """Do what is due."""
        return self.custodian.advance(name, at(seconds))

    def advance_at(self, moments: Iterable[float], name: str = "o") -> None:
        """Do what is due at each of some moments."""
        for moment in moments:
            self.advance(moment, name)

    def carry(self, seconds: float) -> CustodyAck:
        """Carry the last delivery to the receiver and return the answer."""
        self.receiver.receive(self.sent[-1], at(seconds))
        return self.replies[-1]

    def carry_back(self, seconds: float) -> None:
        """Carry the last answer to the custodian."""
        self.custodian.receive_ack(self.replies[-1], at(seconds))

    def record(self, name: str = "o") -> CustodyRecord:
        return self.custodian.record(name)
