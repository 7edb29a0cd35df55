"""Was every answer of a receiver right, and every effect made once? From its journal and the log of calls."""

import json

from tests.million.history import History
from tests.million.journal import read_journal
from tests.stateful.meaning import Side


class ReceiverAudit:
    """One receiver's part of a batch. `transfers` is what the audit of the custodian found of each."""

    def __init__(self, name, transfers, log, story):
        self._name, self._transfers, self._log, self._story = name, transfers, log, story
        self._history = History()
        self._side = Side(values=self._history)
        self._standing = {}
        self._answers = set()

    def status(self, obligation):
        """Return how an obligation stands here, None for one that never arrived."""
        standing = self._standing.get(obligation.id)
        return standing and standing.value

    def applied_at(self, obligation):
        """Return when an obligation was applied here, None if it was not."""
        standing = self._standing.get(obligation.id)
        return standing.moment if standing and standing.value == "applied" else None

    def require_all(self, process):
        """Fail unless all that is durable here is right, and nothing else was replied."""
        changes = []
        for entry in read_journal(process):
            if entry.entry == "ledger":
                self._answered(entry)
            else:
                changes.append((entry.key, json.loads(entry.value)))
        rule = f"AB-3: {self._name} makes the effect of each obligation once, when it is applied"
        self._story.require(changes == self._history.changes, rule, None, self._history.changes, changes)
        sequences = dict(process.rows("SELECT governed_key, sequence FROM sequences"))
        rule = f"decisions: {self._name} remembers the newest sequence on each governed key"
        self._story.require(sequences == self._side.newest, rule, None, self._side.newest, sequences)
        self._require_replies()

    def _answered(self, entry):
        name, transfer = entry.key, self._transfers.get(entry.key)
        self._story.tell_of(entry.moment, name, f"{self._name}: {entry.value} {entry.reason}".rstrip())
        rule = "section 3: an obligation reaches the receiver that it names, and only what was issued does"
        here = transfer is not None and transfer.obligation.target == self._name
        self._story.require(here, rule, name, "an obligation for it", entry)
        rule = "AB-3: an obligation is applied at most once; only what was deferred gets another answer"
        before = self._standing.get(name)
        follows = before is not None and before.value == "deferred" and not entry.begins
        self._story.require(before is None or follows, rule, name, before, entry)
        expected, rule = self._foreseen(transfer, entry)
        answer = (entry.value, _reason(entry.reason))
        self._story.require(answer in expected, rule, name, expected, answer)
        self._standing[name] = entry
        self._answers.add((name, entry.value, entry.reason, entry.moment))
        if entry.value == "applied":
            means = transfer.meaning
            self._side.undergo(means.effect, means.governed, transfer.obligation.sequence)

    def _foreseen(self, transfer, entry):
        """Return the answers that are right at a moment, and the rule that says so."""
        if entry.moment >= transfer.deadline:
            return [("declined", "expired")], "decisions: a receiver never applies what is expired"
        if transfer.meaning.governed is None:
            return [("declined", "unknown kind")], "decisions: what the receiver does not know is declined"
        if self._side.superseded(transfer.meaning.governed, transfer.obligation.sequence):
            return [
                ("declined", "superseded")
            ], "decisions: what is older than the newest applied is declined"
        decided = self._log.decided[entry.key]
        made = [one for moment, one in decided if moment == entry.moment and one is not None]
        rule = "AB-3: what is new and in time is answered as the application decides just then"
        return [(one.status.value, one.reason) for one in made], rule

    def _require_replies(self):
        rule = "AB-3: an acknowledgment attests what is durable here, in the same words each time"
        for moment, ack in self._log.replied:
            if ack.target == self._name:
                said = (ack.obligation_id, ack.status.value, ack.reason, ack.acked_at)
                digest = self._transfers[ack.obligation_id].obligation.digest
                true = said in self._answers and ack.acked_at <= moment and ack.digest == digest
                self._story.require(true, rule, ack.obligation_id, "an answer of the ledger", ack)


def _reason(text):
    """Return a reason without the particulars that no rule fixes."""
    return "unknown kind" if text.startswith("unknown kind") else text
