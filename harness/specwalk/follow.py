"""Walk a model along transitions from the initial states on.

Rule 1: a walk ends at its last transition, or where the implementation parts from the spec; a transition
        that diverged is avoided from then on.
Rule 2: an event with several successors is a branch point. Where the implementation chooses another one
        than the walk was after, the walk goes on from there, as the plan says.
Rule 3: a successor that the implementation did not choose so many times, while nothing new was taken
        either, is given up. So walks that are planned until nothing is left come to an end.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from specwalk.divergence import Origin, Way
from specwalk.graph import StateGraph
from specwalk.journal import Journal
from specwalk.judge import Diverged, Judge
from specwalk.model import Model
from specwalk.parallel import OnSteps
from specwalk.replay import Driver

__all__ = ["Follower", "Replan"]

# From the state in which the implementation is: the edges to take from there.
Replan = Callable[[int], Sequence[int] | None]

# How often a branch point is tried, for each of its successors, to come to one of them.
TRIES = 10
# Steps between two reports of progress.
STRIDE = 1000


class Follower:
    """One model, walked again and again.

    Attributes:
        journal: what was done so far.
        avoided: edges that diverged or were given up.
        way: the edges of the walk at hand.
    """

    def __init__(
        self,
        graph: StateGraph,
        model: Model,
        origin: Origin,
        on_steps: OnSteps = lambda _: None,
        journal: Journal | None = None,
    ) -> None:
        self.journal = journal or Journal()
        self.avoided = set(self.journal.diverged)
        self.way: list[int] = []
        self._graph = graph
        self._driver = Driver(model, graph.variables)
        self._judge = Judge(graph, self._driver, origin)
        self._calls = [self._driver.bind(label.action, label.arguments) for label in graph.labels]
        self._beginnings: dict[int, Any] = {}
        self._misses: Counter[int] = Counter()
        self._on_steps = on_steps

    def follow(self, route: Sequence[int], replan: Replan) -> None:
        """Walk along edges, of which the first leaves an initial state."""
        ahead = list(reversed(route)) if self.begin(self._graph.source[route[0]]) else []
        while ahead:
            edge = ahead.pop()
            landed = self.take(edge)
            if landed is None:
                return
            if landed != self._graph.target[edge]:
                self.journal.replans += 1
                ahead = list(reversed(replan(landed) or ()))

    def begin(self, state: int) -> bool:
        """Put the implementation into an initial state, by a start the first time: whether it is there."""
        self.journal.walks += 1
        self.way = []
        if state in self._beginnings:
            self._driver.restore(self._beginnings[state])
            return True
        try:
            self._judge.start(state)
        except Diverged as diverged:
            self._report(diverged, state, None, [state])
            self._avoid(self._graph.out(state))
            return False
        if self._driver.rewinds:
            self._beginnings[state] = self._driver.snapshot()
        return True

    def take(self, edge: int) -> int | None:
        """Take a step: where it leads, or None if the implementation parted from the spec."""
        state, label = self._graph.source[edge], self._graph.label[edge]
        successors = {
            self._graph.target[other]: other
            for other in self._graph.out(state)
            if self._graph.label[other] == label
        }
        self.journal.steps += 1
        if not self.journal.steps % STRIDE:
            self._on_steps(STRIDE)
        try:
            landed = self._judge.take(self._calls[label], list(successors))
        except Diverged as diverged:
            self._report(diverged, state, str(self._graph.labels[label]), list(successors))
            self._avoid(successors.values())
            return None
        self._went(successors[landed])
        if landed != self._graph.target[edge]:
            self._missed(edge, TRIES * len(successors))
        return landed

    def _went(self, edge: int) -> None:
        self.way.append(edge)
        if edge not in self.journal.taken:
            self.journal.taken.add(edge)
            self._misses.clear()

    def _missed(self, edge: int, limit: int) -> None:
        self._misses[edge] += 1
        if self._misses[edge] >= limit:
            self.avoided.add(edge)

    def _avoid(self, edges: Collection[int]) -> None:
        self.journal.diverged.update(edges)
        self.avoided.update(edges)

    def _report(self, diverged: Diverged, state: int, step: str | None, allowed: list[int]) -> None:
        start = self._graph.source[self.way[0]] if self.way else state
        labels = (self._graph.labels[self._graph.label[edge]] for edge in self.way)
        way = Way(start=self._graph.state_dict(start), steps=tuple(map(str, labels)))
        divergence = self._judge.report(
            diverged, state=state, step=step, enabled=True, allowed=allowed, way=way
        )
        self.journal.findings.add(divergence)
