"""What a state machine is about: a graph, and behaviours of the implementation."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from specwalk.divergence import Origin
from specwalk.errors import BadInput
from specwalk.gaps import find_gaps
from specwalk.graph import StateGraph, explore
from specwalk.model import Model
from specwalk.project import Binding, new_model
from specwalk.stateful.behaviour import Behaviour
from specwalk.stateful.steps import Steps

__all__ = ["Subject", "load_subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A graph, how to make the model, and the names by which a snippet finds it."""

    graph: StateGraph
    new_model: Callable[[], Model]
    origin: Origin

    def behaviour(self) -> Behaviour:
        """A behaviour that has not started, on a new model."""
        return Behaviour(Steps(self.graph), self.new_model(), self.origin)


def load_subject(binding: Binding, config: Path) -> Subject:
    """A model at the bounds of a configuration, whose graph is explored once in a process.

    Raises:
        BadInput: the model does not fit the spec, or as `explore`.
        EnvironmentProblem: as `explore`.
    """
    graph = _explored(binding.spec, config)
    if gaps := find_gaps(new_model(binding, config), graph):
        raise BadInput("\n".join(gaps.problems))
    return Subject(
        graph=graph,
        new_model=partial(new_model, binding, config),
        origin=Origin(model=binding.name, config=os.path.relpath(config, binding.spec.parent)),
    )


@cache
def _explored(spec: Path, config: Path) -> StateGraph:
    return explore(spec, config)
