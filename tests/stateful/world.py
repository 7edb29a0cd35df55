"""The world that the machine plays in: one clock, one custodian, three receivers, bad channels, a host.

The host does what hosts do: it sleeps until the next arrival or the end of the next wait, takes what has
arrived, then serves the agenda one by one, asking again after each. Whatever the endpoints do passes
through here and is judged at once by the two oracles, `Custody` and `Reception`.
"""

from abhyasa import Custodian, CustodianStore, Kinds, Receiver, ReceiverStore
from abhyasa.clock import SimulatedClock
from abhyasa.kinds import BeliefUpdate, Consent, Token
from tests.stateful.agenda import require_fair_agenda, require_schedule
from tests.stateful.applications import JOURNALIST, Applications, Overloaded
from tests.stateful.audit import require_deliver_or_report
from tests.stateful.custody import Custody
from tests.stateful.network import TARGETS, Network
from tests.stateful.process import Process
from tests.stateful.reception import Reception
from tests.stateful.story import Story
from tests.unit.rig import START


class World:
    """All of it, from one seed. `folder` keeps the stores in files, None in memory.

    Rules of the machine set the custodian's `doom`, and what `network` and `applications` say.
    """

    def __init__(self, *, folder, best_effort_grants, seed):
        self._clock = SimulatedClock(START)
        self._torn = False
        self.doom = None
        self.network = Network(self._clock, seed)
        self.applications = Applications()
        self.story = Story(self._seconds)
        self.custody = Custody(self.story, best_effort_grants)
        self.receptions = {name: Reception(name, self.story, name == JOURNALIST) for name in TARGETS}
        paths = {name: folder and f"{folder}/{name}.db" for name in ("custodian", *TARGETS)}
        self.custodian = Process(CustodianStore, paths["custodian"], self._custodian)
        self.receivers = {
            name: Process(ReceiverStore, paths[name], lambda store, name=name: self._receiver(name, store))
            for name in TARGETS
        }

    @property
    def now(self):
        return self._clock.now()

    def issue(self, obligation, terms, *, unknown_best_effort=False):
        """Let the principal issue an obligation."""
        self.story.tell(obligation.id, f"issued for {obligation.target}: {dict(obligation.payload)}")
        refusal = self.custody.refusal(obligation, unknown_best_effort)
        refused = []

        def accept(custodian):
            try:
                custodian.accept(obligation, terms, self.now, unknown_best_effort=unknown_best_effort)
            except ValueError as error:
                refused.append(type(error))

        foreseen = ([], "refused at issue") if refusal else self.custody.foresee_issue(obligation)
        survived = self._custodian_does(accept, obligation.id, foreseen, issued=(obligation, terms))
        rule = "decisions: a taken id or sequence and an unknown kind are refused at issue, and no other"
        expected = [refusal] if refusal else []
        self.story.require(refused == expected or not survived, rule, None, expected, refused)

    def hurry(self, name):
        """Let the host ask too early, unless jitter may have made something due already."""
        earliest, latest = self.custody.transfers[name].next_step()
        if not earliest <= self.now < latest:
            self.advance(name)

    def advance(self, name):
        """Let the host ask the custodian to do what is due for an obligation."""
        now = self.now
        foreseen = self.custody.foresee_step(name, now)
        self._custodian_does(lambda custodian: custodian.advance(name, now), name, foreseen)

    def bring_ack(self, ack):
        """Bring an acknowledgment to the custodian."""
        self.story.tell(ack.obligation_id, f"an ack arrives from {ack.target}: {ack.status.value}")
        now = self.now
        foreseen = self.custody.foresee_ack(ack, now)
        self._custodian_does(
            lambda custodian: custodian.receive_ack(ack, now), ack.obligation_id, foreseen, ack=ack
        )

    def bring_delivery(self, delivery):
        """Bring a delivery to its receiver."""
        obligation = delivery.obligation
        self.story.tell(obligation.id, f"delivery {delivery.attempt} arrives at {obligation.target}")
        reception, decision = self.receptions[obligation.target], self.applications.will[obligation.id]
        foreseen = reception.foresee_delivery(delivery, decision, self.now)
        self._receiver_does(lambda receiver: receiver.receive(delivery, self.now), obligation, foreseen)

    def resolve(self, obligation, decision):
        """Let a receiver's application answer what it had deferred."""
        outcome = self.applications.outcome(obligation, decision)
        foreseen = self.receptions[obligation.target].foresee_resolution(obligation, outcome, self.now)
        self._receiver_does(
            lambda receiver: receiver.resolve(obligation.id, decision, self.now), obligation, foreseen
        )

    def deferred(self):
        """Return the obligations that wait at receivers for their answers."""
        waiting = []
        for process in self.receivers.values():
            with process.watched() as receiver:
                waiting += [entry.obligation for entry in receiver.deferred()]
        return waiting

    def run_until(self, moment):
        """Let time pass until `moment`, with the host at work."""
        while (event := self._next_event()) is not None and event <= moment:
            self.leap(event)
        self.leap(moment)

    def leap(self, moment):
        """Let the clock jump while the host sleeps, and the host then work."""
        self._clock.jump(max(moment, self.now))
        while (delivery := self.network.next_delivery()) is not None:
            self.bring_delivery(delivery)
        while (ack := self.network.next_ack()) is not None:
            self.bring_ack(ack)
        while self._serve():
            pass

    def end(self):
        """Let every process live on until nothing is pending and nothing under way, and audit that."""
        self.doom = None
        for process in self.processes():
            process.reprieve()
        while (event := self._next_event()) is not None:
            self.leap(event)
        self.check()
        require_deliver_or_report(self.story, self.custody, self.receptions, self.network.sent)

    def check(self):
        """Fail unless all that can be seen is what the rules make of what happened."""
        with self.custodian.watched() as custodian:
            self.custody.check(custodian, _keys(self.custodian), _sequences(self.custodian))
            require_schedule(self.story, self.custody, custodian.next_due())
        for name, process in self.receivers.items():
            with process.watched() as receiver:
                journal = _column(process, "SELECT id FROM journal ORDER BY rowid")
                self.receptions[name].check(receiver, _keys(process), _sequences(process), journal)

    def restart_custodian(self, other_reading_of_grants):
        """Restart the custodian, perhaps in a release that reads grants otherwise."""
        self.custody.best_effort_grants ^= other_reading_of_grants
        self.custodian.restart()

    def close(self):
        """End every process for good."""
        for process in self.processes():
            process.close()

    def processes(self):
        """Return the four processes."""
        return [self.custodian, *self.receivers.values()]

    def _next_event(self):
        with self.custodian.watched() as custodian:
            moments = (custodian.next_due(), *self.network.next_arrivals())
        return min((moment for moment in moments if moment is not None), default=None)

    def _serve(self):
        """Do the first thing on the agenda; return whether there may be more."""
        with self.custodian.watched() as custodian:
            agenda = custodian.agenda(self.now)
        require_fair_agenda(self.story, self.custody, agenda, self.now)
        if agenda:
            self.advance(agenda[0])
        return bool(agenda)

    def _custodian_does(self, action, name, foreseen, **about):
        now, already_sent, doom = self.now, len(self.network.sent), self._doom_of(foreseen)
        survived = self.custodian.call(action)
        self.custodian.reprieve()
        if not survived:
            self.doom = None
            self.story.tell(name, f"the custodian dies and is down for {doom.outage}")
        with self.custodian.watched() as custodian:
            facts = self.custody.judge(custodian, name, foreseen, now, survived=survived, **about)
        self.custody.judge_sent(name, facts, self.network.sent[already_sent:], survived)
        self._require_nothing_torn(name)
        if not survived:
            self.check()  # what was not committed is gone, all of it
            self._clock.jump(self.now + doom.outage)
        return survived

    def _doom_of(self, foreseen):
        """Plant the doom whose occasion has come, and return it."""
        doom, (facts, _) = self.doom, foreseen
        if doom is None or not facts or facts[0].split()[0] != doom.occasion:
            return None
        self.custodian.doom(doom)
        return doom

    def _require_nothing_torn(self, name):
        rule = "AB-1, AB-3: what leaves is already durable"
        self.story.require(not self._torn, rule, name, "a commit before the message", "an open transaction")

    def _receiver_does(self, action, obligation, foreseen):
        process, reception = self.receivers[obligation.target], self.receptions[obligation.target]
        already_said, self.applications.asked = len(self.network.acks), False

        def attempt(receiver):
            try:
                action(receiver)
            except Overloaded:
                self.story.tell(obligation.id, f"the application of {obligation.target} fails")

        survived = process.call(attempt)
        if not survived:
            self.story.tell(obligation.id, f"{obligation.target} dies, and starts again")
        said = self.network.acks[already_said:]
        with process.watched() as receiver:
            reception.judge(
                receiver, obligation, foreseen, survived=survived, replies=said, asked=self.applications.asked
            )
        self._require_nothing_torn(obligation.id)
        if not survived:
            self.check()

    def _custodian(self, store):
        grants = "best_effort" if self.custody.best_effort_grants else "custody"
        return Custodian(store, Kinds(BeliefUpdate(), Consent(grants=grants), Token()), self._send)

    def _receiver(self, name, store):
        store.connection.execute("CREATE TABLE IF NOT EXISTS journal (id TEXT)")
        kinds, effect = Kinds(BeliefUpdate(), Consent(), Token()), self.applications.effect_of(name)
        return Receiver(name, store, kinds, self._reply, self.applications.decide, effect)

    def _send(self, delivery):
        self._torn |= self.custodian.in_transaction
        transport = self.network.transport[delivery.obligation.target]
        self.story.tell(delivery.obligation.id, f"delivery {delivery.attempt} leaves; transport {transport}")
        self.network.send(delivery)

    def _reply(self, ack):
        self._torn |= self.receivers[ack.target].in_transaction
        self.network.reply(ack)

    def _seconds(self):
        return (self.now - START).total_seconds()


def _keys(process):
    return _column(process, "SELECT key FROM state")


def _sequences(process):
    return dict(process.rows("SELECT governed_key, sequence FROM sequences"))


def _column(process, query):
    return [cell for (cell,) in process.rows(query)]
