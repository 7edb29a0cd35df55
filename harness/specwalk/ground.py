"""One instance of a model, ready to be walked: its graph, and how to make its model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from specwalk.divergence import Origin
from specwalk.errors import BadInput
from specwalk.gaps import find_gaps
from specwalk.graph import StateGraph, explore
from specwalk.model import Model
from specwalk.progress import Progress
from specwalk.project import Binding, Instance, constants_of, new_model

__all__ = ["Ground", "survey"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What walks need."""

    instance: Instance
    binding: Binding
    graph: StateGraph

    @property
    def origin(self) -> Origin:
        return Origin(model=self.binding.name, config=self.instance.config.name)

    @property
    def constants(self) -> Mapping[str, Any]:
        return constants_of(self.instance.config)

    def new_model(self) -> Model:
        """A model of its own for each walker."""
        return new_model(self.binding, self.instance.config)


def survey(binding: Binding, instance: Instance, timeout: float | None, progress: Progress) -> Ground:
    """Let TLC list every transition, and see that the model fits the spec.

    Raises:
        BadInput: it does not, or spec or configuration are wrong.
        EnvironmentProblem: TLC could not do its work.
    """
    progress.phase(f"{instance.name}: TLC lists every transition")
    graph = explore(binding.spec, instance.config, timeout=timeout, on_progress=progress.counted)
    ground = Ground(instance=instance, binding=binding, graph=graph)
    if gaps := find_gaps(ground.new_model(), graph):
        raise BadInput(
            "\n".join([*gaps.problems, f"`specwalk check {binding.name}` writes out what is missing."])
        )
    return ground
