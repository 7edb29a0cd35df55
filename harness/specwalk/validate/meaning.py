"""What the sights of a log mean on the graphs of some instances: the models' answers, each asked for once.

Rule 1: a sight is one step of the spec, or none where the model says that it may be seen without one.
Rule 2: unobserved steps may be taken before and after every sight.
Rule 3: a subject may be any one of the instances, so they stand side by side, their states in one numbering.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from specwalk.errors import BadInput, SpecwalkError
from specwalk.graph import Label, StateGraph
from specwalk.model import Model
from specwalk.values import Value

__all__ = ["Machine", "Meaning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """An instance: its graph, and its model at the same bounds."""

    graph: StateGraph
    model: Model


class Meaning:
    """The models' ``explains`` and ``unobserved`` on the states and transitions of some instances.

    Attributes:
        machines: the instances.
        initial: the initial states of all of them.
    """

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.machines = machines
        graphs = [machine.graph for machine in machines]
        firsts = list(accumulate((len(graph.states) for graph in graphs), initial=0))
        self.initial = [
            first + n for first, graph in zip(firsts, graphs, strict=False) for n in graph.initial
        ]
        self._states = [graph.state_dict(n) for graph in graphs for n in range(len(graph.states))]
        self._homes = [
            (machine, first)
            for machine, first in zip(machines, firsts, strict=False)
            for _ in machine.graph.states
        ]
        self._steps: dict[int, list[tuple[Label, int, bool]]] = {}
        self._targets: dict[Hashable, dict[int, frozenset[int]]] = {}

    def state(self, state: int) -> Mapping[str, Value]:
        """A state's variables."""
        return self._states[state]

    def targets(self, sight: Hashable, state: int) -> frozenset[int]:
        """Where the spec can be after a sight, from a state."""
        known = self._targets.setdefault(sight, {})
        if state not in known:
            known[state] = frozenset(target for _, target in self._explained(sight, state))
        return known[state]

    def unseen(self, state: int) -> Iterator[int]:
        """Where a single unobserved step leads."""
        return (target for _, target, unseen in self._leaving(state) if unseen)

    def seen(self, state: int) -> Iterator[tuple[Label, int]]:
        """The steps from a state that do not go unobserved, and where they lead."""
        return ((step, target) for step, target, unseen in self._leaving(state) if not unseen)

    def steps(self, sight: Hashable) -> list[Label]:
        """The steps that a sight may be, in any state."""
        found = (step for state in range(len(self._states)) for step, _ in self._explained(sight, state))
        return list(dict.fromkeys(step for step in found if step is not None))

    def _leaving(self, state: int) -> list[tuple[Label, int, bool]]:
        """The steps from a state, where they lead, and whether they go unobserved."""
        if state not in self._steps:
            machine, first = self._homes[state]
            graph, ask = machine.graph, machine.model.unobserved
            steps = [
                (graph.labels[graph.label[edge]], first + graph.target[edge])
                for edge in graph.out(state - first)
            ]
            before = self._states[state]
            self._steps[state] = [
                (step, target, _ask(ask, step, before, self._states[target])) for step, target in steps
            ]
        return self._steps[state]

    def _explained(self, sight: Hashable, state: int) -> Iterator[tuple[Label | None, int]]:
        """The steps that a sight may be, from a state, and where they lead."""
        ask, before = self._homes[state][0].model.explains, self._states[state]
        if _ask(ask, sight, None, before, before):
            yield None, state
        for step, target, _ in self._leaving(state):
            if _ask(ask, sight, step, before, self._states[target]):
                yield step, target


def _ask(question: Any, *arguments: object) -> bool:
    try:
        return bool(question(*arguments))
    except SpecwalkError:
        raise
    except Exception as problem:
        about = ", ".join(str(argument) for argument in arguments if not isinstance(argument, dict))
        raise BadInput(
            f"{question.__qualname__} fails at {about}: {type(problem).__name__}: {problem}."
        ) from problem
