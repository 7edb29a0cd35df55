"""One batch, as it happens: real endpoints on stores in memory, bad channels, and processes that die.

Rule 1: a process that is down receives nothing and does nothing; what arrives meanwhile is lost. It
        comes back on what it had committed.
Rule 2: whoever asked a process that died for something asks again once it is back. It cannot know
        whether the first asking counted.
Rule 3: while it is up, the host sleeps exactly until the next event or the end of the next wait.
Rule 4: whatever is handed over is logged with its moment. The log judges nothing.
"""

import heapq
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import count

from abhyasa import AckStatus, Conflict, Custodian, CustodianStore, Kinds, Receiver, ReceiverStore
from abhyasa.channel import DEAD, Channel
from abhyasa.clock import SimulatedClock
from abhyasa.kinds import BeliefUpdate, Consent, Token
from tests.million.journal import keep_journal
from tests.million.plan import CUSTODIAN, Crash, Partition, Transfer
from tests.stateful.applications import Overloaded
from tests.stateful.network import TARGETS
from tests.stateful.process import Process
from tests.stateful.story import Broken
from tests.unit.rig import START

#: A fault may keep a batch from ending. This is several times what the longest one takes.
_PATIENCE = 3_000


@dataclass(slots=True)
class Log:
    """Every call from outside, with its moment, in order of time.

    The principal `asked` for custody, and was answered that an obligation is `accepted` or `refused`.
    Applications `decided`; deliveries were `sent` and acknowledgments `replied`, those of the names in `torn`
    with something still uncommitted. `acked` is what the custodian was given, and whether it survived that.
    Its `outages` are each from a crash to the return from it; `crashes` counts those of all processes.
    """

    asked: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))
    accepted: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    decided: dict[str, list] = field(default_factory=lambda: defaultdict(list))
    sent: list = field(default_factory=list)
    replied: list = field(default_factory=list)
    acked: list = field(default_factory=list)
    torn: list = field(default_factory=list)
    outages: list[tuple[datetime, datetime]] = field(default_factory=list)
    crashes: Counter = field(default_factory=Counter)


