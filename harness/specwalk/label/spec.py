"""A spec as it is explored: its tree, its sources, its configuration, and names for what is added."""

from dataclasses import dataclass

from specwalk.config import Config
from specwalk.label.behaviour import Behaviour
from specwalk.label.skeleton import World
from specwalk.sany.sources import Sources
from specwalk.sany.tree import Tree

__all__ = ["Names", "Spec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of what is generated, all made with a tag that no module of the spec contains."""

    tag: str

    def of(self, name: str) -> str:
        return f"{name}_{self.tag}"

    def module(self, world: World) -> str:
        return f"{world.module.name}_{self.tag}{world.number}"

    def instance(self, world: World) -> str:
        """How the world around an inner world calls it."""
        return f"I_{self.tag}{world.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """Everything that is known of a spec before it is wrapped."""

    tree: Tree
    sources: Sources
    config: Config
    behaviour: Behaviour
    names: Names
