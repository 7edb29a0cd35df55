"""The three provider contracts of section 3: what a provider makes of the requests that it accepts.

Rule 1: a request that is accepted may commit at any time after. Nothing can be cancelled.
Rule 2: a provider that deduplicates takes a request whose key is registered for the one that brought
        the key, until its window closes. Outcomes can be looked up even then.
Rule 3: a receipt exists once its effect is committed. What is pending cannot be looked up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

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
class Deliveries:
    """All that a provider has accepted, by reference.

    `keys` are those that came, `registered` the reference that brought each one that deduplicates,
    `origins` the delivery that each one is taken for.
    """

    contract: Contract
    keys: Mapping[str, str] = field(default_factory=dict)
    registered: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    committed: frozenset[str] = frozenset()
    window_closed_at: int | None = None

    @property
    def deduplicates(self) -> bool:
        """Tell whether registered keys count now."""
        return self.contract.dedup and self.window_closed_at is None

    def deduplicated(self, at: int) -> bool:
        """Tell whether registered keys counted at a time."""
        return self.contract.dedup and (self.window_closed_at is None or at < self.window_closed_at)

    def accept(self, reference: str, key: str) -> Self:
        """Take a request."""
        origin = self.registered.get(key, reference) if self.deduplicates else reference
        registers = origin == reference and self.contract.registers == "acceptance"
        return replace(
            self,
            keys={**self.keys, reference: key},
            registered={**self.registered, key: reference} if registers else self.registered,
            origins={**self.origins, reference: origin},
        )

    def is_pending(self, reference: str) -> bool:
        """Tell whether a delivery may still have an effect of its own."""
        return self.origins.get(reference) == reference and reference not in self.committed

    def commit(self, reference: str) -> Self:
        """Let a pending request take effect."""
        registered = {self.keys[reference]: reference, **self.registered}
        return replace(self, registered=registered, committed=self.committed | {reference})

    def close_window(self, now: int) -> Self:
        """Forget the keys."""
        return replace(self, window_closed_at=now)

    def receipt(self, reference: str) -> str | None:
        """Return the receipt of a delivery's effect, None where there is none."""
        origin = self.origins.get(reference)
        return f"receipt of {origin}" if origin in self.committed else None

    def answer(self, reference: str) -> Answer:
        """Return the answer to a request. One that is pending is not answered yet."""
        receipt, repeats = self.receipt(reference), self.origins[reference] != reference
        if receipt is None:
            return Answer(kind=AnswerKind.IN_PROGRESS if repeats else AnswerKind.LOST)
        return Answer(kind=AnswerKind.DUPLICATE if repeats else AnswerKind.ACK, receipt=receipt)

    def look_up(self, reference: str) -> Answer:
        """Return what there is to say of a delivery: pending and absent cannot be told apart."""
        if not self.contract.lookup:
            return Answer(kind=AnswerKind.UNSUPPORTED)
        receipt = self.receipt(reference)
        if receipt is None or (self.window_closed_at is not None and not self.contract.outlives):
            return Answer(kind=AnswerKind.EMPTY)
        return Answer(kind=AnswerKind.FOUND, receipt=receipt)
