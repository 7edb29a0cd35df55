"""The states that a walk has reached: how it came there, and how to put the model back there.

Rule 1: the way to a state is that of its first arrival, hence a shortest one.
Rule 2: with snapshots the model is put back by one; without, by going that way again. Where it is
        seen to stand there untouched, nothing need be put back.
Rule 3: a snapshot is dropped when its state is done, so their memory is that of the frontier.
Rule 4: durable content is kept itself, as a hash would not tell all contents apart. States have most
        of its parts (rows, for a store) in common, and each part is kept once.
"""

from collections.abc import Callable, Hashable
from typing import Any, NoReturn

from specwalk.divergence import Way, content_difference, state_text
from specwalk.errors import BadInput
from specwalk.graph import Label, StateGraph
from specwalk.replay import Driver, explain

__all__ = ["Reached"]


class Reached:
    """States in the order of their numbers in the graph, each with its first arrival.

    Args:
        labels, calls: the action instances, and how to make the model do them, by number.
    """

    def __init__(
        self, graph: StateGraph, driver: Driver, labels: list[Label], calls: list[Callable[[], None]]
    ) -> None:
        self._graph = graph
        self._driver = driver
        self._labels = labels
        self._calls = calls
        self._arrivals: dict[int, tuple[int, int] | None] = {}
        self._snapshots: dict[int, Any] = {}
        self._untouched: int | None = None
        self._contents: dict[int, Hashable] = {}
        self._parts: dict[Hashable, Hashable] = {}

    def __contains__(self, state: int) -> bool:
        return state in self._arrivals

    def arrive(self, state: int, arrival: tuple[int, int] | None) -> None:
        """The model stands in a new state; ``arrival`` is the state and label that led here, if any."""
        self._arrivals[state] = arrival
        self._contents[state] = self._shared(self._driver.content())
        if self._driver.rewinds:
            self._snapshots[state] = self._driver.snapshot()

    def drop(self, state: int) -> None:
        """Forget how to put the model back to a state that is done."""
        self._snapshots.pop(state, None)

    def way(self, state: int) -> Way:
        """A shortest way to a state that was reached."""
        start, labels = self._trace(state)
        return Way(
            start=self._graph.state_dict(start), steps=tuple(str(self._labels[number]) for number in labels)
        )

    def rewind(self, state: int) -> None:
        """Put the model into a state that was reached, for a step from there."""
        untouched, self._untouched = self._untouched, None
        if untouched == state:
            return
        if self._driver.rewinds:
            self._driver.restore(self._snapshots[state])
        else:
            self._repeat(state)

    def is_untouched(self, state: int) -> bool:
        """Whether nothing at all has changed since the model was put into this state."""
        if self._driver.rewinds and self._driver.snapshot() == self._snapshots[state]:
            self._untouched = state
        return self._untouched == state

    def check(self, state: int) -> None:
        """Put the model into a state and see that it is there.

        Raises:
            BadInput: it is not: the model's restore, or the implementation's repetition, goes astray.
        """
        self.rewind(state)
        try:
            observed = self._driver.observe()
            if not self._driver.is_at(self._graph.states[state], observed):
                self._astray(state, f"now {state_text(self._driver.read(observed))}")
        except BaseException as error:
            self._astray(state, explain(error))

    def content_differs(self, state: int, content: Hashable) -> str | None:
        """How durable content differs from that of a state at its first arrival; None if it does not."""
        other = self._contents[state]
        if content == other:
            return None
        return content_difference(content, other, self.way(state))

    def _shared(self, content: Hashable) -> Hashable:
        if isinstance(content, tuple):
            return tuple(self._parts.setdefault(part, part) for part in content)
        return content

    def _repeat(self, state: int) -> None:
        start, labels = self._trace(state)
        try:
            self._driver.start(self._graph.state_dict(start))
            refusals = [self._driver.perform(self._calls[number]) for number in labels]
        except BaseException as error:
            self._astray(state, explain(error))
        if any(refusal is not None for refusal in refusals):
            self._astray(state, "a step is no longer offered")

    def _trace(self, state: int) -> tuple[int, list[int]]:
        labels = []
        while (arrival := self._arrivals[state]) is not None:
            state, label = arrival
            labels.append(label)
        return state, labels[::-1]

    def _astray(self, state: int, why: str) -> NoReturn:
        advice = (
            "Correct its snapshot() and restore()."
            if self._driver.rewinds
            else "Make the implementation repeatable, or give the model snapshot() and restore()."
        )
        raise BadInput(
            f"The model cannot be put back into the state after {self.way(state)}, "
            f"{state_text(self._graph.state_dict(state))}: {why}. {advice}"
        )
