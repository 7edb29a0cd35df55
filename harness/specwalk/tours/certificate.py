"""The proof that no set of walks can take every transition in fewer steps.

Give each state a potential: 0 in the initial states, nowhere below 0, and rising by at most 1 along a
transition. Charge a step from u to v with 1 + p(u) - p(v), which then is never below 0. Along a walk the
potentials cancel, so that its charges sum to its length less p(its end), hence to its length at most. As
each transition is taken at least once, all charges, summed once, are a lower bound of all steps.
"""

from collections.abc import Sequence

from specwalk.graph import StateGraph

__all__ = ["lower_bound"]


def lower_bound(graph: StateGraph, potentials: Sequence[int]) -> int:
    """The fewest steps in which walks from the initial states could take every transition.

    Raises:
        ValueError: these potentials prove nothing.
    """
    if min(potentials) < 0 or any(potentials[state] for state in graph.initial):
        raise ValueError("a potential is below 0, or that of an initial state is not 0")
    charges = [1 + potentials[u] - potentials[v] for u, v in zip(graph.source, graph.target, strict=True)]
    if min(charges, default=0) < 0:
        raise ValueError("a potential rises by more than 1 along a transition")
    return sum(charges)
