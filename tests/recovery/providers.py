"""The three provider contracts of section 3, simulated: what is accepted, what is committed, what is told.

Rule 1: a request that is accepted may commit at any time after; what is pending commits at the final
        boundary. Nothing can be cancelled.
Rule 2: the first request is treated as the schedule says; every other one commits at once and is acked.
Rule 3: all is written to the ledger as it happens, and the ledger is what the checker is given.
"""

from dataclasses import dataclass

from abhyasa.recovery import Answer, AnswerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What a provider promises.

    `registers` says when a key begins to deduplicate: at "acceptance" or at "commit". `outlives` says
    whether outcomes can be looked up after the deduplication window has closed.
    """

    name: str
    dedup: bool
    lookup: bool
    registers: str = "acceptance"
    outlives: bool = True


P1 = Contract(name="P1", dedup=True, lookup=True)
P2 = Contract(name="P2", dedup=False, lookup=True)
P3 = Contract(name="P3", dedup=False, lookup=False)
CONTRACTS = {contract.name: contract for contract in (P1, P2, P3)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """What becomes of the first request: whether it commits at once, and whether its ack arrives."""

    commits: bool = True
    acked: bool = True


class SimulatedProvider:
    """A provider with a contract. `write` is given each event of its ledger."""

    def __init__(self, contract, treatment, clock, write):
        self._contract, self._treatment, self._clock, self._write = contract, treatment, clock, write
        self._pending, self._keys, self._receipts = [], {}, {}
        self.requests = 0
        self._window_open = True

    def accept(self, request):
        """Take a request, as a JSON object, and return the answer that reaches its participant."""
        self.requests += 1
        self._write("requests", {**request, "at": self._clock()})
        treatment = self._treatment if self.requests == 1 else Treatment()
        original = self._registered(request["key"])
        if original is not None:
            self._join(request["reference"], original)
            answer = self._told(AnswerKind.DUPLICATE, AnswerKind.IN_PROGRESS, original)
        else:
            self._take(request, treatment)
            answer = self._told(AnswerKind.ACK, AnswerKind.LOST, request["reference"])
        if not treatment.acked:
            return Answer(kind=AnswerKind.LOST)
        return self._deliver(answer, request["reference"], request["participant"])

    def lookup(self, reference, participant):
        """Answer what became of a delivery: pending and absent cannot be told apart."""
        at = self._clock()
        self._write("lookups", {"reference": reference, "participant": participant, "at": at})
        if not self._contract.lookup:
            return Answer(kind=AnswerKind.UNSUPPORTED)
        if not self._window_open and not self._contract.outlives:
            return Answer(kind=AnswerKind.EMPTY)
        return self._deliver(
            self._told(AnswerKind.FOUND, AnswerKind.EMPTY, reference), reference, participant
        )

    def close_window(self):
        """Forget the keys: from now on none of them deduplicates."""
        self._window_open = False
        self._write("window", {"at": self._clock()})

    def commit_pending(self):
        """Let what is pending take effect."""
        for request in self._pending:
            self._commit(request)
        self._pending.clear()

    def finish(self):
        """Reach the final boundary, and return its time: whatever is pending takes effect before it."""
        self.commit_pending()
        return self._clock()

    def _registered(self, key):
        return self._keys.get(key) if self._contract.dedup and self._window_open else None

    def _take(self, request, treatment):
        if self._contract.registers == "acceptance":
            self._keys[request["key"]] = request["reference"]
        if treatment.commits:
            self._commit(request)
        else:
            self._pending.append(request)

    def _commit(self, request):
        reference = request["reference"]
        self._keys.setdefault(request["key"], reference)
        self._receipts[reference] = f"receipt of {reference}"
        self._write("effects", self._effect(reference))

    def _effect(self, reference):
        return {"reference": reference, "receipt": self._receipts[reference], "at": self._clock()}

    def _join(self, reference, original):
        if original in self._receipts:
            self._receipts[reference] = self._receipts[original]

    def _told(self, committed, otherwise, reference):
        receipt = self._receipts.get(reference)
        return Answer(kind=otherwise) if receipt is None else Answer(kind=committed, receipt=receipt)

    def _deliver(self, answer, reference, participant):
        if answer.receipt is not None:
            told = {"reference": reference, "participant": participant, "receipt": answer.receipt}
            self._write("deliveries", {**told, "kind": answer.kind, "at": self._clock()})
        return answer


def ledger_of(events, final_at):
    """Return, from the events that a provider wrote, its part of a history that ends at `final_at`."""
    ledger = {kind: [] for kind in ("requests", "lookups", "effects", "deliveries", "pending", "window")}
    for kind, event in events:
        ledger[kind].append(event)
    closings = ledger.pop("window")
    return {**ledger, "window_closed_at": closings[0]["at"] if closings else None, "final_at": final_at}
