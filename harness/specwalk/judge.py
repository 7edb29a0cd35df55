"""Whether the implementation did at one step what the spec allows.

Rule 1: a step that the spec enables is offered, and ends in one of its successors.
Rule 2: any other action instance is not offered, or does instead what the spec allows in that state.
Rule 3: whatever the implementation raises is a divergence; what the model gets wrong is a BadInput.

Every way of walking asks here; which steps to take, and from where, is its own matter.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from specwalk.divergence import Divergence, Kind, Origin, Way
from specwalk.replay import Driver, Observed, explain
from specwalk.values import Value

__all__ = ["Diverged", "Judge", "States", "allowed_instead"]


class States(Protocol):
    """Numbered states: those of a graph, or of a behaviour."""

    @property
    def states(self) -> Sequence[tuple[Value, ...]]:
        """Their values."""

    def state_dict(self, state: int, /) -> dict[str, Value]:
        """One of them as a mapping from variables to values."""


class Diverged(Exception):
    """The implementation parted from the spec in the step at hand; its cause is what that raised."""

    def __init__(
        self, kind: Kind, detail: str = "", *, observed: Observed | None = None, same_as: Way | None = None
    ) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail
        self.observed = observed
        self.same_as = same_as


class Judge:
    """Does steps on one model; all of its methods raise Diverged where spec and implementation part."""

    def __init__(self, graph: States, driver: Driver, origin: Origin) -> None:
        self.graph = graph
        self.driver = driver
        self.origin = origin

    def start(self, state: int) -> None:
        """Start the implementation in an initial state."""
        try:
            self.driver.start(self.graph.state_dict(state))
        except BaseException as error:
            raise Diverged(Kind.RAISED, explain(error)) from error
        self.land([state], Kind.WRONG_START)

    def perform(self, call: Callable[[], None]) -> str | None:
        """Do a step: None, or why the implementation offers no such step."""
        try:
            return self.driver.perform(call)
        except BaseException as error:
            raise Diverged(Kind.RAISED, explain(error)) from error

    def take(self, call: Callable[[], None], allowed: Sequence[int]) -> int:
        """Do a step that the spec enables: the state in which it ends."""
        refusal = self.perform(call)
        if refusal is not None:
            raise Diverged(Kind.NOT_OFFERED, refusal)
        return self.land(allowed, Kind.WRONG_STATE)

    def land(self, allowed: Sequence[int], otherwise: Kind) -> int:
        """The allowed state in which the implementation is; where it is in none, ``otherwise``."""
        try:
            observed = self.driver.observe()
            place = self.driver.place([self.graph.states[target] for target in allowed], observed)
            if place is not None:
                self.driver.check_types(self.graph.states[allowed[place]], observed)
                return allowed[place]
        except BaseException as error:
            raise Diverged(Kind.UNOBSERVABLE, explain(error)) from error
        raise Diverged(otherwise, observed=observed)

    def report(
        self,
        diverged: Diverged,
        *,
        state: int,
        step: str | None,
        enabled: bool,
        allowed: Sequence[int],
        way: Way,
    ) -> Divergence:
        """What diverged, with where and how to see it again.

        Args:
            state: the state before.
            step, enabled, allowed, way: as in Divergence.
        """
        observed = diverged.observed
        return Divergence(
            kind=diverged.kind,
            origin=self.origin,
            step=step,
            enabled=enabled,
            way=way,
            before=self.graph.state_dict(state),
            allowed=tuple(self.graph.state_dict(target) for target in allowed),
            observed=None if observed is None else self.driver.read(observed),
            same_as=diverged.same_as,
            detail=diverged.detail,
        )


def allowed_instead(state: int, events: Mapping[Any, Sequence[int]]) -> list[int]:
    """Where an action instance that the spec does not enable in a state may lead.

    ``events`` are the successors of each one that it enables there.
    """
    return list(dict.fromkeys((state, *(target for targets in events.values() for target in targets))))
