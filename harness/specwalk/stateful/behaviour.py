"""One behaviour of the implementation, from a start on, every step judged.

Rule 1: a behaviour is one of a new model and keeps nothing that another one sees.
Rule 2: what the spec enables is taken, and of several successors the behaviour follows the one that the
        implementation chose; anything else is attempted, and refused or done as the spec allows.
Rule 3: where it comes to a state again, all durable content is the same as when it first came there.
"""

from collections.abc import Hashable, Sequence

from specwalk.divergence import TRY, Divergence, Kind, Origin, Way, content_difference
from specwalk.judge import Diverged, Judge, allowed_instead
from specwalk.model import Model
from specwalk.replay import Driver
from specwalk.stateful.steps import Steps

__all__ = ["Behaviour", "Parted"]


class Parted(Exception):
    """A behaviour parted from the spec; its cause is what the implementation raised, if it did."""

    def __init__(self, divergence: Divergence) -> None:
        super().__init__(divergence.headline)
        self.divergence = divergence


class Behaviour:
    """What one model has done.

    Attributes:
        states: those that it was in, in order; the last one is where it is.
        texts: the action instances performed there, the one that diverged included.
        done: states, each with an action instance that was performed there.
        transitions: those of the spec that were taken.
    """

    def __init__(self, steps: Steps, model: Model, origin: Origin) -> None:
        self.states: list[int] = []
        self.texts: list[str] = []
        self.done: set[tuple[int, str]] = set()
        self.transitions: set[tuple[int, str, int]] = set()
        self._steps = steps
        self._graph = steps.graph
        self._driver = Driver(model, steps.graph.variables)
        self._judge = Judge(steps.graph, self._driver, origin)
        # By state: its content at the first arrival, and how many steps led there.
        self._contents: dict[int, tuple[Hashable, int]] = {}

    def start(self, state: int) -> None:
        """Start the implementation in an initial state.

        Raises:
            Parted: it does not start there.
        """
        self.states.append(state)
        try:
            self._judge.start(state)
        except Diverged as diverged:
            raise self._parted(diverged, None, True, [state]) from diverged.__cause__
        self._arrive(state)

    def perform(self, text: str) -> None:
        """Take an action instance, or attempt it where the spec does not enable it.

        Raises:
            Parted: the implementation does something else than the spec.
        """
        state = self.states[-1]
        events = self._steps.events(state)
        enabled = text in events
        allowed = events[text] if enabled else allowed_instead(state, events)
        self.texts.append(text)
        self.done.add((state, text))
        try:
            target = self._perform(text, enabled, allowed)
        except Diverged as diverged:
            raise self._parted(diverged, text, enabled, allowed) from diverged.__cause__
        if enabled:
            self.transitions.add((state, text, target))
        self.states.append(target)

    # What the next step may be; with nothing to choose from, anything

    def anything(self) -> list[str]:
        """All action instances."""
        return list(self._steps.labels)

    def untaken(self) -> list[str]:
        """The events here that were not taken yet, or where to go for some."""
        return self._steps.untaken(self.states[-1], self.done) or self.anything()

    def forbidden(self) -> list[str]:
        """What the spec does not enable here, if possible not attempted yet."""
        return self._steps.untried(self.states[-1], self.done) or self.anything()

    def _perform(self, text: str, enabled: bool, allowed: Sequence[int]) -> int:
        label = self._steps.labels[text]
        call = self._driver.bind(label.action, label.arguments)
        if enabled:
            target = self._judge.take(call, allowed)
        else:
            self._judge.perform(call)
            target = self._judge.land(allowed, Kind.NOT_REFUSED)
        self._arrive(target)
        return target

    def _arrive(self, state: int) -> None:
        """Compare durable content with that of the first arrival, if this is not the first."""
        content = self._driver.content()
        first, length = self._contents.setdefault(state, (content, len(self.texts)))
        if content != first:
            same_as = self._way(length)
            raise Diverged(
                Kind.HIDDEN_STATE,
                content_difference(content, first, same_as),
                observed=self._graph.state_dict(state),
                same_as=same_as,
            )

    def _parted(self, diverged: Diverged, step: str | None, enabled: bool, allowed: Sequence[int]) -> Parted:
        divergence = self._judge.report(
            diverged,
            state=self.states[-1],
            step=step,
            enabled=enabled,
            allowed=allowed,
            way=self._way(len(self.states) - 1),
        )
        return Parted(divergence)

    def _way(self, length: int) -> Way:
        """The first steps of this behaviour."""
        taken = list(zip(self.states, self.texts, strict=False))[:length]
        return Way(
            start=self._graph.state_dict(self.states[0]),
            steps=tuple(f"{'' if text in self._steps.events(state) else TRY}{text}" for state, text in taken),
        )
