"""A consequential tool as those have it who call one: a function that acts, and one that looks up.

Rule 1: a receipt is what the other side gave for an effect, as a non-empty text. None is never read as
        "it did not happen", and whatever else is returned is a mistake, never a receipt.
Rule 2: what a function raises ends the run where it stands. The host repeats it, and it recovers.
Rule 3: a refusal is not told apart. What the other side has refused, or a request that surely did not
        leave, leaves the outcome unknown: only a closure certificate would be evidence of no effect
        (R5), and none of the contracts P1 to P3 has one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import iscoroutinefunction

from abhyasa.recovery import Answer, AnswerKind, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A provider made of functions.

    `act` does what a request asks for, and returns the receipt, or None if no answer came: a time-out
    is no refusal. It passes `reference`, which names the delivery, on to the other side, and `key` where
    that deduplicates (an Idempotency-Key header, say).
    `find` returns the receipt of the delivery that has a reference, None if there is none yet; where the
    question failed it raises. Leave it out where the other side cannot be asked: what got no answer then
    stays unknown.

    Raises TypeError for a coroutine function. A ValueError at a call says what was no receipt.
    """

    act: Callable[[Request], str | None]
    find: Callable[[str], str | None] | None = None

    def __post_init__(self) -> None:
        for name, function in (("act", self.act), ("find", self.find)):
            if iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__):
                raise TypeError(f"{name} is a coroutine function, and nobody awaits it: give a function")

    def send(self, request: Request) -> Callable[[], Answer]:
        """Act, and return what tells the answer."""
        answer = _told(AnswerKind.ACK, AnswerKind.LOST, self.act(request))
        return lambda: answer

    def lookup(self, reference: str, participant: str) -> Answer:
        """Ask what became of a delivery."""
        if self.find is None:
            return Answer(kind=AnswerKind.UNSUPPORTED)
        return _told(AnswerKind.FOUND, AnswerKind.EMPTY, self.find(reference))


def _told(found: AnswerKind, otherwise: AnswerKind, receipt: str | None) -> Answer:
    return Answer(kind=otherwise if receipt is None else found, receipt=receipt)
