"""The provider contracts of section 3, simulated: what is accepted, what is committed, what is told.

Rule 1: what a contract makes of requests is said in model/providers.py, which Recovery.tla's model walks.
        What is pending commits at the final boundary.
Rule 2: the first request is treated as the schedule says; every other one commits at once and is acked.
Rule 3: all is written to the ledger as it happens, and the ledger is what the checker is given.
"""

from dataclasses import dataclass

from abhyasa.recovery import Answer, AnswerKind
from model.providers import CONTRACTS, P1, P2, P3, Contract, Deliveries

__all__ = ["CONTRACTS", "P1", "P2", "P3", "Contract", "SimulatedProvider", "Treatment", "ledger_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """What becomes of the first request: whether it commits at once, and whether its ack arrives."""

    commits: bool = True
    acked: bool = True


class SimulatedProvider:
    """A provider with a contract. `write` is given each event of its ledger."""

    def __init__(self, contract, treatment, clock, write):
        self._deliveries = Deliveries(contract=contract)
        self._treatment, self._clock, self._write = treatment, clock, write
        self.requests = 0

    def accept(self, request):
        """Take a request, as a JSON object, and return the answer that reaches its participant."""
        self.requests += 1
        self._write("requests", {**request, "at": self._clock()})
        treatment = self._treatment if self.requests == 1 else Treatment()
        reference = request["reference"]
        self._deliveries = self._deliveries.accept(reference, request["key"])
        if treatment.commits:
            self._commit(reference)
        if not treatment.acked:
            return Answer(kind=AnswerKind.LOST)
        return self._deliver(self._deliveries.answer(reference), reference, request["participant"])

    def lookup(self, reference, participant):
        """Answer what became of a delivery."""
        asked = {"reference": reference, "participant": participant}
        self._write("lookups", {**asked, "at": self._clock()})
        return self._deliver(self._deliveries.look_up(reference), reference, participant)

    def close_window(self):
        """Forget the keys: from now on none of them deduplicates."""
        self._deliveries = self._deliveries.close_window(self._clock())
        self._write("window", {"at": self._deliveries.window_closed_at})

    def commit_pending(self):
        """Let what is pending take effect."""
        for reference in self._deliveries.origins:
            self._commit(reference)

    def finish(self):
        """Reach the final boundary, and return its time: whatever is pending takes effect before it."""
        self.commit_pending()
        return self._clock()

    def _commit(self, reference):
        if self._deliveries.is_pending(reference):
            self._deliveries = self._deliveries.commit(reference)
            effect = {"reference": reference, "receipt": self._deliveries.receipt(reference)}
            self._write("effects", {**effect, "at": self._clock()})

    def _deliver(self, answer, reference, participant):
        if answer.receipt is not None:
            told = {"reference": reference, "participant": participant, "receipt": answer.receipt}
            self._write("deliveries", {**told, "kind": answer.kind, "at": self._clock()})
        return answer


def ledger_of(events, final_at):
    """Return, from the events that a provider wrote, its part of a history that ends at `final_at`."""
    ledger = {kind: [] for kind in ("requests", "lookups", "effects", "deliveries", "window")}
    for kind, event in events:
        ledger[kind].append(event)
    closings = ledger.pop("window")
    return {**ledger, "window_closed_at": closings[0]["at"] if closings else None, "final_at": final_at}
