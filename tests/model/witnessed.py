"""The model of Recovery.tla with a provider that keeps a ledger, so that the study's checker can grade it."""

from collections.abc import Callable
from typing import Any

from abhyasa.recovery import Answer, Request
from model.played import PlayedProvider
from model.providers import Contract
from model.recovery import RecoveryModel
from model.refund import INSTANCE, SCOPE, Clock
from tests.recovery.client import request_body
from tests.recovery.providers import ledger_of
from tests.recovery.stage import history_of


class WitnessedProvider(PlayedProvider):
    """A provider whose events are written down; while it is `prompt`, requests commit when asked for."""

    def __init__(self, contract: Contract, clock: Clock) -> None:
        super().__init__(contract, clock)
        self.ledger: list[tuple[str, dict[str, Any]]] = []
        self.prompt = False

    def send(self, request: Request) -> Callable[[], Answer]:
        self._write("requests", request_body(request))
        return super().send(request)

    def answer(self, request: Request) -> Answer:
        if self.prompt and self.deliveries.is_pending(request.reference):
            self.commit(request.reference)
        return self._delivered(super().answer(request), request.reference, request.participant)

    def lookup(self, reference: str, participant: str) -> Answer:
        self._write("lookups", {"reference": reference, "participant": participant})
        return self._delivered(super().lookup(reference, participant), reference, participant)

    def commit(self, reference: str) -> None:
        super().commit(reference)
        self._write("effects", {"reference": reference, "receipt": self.deliveries.receipt(reference)})

    def close_window(self) -> None:
        super().close_window()
        self._write("window", {})

    def _delivered(self, answer: Answer, reference: str, participant: str) -> Answer:
        if answer.receipt is not None:
            told = {"reference": reference, "participant": participant, "receipt": answer.receipt}
            self._write("deliveries", {**told, "kind": answer.kind})
        return answer

    def _write(self, kind: str, event: dict[str, Any]) -> None:
        self.ledger.append((kind, {**event, "at": self.clock()}))


class Witnessed(RecoveryModel):
    """A model whose histories can be graded."""

    provider_type = WitnessedProvider
    provider: WitnessedProvider

    def history(self) -> dict[str, Any]:
        """Let one more worker run to its end, promptly answered, then let commit what is pending."""
        self.provider.prompt = True
        self.workplace.application.run(INSTANCE.id, SCOPE, self.next_name())
        self.provider.prompt = False
        deliveries = self.provider.deliveries
        for reference in filter(deliveries.is_pending, deliveries.origins):
            self.provider.commit(reference)
        ledger = ledger_of(self.provider.ledger, self.clock())
        return history_of(deliveries.contract, self.store, ledger)

    def snapshot(self) -> Any:
        return super().snapshot(), tuple(self.provider.ledger)

    def restore(self, snapshot: Any) -> None:
        standing, ledger = snapshot
        super().restore(standing)
        self.provider.ledger[:] = ledger
