"""The model of Recovery.tla with a provider that keeps a ledger, so that the study's checker can grade it."""

from collections.abc import Callable, Mapping
from typing import Any

from abhyasa.recovery import Answer, Request
from model.recovery import RecoveryModel
from model.refund import INSTANCE, SCOPE
from specwalk.values import Value
from tests.recovery.client import request_body
from tests.recovery.providers import ledger_of
from tests.recovery.stage import history_of


class Witnessed(RecoveryModel):
    """A model, and a witness of what its provider does."""

    def start(self, initial: Mapping[str, Value]) -> None:
        self.ledger: list[tuple[str, dict[str, Any]]] = []
        self.prompt = False
        super().start(initial)

    def history(self) -> dict[str, Any]:
        """Let one more worker run to its end, promptly answered, then let commit what is pending."""
        self.workers.clear()
        self.prompt = True
        self.workplace.application.run(INSTANCE.id, SCOPE, "worker")
        self.prompt = False
        for reference in filter(self.deliveries.is_pending, list(self.deliveries.origins)):
            self._take_effect(reference)
        return history_of(self.deliveries.contract, self.store, ledger_of(self.ledger, self.clock()))

    def send(self, request: Request) -> Callable[[], Answer]:
        self._write("requests", request_body(request))
        return super().send(request)

    def lookup(self, reference: str, participant: str) -> Answer:
        self._write("lookups", {"reference": reference, "participant": participant})
        return self._delivered(super().lookup(reference, participant), reference)

    def _answer(self, reference: str) -> Answer:
        if self.prompt and self.deliveries.is_pending(reference):
            self._take_effect(reference)
        return self._delivered(super()._answer(reference), reference)

    def _delivered(self, answer: Answer, reference: str) -> Answer:
        if answer.receipt is not None:
            told = {"reference": reference, "participant": "worker", "receipt": answer.receipt}
            self._write("deliveries", {**told, "kind": answer.kind})
        return answer

    def _take_effect(self, reference: str) -> None:
        super()._take_effect(reference)
        self._write("effects", {"reference": reference, "receipt": self.deliveries.receipt(reference)})

    def _close_window(self) -> None:
        super()._close_window()
        self._write("window", {})

    def _write(self, kind: str, event: dict[str, Any]) -> None:
        self.ledger.append((kind, {**event, "at": self.clock()}))

    def snapshot(self) -> Any:
        return super().snapshot(), tuple(self.ledger)

    def restore(self, snapshot: Any) -> None:
        standing, ledger = snapshot
        super().restore(standing)
        self.ledger[:] = ledger
