"""How often each transition must be taken so that a set of walks takes all of them in the fewest steps.

A directed Chinese-postman problem with free resets: walks begin in initial states and may end anywhere.
Take every transition once. A state that is then left more often than it is entered lacks arrivals, one
that is entered more often has arrivals to spare, and an initial state has as many as are wanted. What is
lacked has to come from what there is to spare, over transitions taken again, in the fewest steps: a
minimum-cost flow without capacities, each arc of cost 1.

Rule 1: the potential of a state is the cost of one more arrival there, its distance from what is left
        to spare; an arc may carry flow only where the potential rises by 1 (a tight arc).
Rule 2: each round brings as much flow over tight arcs as there is way for, then computes the potentials
        anew. Those of states that still lack arrivals rise in each round, and never above their distance
        from the initial states, so there are few rounds.
Rule 3: at the end the potentials prove the optimum; `certificate` checks the proof without this module.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from specwalk.graph import StateGraph

__all__ = ["Flow", "least_flow"]

_FAR = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """For each edge how often it is taken; for each state its potential."""

    times: list[int]
    potentials: list[int]


def least_flow(graph: StateGraph) -> Flow:
    """The numbers of times with the least sum, each at least 1."""
    network = _Network(graph)
    while network.lacks_arrivals():
        network.recompute_potentials()
        while network.find_levels():
            network.push()
    times = [1] * len(graph)
    for edge, arc in network.first_edge_of_arcs():
        times[edge] += network.flow[arc]
    return Flow(times=times, potentials=network.potential)


class _Network:
    """The flow so far. Transitions between the same two states are one arc; stutters are none.

    Attributes:
        spare, lack: arrivals that a state has to spare (initial states: no end of them), or lacks.
        tail, head, flow: by arc.
        leaving, entering: the arcs of each state.
        level: distance, by tight arcs, from a state with arrivals to spare; set by `find_levels`.
    """

    def __init__(self, graph: StateGraph) -> None:
        count = len(graph.states)
        balance = [0] * count
        self._arc_of: dict[tuple[int, int], int] = {}
        self._edges: list[int] = []
        self.tail: list[int] = []
        self.head: list[int] = []
        self.leaving: list[list[int]] = [[] for _ in range(count)]
        self.entering: list[list[int]] = [[] for _ in range(count)]
        for edge, (source, target) in enumerate(zip(graph.source, graph.target, strict=True)):
            balance[source] -= 1
            balance[target] += 1
            if source != target and (source, target) not in self._arc_of:
                self._add_arc(source, target, edge)
        self.flow = [0] * len(self.tail)
        self.spare = [max(0, n) for n in balance]
        self.lack = [max(0, -n) for n in balance]
        for state in graph.initial:
            self.spare[state], self.lack[state] = _FAR, 0
        self.potential = [0] * count
        self.level = [0] * count

    def _add_arc(self, source: int, target: int, edge: int) -> None:
        arc = self._arc_of[source, target] = len(self.tail)
        self.tail.append(source)
        self.head.append(target)
        self.leaving[source].append(arc)
        self.entering[target].append(arc)
        self._edges.append(edge)

    def first_edge_of_arcs(self) -> Iterator[tuple[int, int]]:
        """Each arc with the first of its transitions, which is the one that is taken again."""
        return zip(self._edges, range(len(self._edges)), strict=True)

    def lacks_arrivals(self) -> bool:
        return any(self.lack)

    def recompute_potentials(self) -> None:
        """The distance of each state from those with arrivals to spare (Rule 1).

        Going back along an arc takes a step of its flow away. Counted against the potentials so far no arc is
        shorter than nothing, so that states can be taken in the order of their distance, bucket by bucket.
        """
        old = self.potential
        distance = [_FAR] * len(old)
        buckets = [[state for state, spare in enumerate(self.spare) if spare]]
        for state in buckets[0]:
            distance[state] = 0
        for length, bucket in enumerate(buckets):
            for state in bucket:
                if distance[state] != length:
                    continue
                for arc in self.leaving[state]:
                    _reach(self.head[arc], length + 1 + old[state] - old[self.head[arc]], distance, buckets)
                for arc in self.entering[state]:
                    if self.flow[arc]:
                        _reach(self.tail[arc], length, distance, buckets)
        self.potential = [known + far for known, far in zip(old, distance, strict=True)]

    def find_levels(self) -> bool:
        """Number the states by distance over tight arcs; whether any that lacks arrivals is among them."""
        self.level = level = [_FAR] * len(self.level)
        queue = deque(state for state, spare in enumerate(self.spare) if spare)
        for state in queue:
            level[state] = 0
        found = False
        while queue:
            state = queue.popleft()
            found = found or self.lack[state] > 0
            for arc in self.leaving[state]:
                head = self.head[arc]
                if level[head] == _FAR and self.potential[head] == self.potential[state] + 1:
                    level[head] = level[state] + 1
                    queue.append(head)
            for arc in self.entering[state]:
                tail = self.tail[arc]
                if level[tail] == _FAR and self.flow[arc]:
                    level[tail] = level[state] + 1
                    queue.append(tail)
        return found

    def push(self) -> None:
        """Bring flow over tight arcs, each a level on, until no state that lacks can get more."""
        ways = [self._ways_back(state) for state in range(len(self.level))]
        for state in range(len(self.level)):
            while self.lack[state] and (path := self._find_path(state, ways)) is not None:
                self._augment(state, path)

    def _ways_back(self, state: int) -> list[int]:
        """How to come from the level before: over arcs, or, as ~arc, by taking flow away."""
        before = self.level[state] - 1
        if before < 0 or before >= _FAR - 1:
            return []
        risen = self.potential[state] - 1
        entering = [
            arc
            for arc in self.entering[state]
            if self.level[self.tail[arc]] == before and self.potential[self.tail[arc]] == risen
        ]
        leaving = [
            ~arc for arc in self.leaving[state] if self.flow[arc] and self.level[self.head[arc]] == before
        ]
        return leaving + entering

    def _find_path(self, state: int, ways: list[list[int]]) -> list[int] | None:
        """A path to a state from one with arrivals to spare, last arc first; dead ends are struck off."""
        path: list[int] = []
        while not self.spare[state] or self.level[state]:
            while ways[state] and ways[state][-1] < 0 and not self.flow[~ways[state][-1]]:
                ways[state].pop()
            if ways[state]:
                arc = ways[state][-1]
                path.append(arc)
                state = self.tail[arc] if arc >= 0 else self.head[~arc]
            elif path:
                arc = path.pop()
                state = self.head[arc] if arc >= 0 else self.tail[~arc]
                ways[state].pop()
            else:
                return None
        return path

    def _augment(self, state: int, path: list[int]) -> None:
        """Bring as many arrivals to a state as it lacks and the path allows."""
        last = path[-1]
        source = self.tail[last] if last >= 0 else self.head[~last]
        amount = min(self.lack[state], self.spare[source], *(self.flow[~arc] for arc in path if arc < 0))
        for arc in path:
            if arc >= 0:
                self.flow[arc] += amount
            else:
                self.flow[~arc] -= amount
        self.lack[state] -= amount
        self.spare[source] -= amount


def _reach(state: int, length: int, distance: list[int], buckets: list[list[int]]) -> None:
    """A state is at most so far away."""
    if length < distance[state]:
        distance[state] = length
        while len(buckets) <= length:
            buckets.append([])
        buckets[length].append(state)
