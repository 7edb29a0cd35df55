"""The durable side of both endpoints, in the few transactions that the protocol names."""

from abhyasa.store.custodian import CustodianStore
from abhyasa.store.errors import StoreError
from abhyasa.store.receiver import ReceiverStore

__all__ = ["CustodianStore", "ReceiverStore", "StoreError"]
