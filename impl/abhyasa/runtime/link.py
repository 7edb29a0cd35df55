"""The custodian's way to one target: a bounded queue, one connection, and a task that uses them.

Rule 1: `put` never waits. A queue that is full has lost the message, as a channel may.
Rule 2: every attempt to send has its own time limit. One that fails, or takes longer, is a lost
        message; the connection is dropped, and the next message opens another.
Rule 3: answers come back on the same connection at any time, and are read while it stands. Between
        two of them everybody else has a turn, however many have arrived.
Rule 4: a peer may be gone without a word. If nothing has come back for longer than the time limit
        since something was sent, the next message opens another connection.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from abhyasa.runtime.frames import LIMIT, frame, texts

_log = logging.getLogger(__name__)

_LAST_PORT = 2**16 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a receiver listens: a name or number, and a port. Raises ValueError for what is neither."""

    host: str
    port: int

    def __post_init__(self) -> None:
        if not isinstance(self.host, str) or not self.host:
            raise ValueError(f"host is {self.host!r}: name the receiver's machine, such as '127.0.0.1'")
        if type(self.port) is not int or not 0 <= self.port <= _LAST_PORT:
            raise ValueError(f"port is {self.port!r}: choose a whole number from 0 to {_LAST_PORT}")


class Link:
    """The way to the receiver at `address`; `answer` is called with each text that comes back.

    `patience` is the time limit of one attempt in seconds, `capacity` the length of the queue.
    """

    def __init__(
        self, address: Address, answer: Callable[[str], None], *, patience: float, capacity: int
    ) -> None:
        self._address = address
        self._answer = answer
        self._patience = patience
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue(capacity)
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None
        #: When the first message since the last answer was sent, on the loop's clock.
        self._unanswered: float | None = None

    def put(self, text: str) -> None:
        """Queue a message. Raises asyncio.QueueFull, or ValueError for one that is too long."""
        self._waiting.put_nowait(frame(text))

    async def run(self) -> None:
        """Send what is queued, one after another, until cancelled."""
        try:
            while True:
                line = await self._waiting.get()
                try:
                    async with asyncio.timeout(self._patience):
                        await self._send(line)
                # A TimeoutError is an OSError; the others come of a name that cannot be looked up.
                except (OSError, ValueError, OverflowError) as error:
                    _log.info("lost a message to %s: %r", self._address, error)
                    self._drop()
        finally:
            self._drop()

    async def _send(self, line: bytes) -> None:
        writer = self._writer
        if writer is None or writer.is_closing() or self._is_silent():
            self._drop()
            writer = await self._connect()
        if self._unanswered is None:
            self._unanswered = asyncio.get_running_loop().time()
        writer.write(line)
        await writer.drain()

    def _is_silent(self) -> bool:
        now = asyncio.get_running_loop().time()
        return self._unanswered is not None and now - self._unanswered > self._patience

    async def _connect(self) -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection(self._address.host, self._address.port, limit=LIMIT)
        self._writer = writer
        self._listening = asyncio.create_task(self._listen(reader, writer))
        return writer

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError):
                async for text in texts(reader, self._address):
                    self._unanswered = None
                    self._answer(text)
                    await asyncio.sleep(0)
        finally:
            writer.close()

    def _drop(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
        if self._writer is not None:
            self._writer.transport.abort()  # a peer that reads nothing would keep it open
        self._writer = self._listening = self._unanswered = None
