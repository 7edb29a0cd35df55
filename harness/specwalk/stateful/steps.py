"""The steps that a graph offers, by their text: which there are, which to prefer.

An action instance is known by its text, such as ``Lose(o1)``, which is what Hypothesis prints and what
a snippet repeats. An *event* is an action instance that the spec enables in a state.
"""

from collections import deque
from collections.abc import Set

from specwalk.graph import Label, StateGraph

__all__ = ["Done", "Steps"]

# The states and texts that a behaviour has been through.
Done = Set[tuple[int, str]]


class Steps:
    """The action instances of a graph; nothing here changes.

    Attributes:
        labels: each action instance of the alphabet, by its text.
    """

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self.labels: dict[str, Label] = {str(label): label for label in (*graph.alphabet, *graph.labels)}
        self._texts = [str(label) for label in graph.labels]

    def events(self, state: int) -> dict[str, list[int]]:
        """The successors of each action instance that the spec enables in a state."""
        events: dict[str, list[int]] = {}
        for edge in self.graph.out(state):
            events.setdefault(self._texts[self.graph.label[edge]], []).append(self.graph.target[edge])
        return events

    def untaken(self, state: int, done: Done) -> list[str]:
        """Of the events here that are not done yet those that lead to the most others: so a behaviour
        goes on for long. If all are done, the first step of a shortest way to one that is not; if no way
        leads to one, all events here."""
        seen = {state}
        queue: deque[tuple[int, str]] = deque([(state, "")])
        while queue:
            at, first = queue.popleft()
            events = self.events(at)
            if fresh := [event for event in events if (at, event) not in done]:
                return [first] if first else self._leading_on(at, fresh, done)
            for event, targets in events.items():
                unseen = [target for target in targets if target not in seen]
                seen.update(unseen)
                queue.extend((target, first or event) for target in unseen)
        return list(self.events(state))

    def _leading_on(self, state: int, fresh: list[str], done: Done) -> list[str]:
        events = self.events(state)
        ahead = {event: max(self._left(target, done) for target in events[event]) for event in fresh}
        most = max(ahead.values())
        return [event for event in fresh if ahead[event] == most]

    def _left(self, state: int, done: Done) -> int:
        return sum((state, event) not in done for event in self.events(state))

    def untried(self, state: int, done: Done) -> list[str]:
        """The action instances that the spec forbids here; those not tried yet, if there are any."""
        events = self.events(state)
        forbidden = [text for text in self.labels if text not in events]
        return [text for text in forbidden if (state, text) not in done] or forbidden
