"""Abhyasa: custody transfer of governance obligations under deliver-or-report.

Every admissible obligation ends applied, declined or escalated to the principal; none is silently
lost. Take one into custody with `Custodian.accept`, do what `agenda` names with `advance`, bring
answers to `receive_ack`; the other side is a `Receiver`. Kinds are in `abhyasa.kinds`.
"""

from abhyasa.core.actions import Action, Adjust, Set
from abhyasa.core.custodian import CustodyRecord, Due, Escalation, Note, Status, Why
from abhyasa.core.errors import Conflict, Misdirected, Refused, UnknownKind
from abhyasa.core.obligation import AckStatus, CustodyAck, Delivery, Obligation
from abhyasa.core.polarity import Kind, Kinds
from abhyasa.core.profile import KindProfile
from abhyasa.core.receiver import Decision, LedgerEntry
from abhyasa.core.terms import OnDecline, Terms
from abhyasa.core.wire import WireError
from abhyasa.endpoint import Custodian, Receiver
from abhyasa.store import CustodianStore, ReceiverStore, StoreError

__all__ = [
    "AckStatus",
    "Action",
    "Adjust",
    "Conflict",
    "Custodian",
    "CustodianStore",
    "CustodyAck",
    "CustodyRecord",
    "Decision",
    "Delivery",
    "Due",
    "Escalation",
    "Kind",
    "KindProfile",
    "Kinds",
    "LedgerEntry",
    "Misdirected",
    "Note",
    "Obligation",
    "OnDecline",
    "Receiver",
    "ReceiverStore",
    "Refused",
    "Set",
    "Status",
    "StoreError",
    "Terms",
    "UnknownKind",
    "Why",
    "WireError",
]
