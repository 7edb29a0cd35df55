"""What the sights of a log mean on a graph: the model's answers, each asked for once.

Rule 1: a sight is one step of the spec, or none where the model says that it may be seen without one.
Rule 2: unobserved steps may be taken before and after every sight.
"""

from collections.abc import Hashable, Iterator
from typing import Any

from specwalk.errors import BadInput, SpecwalkError
from specwalk.graph import Label, StateGraph
from specwalk.model import Model

__all__ = ["Meaning"]


class Meaning:
    """A model's ``explains`` and ``unobserved`` on the states and edges of a graph."""

    def __init__(self, graph: StateGraph, model: Model) -> None:
        self.graph = graph
        self.model = model
        self._states = [graph.state_dict(state) for state in range(len(graph.states))]
        self._unseen: dict[int, bool] = {}
        self._targets: dict[Hashable, dict[int, frozenset[int]]] = {}

    def targets(self, sight: Hashable, state: int) -> frozenset[int]:
        """Where the spec can be after a sight, from a state."""
        known = self._targets.setdefault(sight, {})
        if state not in known:
            known[state] = frozenset(self._explained(sight, state))
        return known[state]

    def unseen(self, state: int) -> Iterator[int]:
        """Where a single unobserved step leads."""
        return (self.graph.target[edge] for edge in self.graph.out(state) if self._is_unseen(edge))

    def seen(self, state: int) -> Iterator[tuple[Label, int]]:
        """The steps from a state that do not go unobserved, and where they lead."""
        graph = self.graph
        for edge in graph.out(state):
            if not self._is_unseen(edge):
                yield graph.labels[graph.label[edge]], graph.target[edge]

    def steps(self, sight: Hashable) -> list[Label]:
        """The steps that a sight may be, in any state."""
        states = range(len(self._states))
        steps = (step for state in states for step, _ in self._steps(sight, state) if step is not None)
        return list(dict.fromkeys(steps))

    def _is_unseen(self, edge: int) -> bool:
        if edge not in self._unseen:
            graph = self.graph
            before, after = self._states[graph.source[edge]], self._states[graph.target[edge]]
            step = graph.labels[graph.label[edge]]
            self._unseen[edge] = self._ask(self.model.unobserved, step, before, after)
        return self._unseen[edge]

    def _explained(self, sight: Hashable, state: int) -> Iterator[int]:
        return (target for _, target in self._steps(sight, state))

    def _steps(self, sight: Hashable, state: int) -> Iterator[tuple[Label | None, int]]:
        """The steps that a sight may be, from a state."""
        graph = self.graph
        steps = ((graph.labels[graph.label[edge]], graph.target[edge]) for edge in graph.out(state))
        for step, target in ((None, state), *steps):
            if self._ask(self.model.explains, sight, step, self._states[state], self._states[target]):
                yield step, target

    def _ask(self, question: Any, *arguments: object) -> bool:
        try:
            return bool(question(*arguments))
        except SpecwalkError:
            raise
        except Exception as problem:
            asked = f"{type(self.model).__name__}.{question.__name__}"
            about = ", ".join(str(argument) for argument in arguments if not isinstance(argument, dict))
            raise BadInput(f"{asked} fails at {about}: {type(problem).__name__}: {problem}.") from problem
