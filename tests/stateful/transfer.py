"""What is known of one transfer, remembered from what was seen of it and never from a store."""

from dataclasses import dataclass, field
from datetime import datetime

from abhyasa import Obligation, Terms
from tests.stateful.meaning import Meaning


@dataclass(slots=True, kw_only=True)
class Transfer:
    """One obligation at its custodian. The statuses are those of the paper, as plain words."""

    obligation: Obligation
    terms: Terms
    meaning: Meaning
    accepted_at: datetime
    status: str
    attempts: list[datetime] = field(default_factory=list)
    settled_at: datetime | None = None
    reason: str = ""
    deferred: bool = False
    protected: bool = False
    withdrawn: bool = False

    @property
    def pending(self):
        return self.status == "pending"

    @property
    def deadline(self):
        return self.accepted_at + self.terms.window

    @property
    def budget(self):
        """R retries follow the first delivery (AB-2)."""
        return self.terms.max_retries + 1

    def answered_by(self, ack):
        """Tell whether an acknowledgment is an answer to just this."""
        ours = (self.obligation.id, self.obligation.target, self.obligation.digest)
        return (ack.obligation_id, ack.target, ack.digest) == ours

    def wait(self):
        """The wait after the last delivery, before jitter: b, then doubled up to the cap (AB-2)."""
        cap = self.terms.cap or max(self.terms.initial, self.terms.window / 8)
        wait = self.terms.initial
        for _ in self.attempts[1:]:
            wait = min(cap, wait * 2)
        return wait

    def next_step(self):
        """When the running wait ends, at the earliest and at the latest.

        Jitter draws from the upper half of the wait, but not after the last permitted delivery.
        """
        if not self.attempts:
            return self.accepted_at, self.accepted_at
        longest = self.wait()
        jittered = self.terms.jitter is not None and len(self.attempts) < self.budget
        shortest = longest / 2 if jittered else longest
        last = self.attempts[-1]
        return min(self.deadline, last + shortest), min(self.deadline, last + longest)

    def needs_fail_safe(self, now):
        """Tell whether AB-4 asks for the fail-safe: at the deadline, or once the last wait is over."""
        spent = len(self.attempts) == self.budget and now >= self.next_step()[1]
        return self.pending and (now >= self.deadline or spent)
