"""What the rules promise of a custodian: the oracle of its half of the protocol.

For each call `foresee_...` says what must come of it, as facts in the order of their commits, and by
which rule. `judge` reads from the custodian's public answers what did come of it. The two agree; after
a crash, what is there is a beginning of what was foreseen. Each fact is then remembered with what it
means for the principal (section 5), and `check` asks that the principal sees just that.
"""

from abhyasa import AckStatus, Conflict, OnDecline, Status, UnknownKind
from tests.stateful.meaning import Side, meaning
from tests.stateful.transfer import Transfer


class Custody:
    """Every transfer of one custodian, and the principal's side."""

    def __init__(self, story, best_effort_grants):
        self.transfers = {}
        self.side = Side()
        self.best_effort_grants = best_effort_grants
        self._story = story
        self._told = {}
        self._notes = set()

    def pending(self):
        return [transfer for transfer in self.transfers.values() if transfer.pending]

    def overdue(self, now):
        """The transfers for which something is certainly due."""
        return [transfer for transfer in self.pending() if now >= transfer.next_step()[1]]

    def refusal(self, obligation, unknown_best_effort):
        """The error with which an obligation is refused at issue, None for none."""
        known = self.transfers.get(obligation.id)
        if known is not None:
            return None if known.obligation == obligation else Conflict
        governed = self._meaning(obligation).governed
        if governed is None:
            return None if unknown_best_effort else UnknownKind
        taken = {(one.meaning.governed, one.obligation.sequence) for one in self.transfers.values()}
        return Conflict if (governed, obligation.sequence) in taken - {(governed, None)} else None

    def foresee_issue(self, obligation):
        if obligation.id in self.transfers:
            return [], "decisions: the same obligation again is a no-op"
        if self._meaning(obligation).safe is None:
            return ["best_effort"], "AC-1: without a fail-safe polarity it travels best-effort"
        return ["pending"], "AB-1: an admissible obligation is taken into custody"

    def foresee_step(self, name, now):
        transfer = self.transfers[name]
        number = len(transfer.attempts) + 1
        if not transfer.pending:
            return [], "AB-1: custody has ended, and nothing is done for it any more"
        if now >= transfer.deadline:
            return ["escalated deadline"], "AB-4: at the deadline the fail-safe fires, whatever was planned"
        if now < transfer.next_step()[0]:
            return [], "AB-2: nothing is due while a wait runs: b, doubled to the cap, jitter in [d/2, d]"
        if number > transfer.budget:
            return [
                "escalated budget"
            ], "AB-4: the fail-safe fires once the budget and its last wait are over"
        return [f"attempt {number}"], "AB-2: without an answer the delivery is made again"

    def foresee_ack(self, ack, now):
        transfer = self.transfers.get(ack.obligation_id)
        if transfer is None or not transfer.answered_by(ack):
            return self._noted(ack, "foreign"), "decisions: an ack counts for its id, target and digest alone"
        if transfer.pending and now >= transfer.deadline:
            facts = ["escalated deadline", *self._noted(ack, "late")]
            return facts, "decisions: t = deadline is expired, and an ack that comes then is late"
        if transfer.pending and ack.status is not AckStatus.DEFERRED:
            return [ack.status.value], "AB-1: an applied or declined ack discharges custody"
        if transfer.pending and not transfer.deferred:
            return ["deferred"], "section 4: deferred leaves custody undischarged"
        why = {"escalated": "late", "best_effort": "best_effort"}.get(transfer.status, "repeated")
        return self._noted(ack, why), "decisions: a terminal state is never reopened; the ack is noted"

    def judge(self, custodian, name, foreseen, now, *, survived, issued=None, ack=None):
        """Compare what came of a call about one obligation with what was foreseen, and remember it.

        Return the facts. `issued` is the obligation and terms of an issue, `ack` what arrived.
        """
        expected, rule = foreseen
        observed = [*self._moved(custodian, name), *self._new_notes(custodian, ack)]
        beginning = expected if survived else expected[: len(observed)]
        self._story.require(observed == beginning, rule, name, expected, observed)
        for fact in observed:
            self._story.tell(name, f"custodian: {fact}")
            self.remember(name, fact, now, issued, ack)
        if observed:
            self._check_principal(custodian)
        return observed

    def judge_sent(self, name, facts, sent, survived):
        """Compare the deliveries that left during a call with the facts that it came to."""
        numbers = [1 if fact == "best_effort" else int(fact.split()[1]) for fact in facts if _sends(fact)]
        whole = [delivery.attempt for delivery in sent] == numbers or (not survived and not sent)
        rule = "AB-1, AC-1: one delivery leaves for each durable attempt, and only after it"
        self._story.require(whole, rule, name, numbers, sent)
        for delivery in sent:
            transfer = self.transfers[name]
            expected = (transfer.obligation, transfer.deadline)
            rule = "decisions: the deadline is absolute, and travels with the content"
            self._same(rule, expected, (delivery.obligation, delivery.deadline), name)

    def check(self, custodian, keys, sequences):
        """Fail unless what the principal sees is what the remembered facts mean.

        `keys` are all of its state, and `sequences` the newest by governed key.
        """
        records = {record.obligation.id: record for status in Status for record in custodian.records(status)}
        self._same("AB-1: no obligation is lost, and none appears", self.transfers.keys(), records.keys())
        for name, transfer in self.transfers.items():
            self._check_record(name, transfer, records[name])
        told = {one.obligation_id: _report(one) for one in custodian.escalations()}
        self._same("AB-4: every escalation is told, once and truly", self._told, told)
        notes = {(note.ack, note.why.value) for note in custodian.notes()}
        self._same("decisions: an ack that changes nothing is kept for reconciliation", self._notes, notes)
        self._check_principal(custodian)
        rule = "section 5: no obligation reaches what it does not govern"
        self._same(rule, set(self.side.values), set(keys))
        rule = "decisions: supersession is durable, the newest sequence with its change"
        self._same(rule, self.side.newest, sequences)

    def _check_principal(self, custodian):
        for key, value in self.side.values.items():
            rule = f"section 5, AB-4: {key} of the principal is what issue, discharge and safe(O) made it"
            self._same(rule, value, custodian.principal(key))

    def _check_record(self, name, transfer, record):
        rule = "AB-1, AB-2: what was committed stays: content, deadline, budget"
        expected = (transfer.obligation, transfer.deadline, transfer.status, len(transfer.attempts))
        observed = (record.obligation, record.deadline, record.status.value, record.deliveries)
        self._same(rule, expected, observed, name)
        rule = "AB-4: a terminal state comes once, with safe(O) or for a reason"
        expected = (transfer.settled_at, transfer.reason, transfer.protected)
        observed = (record.settled_at, record.reason, record.protected)
        self._same(rule, expected, observed, name)
        rule = "section 5: a revocation, once it is issued, withdraws what older grants would permit"
        if transfer.meaning.at_discharge is not None:
            self._same(rule, transfer.withdrawn, record.at_discharge is None, name)

    def _moved(self, custodian, name):
        """What is new about a record, as facts."""
        record, transfer = _record(custodian, name), self.transfers.get(name)
        if record is None:
            return []
        if transfer is None:
            return [record.status.value]
        facts = []
        if record.deliveries != len(transfer.attempts):
            facts.append(f"attempt {record.deliveries}")
        if record.deferred != transfer.deferred:
            facts.append("deferred")
        if record.status != transfer.status:
            facts.append(" ".join([record.status.value, *_causes(custodian, name)]))
        return facts

    def _new_notes(self, custodian, ack):
        if ack is None:
            return []
        whys = [note.why.value for note in custodian.notes() if note.ack == ack]
        return [f"noted {why}" for why in whys if (ack, why) not in self._notes]

    def _noted(self, ack, why):
        return [] if (ack, why) in self._notes else [f"noted {why}"]

    def remember(self, name, fact, now, issued, ack):
        """Remember a fact, with what it means for the principal. `ack` is what it is an answer to."""
        transfer = self.transfers.get(name)
        match fact.split():
            case ["pending" | "best_effort" as status]:
                self._accepted(*issued, now, status)
            case ["attempt", _]:
                transfer.attempts.append(now)
            case ["deferred"]:
                transfer.deferred = True
            case ["noted", why]:
                self._notes.add((ack, why))
            case [status, *cause]:
                self._settled(transfer, status, now, *cause or [ack.reason])

    def _accepted(self, obligation, terms, now, status):
        transfer = Transfer(
            obligation=obligation,
            terms=terms,
            meaning=self._meaning(obligation),
            accepted_at=now,
            status=status,
        )
        if status == "best_effort":
            transfer.attempts.append(now)
            transfer.settled_at = now
        at_issue, restrictive = transfer.meaning.at_issue, transfer.meaning.safe is not None
        if at_issue is not None and self._undergo(transfer, at_issue) and restrictive:
            self._withdraw_older_than(transfer)
        self.transfers[obligation.id] = transfer

    def _withdraw_older_than(self, issued):
        """A late ack of an older decision permits nothing any more (section 5)."""
        for other in self.pending():
            if other.meaning.governed == issued.meaning.governed:
                sequences = (other.obligation.sequence, issued.obligation.sequence)
                other.withdrawn |= None in sequences or sequences[0] < sequences[1]

    def _settled(self, transfer, status, now, reason):
        transfer.status, transfer.settled_at, transfer.reason = status, now, reason
        if status == "applied":
            self._undergo(transfer, None if transfer.withdrawn else transfer.meaning.at_discharge)
        elif status == "escalated" or transfer.terms.on_decline is OnDecline.PROTECT:
            transfer.protected = self._undergo(transfer, transfer.meaning.safe)
        if status == "escalated":
            answer = "deferring" if transfer.deferred else "no answer"
            self._told[transfer.obligation.id] = (reason, transfer.protected, now, answer)

    def _undergo(self, transfer, change):
        return self.side.undergo(change, transfer.meaning.governed, transfer.obligation.sequence)

    def _meaning(self, obligation):
        return meaning(obligation, self.best_effort_grants)

    def _same(self, rule, expected, observed, name=None):
        self._story.require(expected == observed, rule, name, expected, observed)


def _record(custodian, name):
    try:
        return custodian.record(name)
    except KeyError:
        return None


def _causes(custodian, name):
    return [one.cause.value for one in custodian.escalations() if one.obligation_id == name]


def _sends(fact):
    return fact == "best_effort" or fact.startswith("attempt")


def _report(escalation):
    answer = "deferring" if "deferring" in escalation.detail else "no answer"
    return (escalation.cause.value, escalation.protected, escalation.escalated_at, answer)
