"""The smallest loop that runs a custodian and its receivers over bad channels, in simulated time.

One clock serves all. It jumps to the next moment at which a wait ends or a message arrives, so a
day of retries takes a millisecond. At one moment arrivals come first, then what is due. The loop
uses the public interface of the endpoints and nothing else: it is also an example of a host.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from abhyasa.channel import Channel, Faults
from abhyasa.clock import SimulatedClock
from abhyasa.core.obligation import CustodyAck, Delivery, Obligation
from abhyasa.core.polarity import Kinds
from abhyasa.core.receiver import Decision
from abhyasa.endpoint import Custodian, Receiver
from abhyasa.store.custodian import CustodianStore
from abhyasa.store.receiver import ReceiverStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What the messages of a transfer meet on the way to the receiver, and on the way back."""

    outward: Faults
    homeward: Faults


class Simulation:
    """One custodian, a receiver per name, and two channels between them, from one seed.

    `weather` is asked by obligation id, `decide` is each receiver's application.
    """

    def __init__(
        self,
        *,
        clock: SimulatedClock,
        kinds: Kinds,
        receivers: Iterable[str],
        weather: Callable[[str], Weather],
        decide: Callable[[Obligation], Decision],
        seed: int,
    ) -> None:
        self.clock = clock
        self._weather = weather
        self._outward: Channel[Delivery] = Channel(2 * seed)
        self._homeward: Channel[CustodyAck] = Channel(2 * seed + 1)
        self.custodian = Custodian(CustodianStore(), kinds, self._send)
        self.receivers = {
            name: Receiver(name, ReceiverStore(), kinds, self._reply, decide) for name in receivers
        }

    def run(self) -> None:
        """Run until nothing is pending and nothing is under way."""
        while (moment := self._next()) is not None:
            self.clock.jump(max(moment, self.clock.now()))
            self._arrive()
            for obligation_id in self.custodian.agenda(self.clock.now()):
                self.custodian.advance(obligation_id, self.clock.now())

    def _next(self) -> datetime | None:
        moments = (
            self.custodian.next_due(),
            self._outward.next_arrival(),
            self._homeward.next_arrival(),
        )
        return min((moment for moment in moments if moment is not None), default=None)

    def _arrive(self) -> None:
        now = self.clock.now()
        while (delivery := self._outward.take(now)) is not None:
            self.receivers[delivery.obligation.target].receive(delivery, now)
        while (ack := self._homeward.take(now)) is not None:
            self.custodian.receive_ack(ack, now)

    def _send(self, delivery: Delivery) -> None:
        faults = self._weather(delivery.obligation.id).outward
        self._outward.put(delivery, self.clock.now(), faults)

    def _reply(self, ack: CustodyAck) -> None:
        self._homeward.put(ack, self.clock.now(), self._weather(ack.obligation_id).homeward)
