"""From how often each transition is taken to walks that do so.

Rule 1: a walk ends where more walks must arrive than leave. Joining its end to a new beginning turns all
        walks into one closed trail, which Hierholzer's algorithm finds in one pass over all steps.
Rule 2: transitions are taken in their order in the graph, so equal graphs have equal walks.
Rule 3: what no trail from the necessary beginnings reaches is a closed trail through an initial state,
        and becomes a walk of its own.
"""

from collections.abc import Iterator, Sequence

from specwalk.graph import StateGraph

__all__ = ["split"]


def split(graph: StateGraph, times: Sequence[int]) -> list[list[int]]:
    """Walks, as lists of edges from an initial state on, that take each edge so many times together.

    Args:
        times: for each edge at least 1; states but for initial ones are entered at least as often as left.
    """
    return list(_Trails(graph, times).walks())


class _Trails:
    """Takes steps until none is left. The hub is where ends are joined to beginnings."""

    def __init__(self, graph: StateGraph, times: Sequence[int]) -> None:
        self.graph = graph
        self.hub = len(graph.states)
        self.left = list(times)
        self.ways = [list(reversed(graph.out(state))) for state in range(self.hub)]
        surplus = [0] * self.hub
        for source, target, count in zip(graph.source, graph.target, times, strict=True):
            surplus[source] -= count
            surplus[target] += count
        self.ends = [max(0, count) for count in surplus]
        self.starts = [state for state in reversed(graph.initial) for _ in range(-surplus[state])]

    def walks(self) -> Iterator[list[int]]:
        for origin in (self.hub, *self.graph.initial):
            walk: list[int] = []
            for edge in self._trail(origin):
                if edge is not None:
                    walk.append(edge)
                elif walk:
                    yield walk
                    walk = []
            if walk:
                yield walk

    def _trail(self, origin: int) -> list[int | None]:
        """A closed trail of all steps that are left within reach; None is a step to the hub or from it."""
        stack: list[tuple[int, int | None]] = [(origin, None)]
        trail: list[int | None] = []
        while stack:
            if step := self._leave(stack[-1][0]):
                stack.append(step)
            else:
                trail.append(stack.pop()[1])
        return trail[::-1]

    def _leave(self, place: int) -> tuple[int, int | None] | None:
        """Take a step that is left: where it leads, and its edge."""
        if place == self.hub:
            return (self.starts.pop(), None) if self.starts else None
        ways = self.ways[place]
        while ways and not self.left[ways[-1]]:
            ways.pop()
        if ways:
            self.left[ways[-1]] -= 1
            return self.graph.target[ways[-1]], ways[-1]
        if self.ends[place]:
            self.ends[place] -= 1
            return self.hub, None
        return None
