"""Hosts that run the endpoints as processes: time, scheduling, TCP on the standard library alone.

A `CustodianHost` takes obligations with `submit`, a `ReceiverHost` listens; run either with
`asyncio.run(until_signalled(host))`.
"""

from abhyasa.runtime.clock import Clock, SystemClock
from abhyasa.runtime.custodian import CustodianHost
from abhyasa.runtime.link import Address
from abhyasa.runtime.log import EventLog
from abhyasa.runtime.receiver import ReceiverHost
from abhyasa.runtime.service import until_signalled

__all__ = [
    "Address",
    "Clock",
    "CustodianHost",
    "EventLog",
    "ReceiverHost",
    "SystemClock",
    "until_signalled",
]
