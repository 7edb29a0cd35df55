"""The receiver's host: it listens, brings a Receiver its deliveries and the time, and carries answers.

Rule 1: an answer goes back on the connection that brought its delivery. The later answer to a
        deferred obligation goes to the connection that brought it last; where that is gone, the
        answer is lost, and the next redelivery gets it.
Rule 2: nothing that arrives ends the host. What cannot be read, is for another receiver, or makes
        the application raise is a lost message, and is told in the program's log.
Rule 3: a store that cannot be written answers nothing; the redelivery tries again.
Rule 4: all of it happens in one thread, that of the event loop, the application's answer included:
        one that takes long should defer. Between two deliveries everybody else has a turn.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from abhyasa.core.errors import Refused
from abhyasa.core.obligation import AckStatus, CustodyAck, Obligation
from abhyasa.core.polarity import Kinds
from abhyasa.core.receiver import Command, Decision
from abhyasa.core.wire import ack_text, read_delivery
from abhyasa.endpoint import Receiver
from abhyasa.runtime.clock import Clock, SystemClock
from abhyasa.runtime.events import START, STOP, Event, application_resolves, delivery_arrives, receiver_did
from abhyasa.runtime.frames import LIMIT, frame, texts
from abhyasa.runtime.link import Address
from abhyasa.runtime.log import EventLog
from abhyasa.store.receiver import Effect, ReceiverStore

_log = logging.getLogger(__name__)

#: How long a stop waits, in seconds, for peers to read their last answers.
_FAREWELL = 1.0


class ReceiverHost:
    """A receiver on a store, that listens at `address` (port 0: any that is free).

    The other parameters are those of Receiver. Queries go to `receiver`; whoever made `store` and
    `log` closes them.
    """

    def __init__(
        self,
        name: str,
        store: ReceiverStore,
        kinds: Kinds,
        decide: Callable[[Obligation], Decision],
        address: Address,
        *,
        effect: Effect | None = None,
        clock: Clock | None = None,
        log: EventLog | None = None,
    ) -> None:
        self.receiver = Receiver(name, store, kinds, self._reply, decide, effect, self._observe)
        self.address = address
        self._kinds = kinds
        self._clock = clock or SystemClock()
        self._log = log
        self._asked: dict[str, asyncio.StreamWriter] = {}
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._stopping = asyncio.Event()
        self._write(START, self._clock.now())

    async def run(self) -> None:
        """Listen, at what is then `address`, until `stop`. Raises OSError if that cannot be had."""
        server = await asyncio.start_server(self._serve, self.address.host, self.address.port, limit=LIMIT)
        host, port = server.sockets[0].getsockname()[:2]
        self.address = Address(host=host, port=port)
        try:
            await self._stopping.wait()
        finally:
            server.close()
            await self._hang_up()
            self._write(STOP, self._clock.now())

    def stop(self) -> None:
        """Let `run` end, at once and in order."""
        self._stopping.set()

    def resolve(self, obligation_id: str, decision: Decision) -> None:
        """Answer a deferred obligation, as `Receiver.resolve` does."""
        now = self._clock.now()
        self._write(application_resolves(obligation_id, decision), now)
        self.receiver.resolve(obligation_id, decision, now)
        self._forget(obligation_id)

    async def _hang_up(self) -> None:
        """Close all connections. Answers that a peer does not read by then are lost."""
        open_ones = dict(self._connections)
        for writer in open_ones.values():
            writer.close()
        if open_ones:
            _, hanging = await asyncio.wait(open_ones, timeout=_FAREWELL)
            for task in hanging:
                open_ones[task].transport.abort()
            await asyncio.gather(*open_ones)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            with suppress(OSError):
                async for text in texts(reader, writer.get_extra_info("peername")):
                    if not self._stopping.is_set():
                        self._take(text, writer)
                        await asyncio.sleep(0)  # a flood from one peer delays no other
        finally:
            writer.close()
            del self._connections[task]

    def _take(self, text: str, writer: asyncio.StreamWriter) -> None:
        try:
            delivery, now = read_delivery(text), self._clock.now()
            self._asked[delivery.obligation.id] = writer
            try:
                self._write(delivery_arrives(delivery, self._governed_key(delivery.obligation)), now)
                self.receiver.receive(delivery, now)
            finally:
                self._forget(delivery.obligation.id)
        except Exception as error:  # the application's own errors too (rule 2)
            _log.warning("lost a delivery: %s", error, exc_info=True)

    def _governed_key(self, obligation: Obligation) -> str | None:
        try:
            return self._kinds.effect(obligation).governed_key
        except Refused:
            return None

    def _forget(self, obligation_id: str) -> None:
        """Keep the way back only for what has still to be answered."""
        entry = self.receiver.entry(obligation_id)
        if entry is None or entry.status is not AckStatus.DEFERRED:
            self._asked.pop(obligation_id, None)

    def _reply(self, ack: CustodyAck) -> None:
        # What this raises is a lost message, of which the endpoint tells (rule 4 there).
        writer = self._asked.get(ack.obligation_id)
        if writer is None or writer.is_closing():
            raise ConnectionError("the connection that brought the delivery is gone")
        if writer.transport.get_write_buffer_size() > LIMIT:
            raise ConnectionError("the custodian that sent the delivery reads no answers")
        writer.write(frame(ack_text(ack)))

    def _observe(self, command: Command, now: datetime) -> None:
        self._write(receiver_did(command), now)

    def _write(self, event: Event, now: datetime) -> None:
        if self._log is not None:
            self._log.write(event, now)
