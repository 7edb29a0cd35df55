"""The durable side of both endpoints, in the few transactions that the protocol names."""

from abhyasa.store.custodian import CustodianStore
from abhyasa.store.receiver import ReceiverStore
from abhyasa.store.sqlite import StoreError

__all__ = ["CustodianStore", "ReceiverStore", "StoreError"]
