"""The provider that the model of Recovery.tla plays: it commits, and is heard, when the spec says so."""

from collections.abc import Callable

from abhyasa.recovery import Answer, AnswerKind, Request
from model.providers import Contract, Deliveries
from model.refund import INSTANCE, SCOPE, Clock
from specwalk.model import NotOffered


class PlayedProvider:
    """A provider with a contract. While it is `silent` its answers are lost."""

    def __init__(self, contract: Contract, clock: Clock) -> None:
        self.deliveries = Deliveries(contract=contract)
        self.silent = False
        self.clock = clock

    def send(self, request: Request) -> Callable[[], Answer]:
        """Accept a request, and return what waits for its answer.

        Raises RuntimeError for one that is not of the instance's scope and action (R1).
        """
        if (request.scope, request.action) != (SCOPE, INSTANCE.action_text):
            raise RuntimeError(f"R1: this is for another scope or action: {request}")
        self.deliveries = self.deliveries.accept(request.reference, request.key)
        return lambda: self.answer(request)

    def answer(self, request: Request) -> Answer:
        """Answer a request. Raises NotOffered while there is nothing to say."""
        if self.silent:
            return Answer(kind=AnswerKind.LOST)
        if self.deliveries.is_pending(request.reference):
            raise NotOffered("the request is not answered yet")
        return self.deliveries.answer(request.reference)

    def lookup(self, reference: str, participant: str) -> Answer:
        """Say what became of a delivery."""
        return Answer(kind=AnswerKind.LOST) if self.silent else self.deliveries.look_up(reference)

    def commit(self, reference: str) -> None:
        """Let a request take effect."""
        if not self.deliveries.is_pending(reference):
            raise NotOffered("no such request is pending")
        self.deliveries = self.deliveries.commit(reference)

    def close_window(self) -> None:
        """Forget the keys."""
        if not self.deliveries.deduplicates:
            raise NotOffered("there is no window to close")
        self.deliveries = self.deliveries.close_window(self.clock())
