"""Was every step of a custodian due, allowed, punctual and told? From its journal and the log of the calls.

`tests.stateful.custody` foresees what may come of each moment. Here it is asked about what became durable, in
the order in which it did. What is required besides is punctuality: each fail-safe (AB-4) comes at the earlier
of its deadline and the end of its last wait exactly, or at the first return of a custodian that was down.
"""

import json
from collections import Counter, defaultdict

from tests.million.history import History
from tests.million.journal import read_journal
from tests.million.plan import Transfer
from tests.million.punctual import Host
from tests.stateful.custody import Custody

ON_TIME, AT_THE_RETURN = "fail-safes when due, exactly", "fail-safes at the return from a crash"


class CustodianAudit:
    """The custodian's half of a batch. `custody` is what the rules make of its journal."""

    def __init__(self, plan, log, story):
        self.counts = Counter()
        self.custody = Custody(story, plan.best_effort_grants)
        self.custody.side.values = self._history = History()
        self._transfers = {transfer.name: transfer for transfer in plan.of(Transfer)}
        self._log, self._story, self._host = log, story, Host(log.outages)
        self._acks = defaultdict(list)
        for moment, ack, _ in log.acked:
            self._acks[ack.obligation_id, moment].append(ack)
        self._heard = set()

    def require_all(self, process):
        """Fail unless all that is durable is right, and all that was handed over has come to something."""
        changes = []
        for entry in read_journal(process):
            if entry.entry == "custody":
                self._moved(entry)
            else:
                changes.append((entry.key, json.loads(entry.value)))
        rule = "section 5, AB-4: the principal's state is changed by issue, discharge and safe(O), once each"
        self._story.require(changes == self._history.changes, rule, None, self._history.changes, changes)
        with process.watched() as custodian:
            self._require_notes(custodian)
            keys = [key for (key,) in process.rows("SELECT key FROM state")]
            sequences = dict(process.rows("SELECT governed_key, sequence FROM sequences"))
            self.custody.check(custodian, keys, sequences)
        self._require_nothing_lost()
        self._require_sent()

    def _moved(self, entry):
        transfer = self.custody.transfers.get(entry.key)
        if entry.begins:
            self._accepted(entry)
        elif entry.deliveries != len(transfer.attempts):
            self._attempted(entry, transfer)
        elif entry.value == "escalated":
            self._escalated(entry, transfer)
        else:
            self._answered(entry, transfer)

    def _accepted(self, entry):
        issued = self._transfers[entry.key]
        begun = entry.key in self.custody.transfers
        self._story.require(not begun, "AB-1: custody of an obligation begins once", entry.key, "once", entry)
        refusal = self.custody.refusal(issued.obligation, unknown_best_effort=True)
        rule = "decisions: a taken sequence is refused at issue"
        self._story.require(refusal is None, rule, entry.key, refusal, "accepted")
        self._require_foreseen(self.custody.foresee_issue(issued.obligation), entry.value, entry)
        asked = self._log.asked[entry.key]
        rule = "AB-1: the window begins when the principal issues, once, and no crash moves it"
        self._story.require(entry.moment in asked, rule, entry.key, asked, entry.moment)
        self._remember(entry, entry.value, issued=(issued.obligation, issued.terms))

    def _attempted(self, entry, transfer):
        fact = f"attempt {entry.deliveries}"
        self._require_foreseen(self.custody.foresee_step(entry.key, entry.moment), fact, entry)
        latest = self._host.moments(transfer.next_step()[1])[-1]
        rule = "AB-2: a delivery is made when the wait ends, or as the custodian comes back"
        self._story.require(entry.moment <= latest, rule, entry.key, latest, entry.moment)
        self._remember(entry, fact)

    def _escalated(self, entry, transfer):
        fact = f"escalated {entry.reason}"
        self._require_foreseen(self.custody.foresee_step(entry.key, entry.moment), fact, entry)
        due = _fail_safe_due(transfer)
        moments = self._host.moments(due)
        rule = "AB-4: the fail-safe fires when it is due exactly, or as a custodian that was down comes back"
        self._story.require(entry.moment in moments, rule, entry.key, moments, entry.moment)
        self.counts[ON_TIME if entry.moment == due else AT_THE_RETURN] += 1
        self._remember(entry, fact)

    def _answered(self, entry, transfer):
        fact = entry.value if entry.value != transfer.status else "deferred"
        acks = self._acks[entry.key, entry.moment]
        foreseen = {one for ack in acks for one in self.custody.foresee_ack(ack, entry.moment)[0]}
        rule = "AB-1: custody moves for an acknowledgment that says so, which came just then"
        self._story.require(fact in foreseen, rule, entry.key, foreseen, entry)
        latest = self._host.moments(_fail_safe_due(transfer))[-1]
        rule = "AB-4: once the fail-safe was due and the host was there, no answer is waited for"
        self._story.require(entry.moment <= latest, rule, entry.key, latest, entry.moment)
        [answer, *_] = [ack for ack in acks if ack.status.value == fact]
        self._heard.add(answer)
        self._remember(entry, fact, ack=answer)

    def _remember(self, entry, fact, issued=None, ack=None):
        self._story.tell_of(entry.moment, entry.key, f"custodian: {fact}")
        self.custody.remember(entry.key, fact, entry.moment, issued, ack)

    def _require_foreseen(self, foreseen, fact, entry):
        facts, rule = foreseen
        self._story.require(fact in facts, rule, entry.key, facts, f"{fact} at {entry.moment}")

    def _require_notes(self, custodian):
        """Fail unless each note is of an acknowledgment that came just then, and each that came counts."""
        noted = set()
        for note in custodian.notes():
            name, transfer = note.ack.obligation_id, self.custody.transfers[note.ack.obligation_id]
            rule = "decisions: only an acknowledgment that came is noted"
            came = self._acks[name, note.noted_at]
            self._story.require(note.ack in came, rule, name, came, note)
            why = {"escalated": "late", "best_effort": "best_effort"}.get(transfer.status, "repeated")
            rule = "decisions: a note says why the acknowledgment changed nothing"
            # What is repeated while custody goes on may be late by the end.
            self._story.require(note.why.value in (why, "repeated"), rule, name, why, note)
            self.custody.remember(name, f"noted {note.why.value}", note.noted_at, None, note.ack)
            noted.add(note.ack)
        for _, ack, survived in self._log.acked:
            counted = ack in noted or ack in self._heard or not survived
            rule = "decisions: an acknowledgment discharges, or is kept for reconciliation"
            self._story.require(counted, rule, ack.obligation_id, "a step or a note", ack)

    def _require_nothing_lost(self):
        transfers, log = self.custody.transfers, self._log
        rule = "AB-1: what was accepted is in custody, and what was refused is not"
        self._story.require(log.accepted == transfers.keys(), rule, None, log.accepted, transfers.keys())
        for name in log.refused:
            refusal = self.custody.refusal(self._transfers[name].obligation, unknown_best_effort=True)
            rule = "decisions: only a taken sequence is refused at issue"
            self._story.require(refusal is not None and name not in transfers, rule, name, "taken", "free")

    def _require_sent(self):
        """Fail unless each delivery left once it was durable, and each durable one left."""
        left = set()
        for moment, delivery in self._log.sent:
            name, number = delivery.obligation.id, delivery.attempt
            transfer = self.custody.transfers[name]
            made = transfer.attempts[number - 1 : number]
            expected = (transfer.obligation, transfer.deadline, [moment])
            rule = "AB-1: what leaves is a durable attempt, with its content and its absolute deadline"
            observed = (delivery.obligation, delivery.deadline, made)
            self._story.require(expected == observed, rule, name, expected, observed)
            left.add((name, number))
        for name, transfer in self.custody.transfers.items():
            for number, moment in enumerate(transfer.attempts, start=1):
                rule = "AB-2: a durable attempt is sent, unless the custodian dies of it"
                sent = (name, number) in left or moment in self._host.crashes
                self._story.require(sent, rule, name, f"delivery {number}", "none")


def _fail_safe_due(transfer):
    """Return the earlier of the deadline and, where the budget is spent, the end of the last wait (AB-4)."""
    spent = len(transfer.attempts) == transfer.budget
    return transfer.next_step()[1] if spent else transfer.deadline
