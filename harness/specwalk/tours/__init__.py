"""Walks from the initial states that take every transition in the fewest steps.

``flow`` finds how often each transition must be taken, ``walks`` makes walks of that, and ``certificate``
proves from the potentials alone that fewer steps cannot do.
"""

from dataclasses import dataclass

from specwalk.graph import StateGraph
from specwalk.tours.certificate import lower_bound
from specwalk.tours.flow import least_flow
from specwalk.tours.walks import split

__all__ = ["Tours", "lower_bound", "plan_tours"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tours:
    """A plan of walks.

    Attributes:
        walks: each the numbers of its edges, the first of which leaves an initial state.
        potentials: for each state a number with which `lower_bound` proves that there is no shorter plan.
    """

    walks: list[list[int]]
    potentials: list[int]

    @property
    def steps(self) -> int:
        """The number of steps of all walks."""
        return sum(map(len, self.walks))


def plan_tours(graph: StateGraph) -> Tours:
    """Walks that take every transition of a graph in the fewest steps; equal graphs get equal plans."""
    flow = least_flow(graph)
    return Tours(walks=split(graph, flow.times), potentials=flow.potentials)
