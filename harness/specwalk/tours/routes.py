"""Shortest ways in a graph: to what is nearest, and to everything at once."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator

from specwalk.graph import StateGraph

__all__ = ["Routes", "nearest"]


class Routes:
    """The shortest ways from some states to all others, by breadth-first search.

    Args:
        avoided: edges over which no way leads.
    """

    def __init__(self, graph: StateGraph, sources: Iterable[int], avoided: Collection[int] = ()) -> None:
        self._graph = graph
        self._avoided = avoided
        self._arrival: dict[int, int | None] = dict.fromkeys(sources)

    def edges(self) -> Iterator[int]:
        """The edges within reach, nearest first."""
        queue = deque(self._arrival)
        while queue:
            for edge in self._graph.out(queue.popleft()):
                if edge in self._avoided:
                    continue
                yield edge
                target = self._graph.target[edge]
                if target not in self._arrival:
                    self._arrival[target] = edge
                    queue.append(target)

    def to(self, edge: int) -> list[int]:
        """The way to an edge that `edges` has given, and over it."""
        way = [edge]
        while (arrival := self._arrival[self._graph.source[way[-1]]]) is not None:
            way.append(arrival)
        return way[::-1]


def nearest(
    graph: StateGraph,
    sources: Iterable[int],
    wanted: Callable[[int], bool],
    avoided: Collection[int] = (),
) -> list[int] | None:
    """The shortest way that ends with a wanted edge, None if none is within reach."""
    routes = Routes(graph, sources, avoided)
    return next((routes.to(edge) for edge in routes.edges() if wanted(edge)), None)