class World:
    """All of a batch, from its plan. `run` lets it happen."""

    def __init__(self, plan):
        self.log = Log()
        self._clock = SimulatedClock(START)
        self._plan = plan
        self._transfers = {transfer.name: transfer for transfer in plan.of(Transfer)}
        self._partitions = plan.of(Partition)
        self._channels = {
            name: (Channel(2 * transfer.channel_seed), Channel(2 * transfer.channel_seed + 1))
            for name, transfer in self._transfers.items()
        }
        self._order, self._events = count(), []
        self._up_again, self._outages = {}, {}
        self.custodian = Process(CustodianStore, None, self._custodian)
        self.receivers = {
            name: Process(ReceiverStore, None, partial(self._receiver, name)) for name in TARGETS
        }
        self._processes = {CUSTODIAN: self.custodian, **self.receivers}

    def run(self):
        """Let everything happen, until nothing is pending and nothing under way."""
        self._schedule()
        for _ in range(_PATIENCE):
            moment = self._next_moment()
            if moment is None:
                return
            self._clock.jump(max(moment, self._now))
            if self._plan.agenda_first:
                self._serve()
            self._happen()
            self._serve()
        raise Broken("AB-4: every transfer ends, and the host sleeps while nothing is due")

    def close(self):
        """End every process for good."""
        for process in self._processes.values():
            process.close()

    @property
    def _now(self):
        return self._clock.now()

    # Time and the host

    def _schedule(self):
        for transfer in self._transfers.values():
            for moment in transfer.issued:
                self._at(moment, partial(self._issue, transfer))
        for crash in self._plan.of(Crash):
            self._at(crash.at, partial(self._crash, crash))

    def _at(self, moment, action):
        heapq.heappush(self._events, (moment, next(self._order), action))

    def _next_moment(self):
        due = self._ask(lambda custodian: custodian.next_due())
        moments = [due, self._events[0][0] if self._events else None]
        return min((moment for moment in moments if moment is not None), default=None)

    def _happen(self):
        while self._events and self._events[0][0] <= self._now:
            heapq.heappop(self._events)[-1]()

    def _serve(self):
        for name in self._ask(lambda custodian: custodian.agenda(self._now)) or ():
            self._ask(lambda custodian, name=name: custodian.advance(name, self._now))

    # Processes

    def _ask(self, question):
        """Return the custodian's answer, None when it is down, or dies of the question."""
        answers = []
        self._call(CUSTODIAN, lambda custodian: answers.append(question(custodian)))
        return answers[0] if answers else None

    def _call(self, name, action):
        """Let a process do something, and return whether it did."""
        if name in self._up_again:
            return False
        survived = self._processes[name].call(action)
        if not survived:
            self._goes_down(name)
        return survived

    def _crash(self, crash):
        """Let a process die now, or doom it to. One that is down stays so."""
        if crash.process in self._up_again:
            return
        self._outages[crash.process] = crash.outage
        if crash.doom is not None:
            self._processes[crash.process].doom(crash.doom)
            return
        self._processes[crash.process].restart()
        self._goes_down(crash.process)

    def _goes_down(self, name):
        self._up_again[name] = self._now + self._outages[name]
        self._at(self._up_again[name], lambda: self._up_again.pop(name))
        self.log.crashes[name] += 1
        if name == CUSTODIAN:
            self.log.outages.append((self._now, self._up_again[name]))

    def _insist(self, name, action, again):
        """Let a process do something, or ask it `again` once it is back."""
        if not self._call(name, action):
            self._at(self._up_again[name], again)

    # The principal

    def _issue(self, transfer):
        self.log.asked[transfer.name].append(self._now)
        self._insist(CUSTODIAN, partial(self._accept, transfer), partial(self._issue, transfer))

    def _accept(self, transfer, custodian):
        known = transfer.obligation.kind != "telemetry"
        try:
            custodian.accept(transfer.obligation, transfer.terms, self._now, unknown_best_effort=not known)
        except Conflict:
            self.log.refused.add(transfer.name)
        else:
            self.log.accepted.add(transfer.name)

    # The applications

    def _decide(self, obligation):
        transfer, decided = self._transfers[obligation.id], self.log.decided[obligation.id]
        decision = transfer.answers[min(len(decided), len(transfer.answers) - 1)]
        decided.append((self._now, decision))
        if decision is None:
            raise Overloaded
        if decision.status is AckStatus.DEFERRED:
            self._answer_later(transfer, transfer.later)
        return decision

    def _answer_later(self, transfer, later):
        if later:
            self._at(self._now + later[0].after, partial(self._resolve, transfer, later))

    def _resolve(self, transfer, later):
        resolve = partial(self._resolve_if_deferred, transfer, later[0].decision)
        self._insist(transfer.obligation.target, resolve, partial(self._resolve, transfer, later))
        self._answer_later(transfer, later[1:])

    def _resolve_if_deferred(self, transfer, decision, receiver):
        entry = receiver.entry(transfer.name)
        if entry is not None and entry.status is AckStatus.DEFERRED:
            self.log.decided[transfer.name].append((self._now, decision))
            receiver.resolve(transfer.name, decision, self._now)

    # The messages

    def _send(self, delivery):
        name, target = delivery.obligation.id, delivery.obligation.target
        self.log.sent.append((self._now, delivery))
        self.log.torn += [name] * self.custodian.in_transaction
        faults = self._weather(target, self._transfers[name].outward)
        self._fly(self._channels[name][0], delivery, faults, self._deliver)

    def _reply(self, ack):
        name, target = ack.obligation_id, ack.target
        self.log.replied.append((self._now, ack))
        self.log.torn += [name] * self.receivers[target].in_transaction
        faults = self._weather(target, self._transfers[name].homeward)
        self._fly(self._channels[name][1], ack, faults, self._acknowledge)

    def _fly(self, channel, message, faults, arrive):
        channel.put(message, self._now, faults)
        if (moment := channel.next_arrival()) is not None:
            self._at(moment, partial(self._land, channel, arrive))

    def _land(self, channel, arrive):
        """Hand over what has arrived. Where more is to come it lands by itself."""
        while (message := channel.take(self._now)) is not None:
            arrive(message)
        if (moment := channel.next_arrival()) is not None:
            self._at(moment, partial(self._land, channel, arrive))

    def _weather(self, target, faults):
        cut = any(one.target == target and one.begins <= self._now < one.ends for one in self._partitions)
        return DEAD if cut else faults

    def _deliver(self, delivery):
        self._call(delivery.obligation.target, partial(self._receive, delivery))

    def _receive(self, delivery, receiver):
        with suppress(Overloaded):  # then nothing is committed and nothing answered
            receiver.receive(delivery, self._now)

    def _acknowledge(self, ack):
        if CUSTODIAN not in self._up_again:
            survived = self._call(CUSTODIAN, lambda custodian: custodian.receive_ack(ack, self._now))
            self.log.acked.append((self._now, ack, survived))

    # What a start of a process makes

    def _custodian(self, store):
        keep_journal(store._db, self._clock)
        grants = "best_effort" if self._plan.best_effort_grants else "custody"
        return Custodian(store, Kinds(BeliefUpdate(), Consent(grants=grants), Token()), self._send)

    def _receiver(self, name, store):
        keep_journal(store.connection, self._clock)
        return Receiver(name, store, Kinds(BeliefUpdate(), Consent(), Token()), self._reply, self._decide)
