"""The custodian's host: it brings a Custodian time and messages, and nothing else.

Rule 1: whatever is due is done as soon as it is due, fail-safes first; on a start, before anything
        is sent again. Between two commits the host looks up, so that answers are heard. An agenda
        that takes long is asked again in between, for a fail-safe that has come due meanwhile.
Rule 2: a target that hangs or is gone delays no other: messages go to a link per target, which
        never makes the host wait.
Rule 3: a store that cannot be written (its disk is full) commits nothing, so nothing is sent and no
        fail-safe fires. The host says so once, and goes on trying until the store can be written:
        custody is durable, and what has come due meanwhile is done then.
Rule 4: all of it happens in one thread, that of the event loop.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic

from abhyasa.core.custodian import Command, CustodyRecord
from abhyasa.core.errors import Refused
from abhyasa.core.obligation import Delivery, Obligation
from abhyasa.core.polarity import Kinds
from abhyasa.core.terms import Terms
from abhyasa.core.wire import WireError, delivery_text, read_ack
from abhyasa.endpoint import Custodian
from abhyasa.runtime.clock import Clock, SystemClock
from abhyasa.runtime.events import START, STOP, Event, ack_arrives, custodian_did
from abhyasa.runtime.link import Address, Link
from abhyasa.runtime.log import EventLog
from abhyasa.store.custodian import CustodianStore
from abhyasa.store.errors import StoreError

_log = logging.getLogger(__name__)

#: An agenda is gone through for so many seconds before it is asked again, since fail-safes are first in it.
_AGENDA = 0.25

#: And for so many times as long as asking took: what is asked again costs a tenth of the work at most.
_WORTH = 10

#: The longest sleep, in seconds: a jump of the wall clock is noticed by then.
_LONGEST_SLEEP = 1.0

#: The sleep, in seconds, after something could not be done. It delays every other fail-safe, too.
_PAUSE = 0.1


class CustodianHost:
    """A custodian on a store, with an address for every target.

    `patience` limits one attempt to send, in seconds; `capacity` is how many messages may wait for
    a target. Queries go to `custodian`; whoever made `store` and `log` closes them.
    """

    def __init__(
        self,
        store: CustodianStore,
        kinds: Kinds,
        targets: Mapping[str, Address],
        *,
        clock: Clock | None = None,
        log: EventLog | None = None,
        patience: float = 10.0,
        capacity: int = 1024,
    ) -> None:
        self.custodian = Custodian(store, kinds, self._send, self._observe)
        self._clock = clock or SystemClock()
        self._log = log
        self._links = {
            target: Link(address, self._answer, patience=patience, capacity=capacity)
            for target, address in targets.items()
        }
        self._awake = asyncio.Event()
        self._stopping = False
        self._ailing: set[str] = set()
        self._write(START, self._clock.now())

    def submit(
        self, obligation: Obligation, terms: Terms, *, unknown_best_effort: bool = False
    ) -> CustodyRecord:
        """Take an obligation into custody: durable when this returns, delivered by `run`.

        Raises what `Custodian.accept` raises, Refused for a target without an address, and StoreError
        when the store cannot be written; then nothing happened.
        """
        if obligation.target not in self._links:
            known = ", ".join(sorted(self._links)) or "none"
            raise Refused(f"no address for the target {obligation.target!r}; known targets: {known}")
        now = self._clock.now()
        record = self.custodian.accept(obligation, terms, now, unknown_best_effort=unknown_best_effort)
        self._awake.set()
        return record

    async def run(self) -> None:
        """Do what is due, and hear answers, until `stop`. Raises StoreError if the store cannot be read."""
        links = [asyncio.create_task(link.run()) for link in self._links.values()]
        try:
            while not self._stopping:
                await self._sleep(await self._round())
        finally:
            for link in links:
                link.cancel()
            await asyncio.gather(*links, return_exceptions=True)
            self._write(STOP, self._clock.now())

    def stop(self) -> None:
        """Let `run` end, at once and in order; what is pending stays in custody."""
        self._stopping = True
        self._awake.set()

    async def _round(self) -> float:
        """Do a part of what is due, and return for how many seconds there is nothing to do."""
        self._awake.clear()
        began = monotonic()
        agenda = self.custodian.agenda(self._clock.now())
        until = began + max(_AGENDA, _WORTH * (monotonic() - began))
        well = True
        for obligation_id in agenda:
            well = self._advance(obligation_id) and well
            await asyncio.sleep(0)
            if self._stopping or monotonic() > until:
                break
        return self._until_next() if well else _PAUSE

    def _advance(self, obligation_id: str) -> bool:
        try:
            self.custodian.advance(obligation_id, self._clock.now())
        except StoreError as error:
            if obligation_id not in self._ailing:
                _log.error("%r is due, and waits: %s", obligation_id, error)
            self._ailing.add(obligation_id)
            return False
        self._ailing.discard(obligation_id)
        return True

    def _until_next(self) -> float:
        moment = self.custodian.next_due()
        if moment is None:
            return _LONGEST_SLEEP
        return min((moment - self._clock.now()) / timedelta(seconds=1), _LONGEST_SLEEP)

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._awake.wait()

    def _send(self, delivery: Delivery) -> None:
        # What this raises is a lost message, of which the endpoint tells (rule 4 there).
        self._links[delivery.obligation.target].put(delivery_text(delivery))

    def _answer(self, text: str) -> None:
        """Give the custodian what came back; what cannot be read or kept is a lost message."""
        try:
            ack, now = read_ack(text), self._clock.now()
            self._write(ack_arrives(ack), now)
            self.custodian.receive_ack(ack, now)
        except (WireError, StoreError) as error:
            _log.warning("lost an answer: %s", error)

    def _observe(self, command: Command, now: datetime) -> None:
        self._write(custodian_did(command), now)

    def _write(self, event: Event, now: datetime) -> None:
        if self._log is not None:
            self._log.write(event, now)
