"""The network between the custodian and its receivers: transports that fail, channels that behave badly."""

from datetime import timedelta
from enum import StrEnum

from abhyasa.channel import PERFECT, Channel

TARGETS = ("agent-a", "agent-b", "agent-c")
#: How long a transport hangs before it gives up.
HANG = timedelta(seconds=4)


class Transport(StrEnum):
    """What the transport to a target does with a message. On its way back it does not hold up the host."""

    WORKS = "works"
    RAISES = "raises"
    HANGS = "hangs"


class Network:
    """Both directions, and a log of every message that was handed over.

    Rules of the machine set the `transport` and the `weather` (outward, homeward) of each target.
    """

    def __init__(self, clock, seed):
        self.sent, self.acks = [], []
        self.transport = dict.fromkeys(TARGETS, Transport.WORKS)
        self.weather = dict.fromkeys(TARGETS, (PERFECT, PERFECT))
        self._clock = clock
        self._outward, self._homeward = Channel(2 * seed), Channel(2 * seed + 1)

    def send(self, delivery):
        """Take a delivery on its way."""
        target, now = delivery.obligation.target, self._clock.now()
        self.sent.append(delivery)
        if self.transport[target] is Transport.HANGS:
            self._clock.jump(now + HANG)
        self._require_working(target)
        self._outward.put(delivery, now, self.weather[target][0])

    def reply(self, ack):
        """Take an acknowledgment on its way."""
        self.acks.append(ack)
        self._require_working(ack.target)
        self._homeward.put(ack, self._clock.now(), self.weather[ack.target][1])

    def next_delivery(self):
        """Return the next delivery that has arrived, None when there is none."""
        return self._outward.take(self._clock.now())

    def next_ack(self):
        """Return the next acknowledgment that has arrived, None when there is none."""
        return self._homeward.take(self._clock.now())

    def next_arrivals(self):
        """Return when the next message arrives in each direction, None where nothing is under way."""
        return (self._outward.next_arrival(), self._homeward.next_arrival())

    def _require_working(self, target):
        if self.transport[target] is not Transport.WORKS:
            raise TimeoutError(f"the transport of {target} {self.transport[target]}")
