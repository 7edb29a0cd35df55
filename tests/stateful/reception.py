"""What the rules promise of a receiver: the oracle of the other half of the protocol.

`foresee_...` says how a call must be answered, and by which rule. `judge` compares the durable entry and
what was replied with it; after a crash the entry is as before or as foreseen, and no reply left without
its entry. `check` asks that the receiver's state is what each application, once and in order, made it.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from abhyasa import AckStatus
from tests.stateful.meaning import Side, meaning


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How an obligation stands at its receiver. `deadline` is that of the first delivery."""

    digest: str
    deadline: datetime
    acked_at: datetime
    status: AckStatus = AckStatus.DECLINED
    reason: str = ""

    def __str__(self):
        return f"{self.status.value} {self.reason}".strip()

    def said_by(self, ack):
        """Tell whether an acknowledgment says this."""
        ours = (self.digest, self.acked_at, self.status, self.reason)
        return ours == (ack.digest, ack.acked_at, ack.status, _reason(ack.reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What must come of a call: an answer (None: the application failed, and nothing happens).

    `asks` the application or not, and is `kept` in the ledger or only said.
    """

    rule: str
    answer: Answer | None
    asks: bool = False
    kept: bool = True


class Reception:
    """The ledger and the state of one receiver, as the rules have them.

    One that `journals` has an effect of its own, which writes each id that it applies in a table.
    """

    def __init__(self, name, story, journals):
        self.applied = []
        self._name = name
        self._story = story
        self._journals = journals
        self._answers = {}
        self._side = Side()

    def foresee_delivery(self, delivery, decision, now):
        """Return what a delivery must come to, where the application's decision is `decision`."""
        obligation = delivery.obligation
        held = self._answers.get(obligation.id)
        new = Answer(digest=obligation.digest, deadline=delivery.deadline, acked_at=now)
        if held is not None and held.digest != obligation.digest:
            rule = "decisions: the same id with other content is a conflict, and the ledger stands"
            return Foreseen(rule=rule, answer=replace(new, reason="conflict"), kept=False)
        if held is not None and held.status is not AckStatus.DEFERRED:
            return Foreseen(
                rule="AB-3: a redelivery gets the same answer, without reapplication", answer=held
            )
        if now >= (held or new).deadline:
            return self._expired(held or new, now)
        if held is not None:
            return Foreseen(rule="section 4: deferred stays so until it is resolved", answer=held)
        if self._meaning(obligation).governed is None:
            rule = "decisions: what the receiver does not know is declined"
            return Foreseen(rule=rule, answer=replace(new, reason="unknown kind"))
        return self._decided(obligation, new, decision, asks=True)

    def foresee_resolution(self, obligation, decision, now):
        """Return what it must come to when a deferred obligation is resolved."""
        held = self._answers[obligation.id]
        if now >= held.deadline:
            return self._expired(held, now)
        return self._decided(obligation, replace(held, acked_at=now), decision, asks=False)

    def judge(self, receiver, obligation, foreseen, *, survived, replies, asked):
        """Compare what came of a call with what was foreseen, and remember it.

        `replies` left during the call, and the application was `asked` or not.
        """
        before, observed = self._answers.get(obligation.id), _entry(receiver, obligation.id)
        after = foreseen.answer if foreseen.kept and foreseen.answer else before
        self._require(
            observed == after or (not survived and observed == before), foreseen, obligation, observed
        )
        said = [foreseen.answer is not None and foreseen.answer.said_by(ack) for ack in replies]
        whole = [True] * (foreseen.answer is not None)
        silent = not survived and not replies
        self._require((said == whole and observed == after) or silent, foreseen, obligation, replies)
        self._require(asked == foreseen.asks or not survived, foreseen, obligation, f"asked: {asked}")
        if observed != before:
            self._remember(obligation, observed)
            self._check_state(receiver)

    def check(self, receiver, keys, sequences, journal):
        """Fail unless every effect was made once.

        `keys` are all of the state, `sequences` the newest by governed key, `journal` what effects wrote.
        """
        self._check_state(receiver)
        rule = f"section 5: no obligation reaches what it does not govern at {self._name}"
        self._story.require(set(keys) == set(self._side.values), rule, None, set(self._side.values), keys)
        rule = f"supersession: {self._name} remembers the newest decision with its effect"
        self._story.require(sequences == self._side.newest, rule, None, self._side.newest, sequences)
        rule = f"AB-3: {self._name} applies each obligation once, effect and ledger entry in one commit"
        expected = self.applied if self._journals else []
        self._story.require(journal == expected, rule, None, expected, journal)

    def _check_state(self, receiver):
        for key, value in self._side.values.items():
            observed = receiver.state(key)
            rule = f"AB-3: {key} at {self._name} is what each application made it, once and in order"
            self._story.require(observed == value, rule, None, value, observed)

    def status(self, obligation):
        """Return how an obligation stands here, None for one that never arrived, or whose id is taken."""
        answer = self._answers.get(obligation.id)
        return answer.status.value if answer is not None and answer.digest == obligation.digest else None

    def _expired(self, held, now):
        answer = replace(held, acked_at=now, status=AckStatus.DECLINED, reason="expired")
        return Foreseen(rule="decisions: a receiver never applies what is expired", answer=answer)

    def _decided(self, obligation, new, decision, asks):
        if self._side.superseded(self._meaning(obligation).governed, obligation.sequence):
            rule = "decisions: what is older than the newest applied is declined"
            answer = replace(new, status=AckStatus.DECLINED, reason="superseded")
            return Foreseen(rule=rule, answer=answer)
        rule = "AB-3: what is new and in time is answered as the application decides"
        if decision is None:
            return Foreseen(rule=rule, answer=None, asks=asks)
        answer = replace(new, status=decision.status, reason=decision.reason)
        return Foreseen(rule=rule, answer=answer, asks=asks)

    def _remember(self, obligation, answer):
        self._story.tell(obligation.id, f"{self._name}: {answer}")
        self._answers[obligation.id] = answer
        if answer.status is AckStatus.APPLIED:
            means = self._meaning(obligation)
            effect = None if self._journals else means.effect
            self._side.undergo(effect, means.governed, obligation.sequence)
            self.applied.append(obligation.id)

    def _require(self, holds, foreseen, obligation, observed):
        answer = "no answer" if foreseen.answer is None else f"{foreseen.answer}, asked: {foreseen.asks}"
        self._story.require(holds, foreseen.rule, obligation.id, answer, observed)

    def _meaning(self, obligation):
        # Whether a grant is admissible changes nothing at the receiver.
        return meaning(obligation, best_effort_grants=False)


def _entry(receiver, name):
    entry = receiver.entry(name)
    if entry is None:
        return None
    return Answer(
        digest=entry.obligation.digest,
        deadline=entry.deadline,
        acked_at=entry.acked_at,
        status=entry.status,
        reason=_reason(entry.reason),
    )


def _reason(text):
    """Return a reason without the particulars that no rule fixes."""
    return "unknown kind" if text.startswith("unknown kind") else text
