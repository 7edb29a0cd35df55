"""Writes the wrapper modules that make TLC label every edge with its action and parameters.

Rule 1: the spec is not modified. The wrapper extends it, adds one variable, and conjoins to each
leaf action `event' = <<number, parameters>>`; the spec's own variables are the VIEW, so no state is
split by it.
Rule 2: an action constraint, the last one, prints event'; with one worker, TLC evaluates it exactly
when it writes an edge to the dump, so the n-th print belongs to the n-th edge.
Rule 3: the root is an empty module with a chain of empty modules to the wrapper, since SANY reads
breadth first and TLC orders strings as it first met them: a wrapper read before the spec's modules
could change what CHOOSE takes.
Rule 4: no PROPERTY, SYMMETRY or foreign VIEW may stand in the wrapper's configuration: the first
prints too often, the others merge states.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from specwalk.actions import Actions
from specwalk.behaviour import Behaviour
from specwalk.config import Config
from specwalk.render import ActionText, Names, applied
from specwalk.skeleton import World
from specwalk.sources import Sources
from specwalk.tree import Tree

__all__ = ["write_wrapper"]


def write_wrapper(
    folder: Path,
    encoding: str,
    *,
    tree: Tree,
    sources: Sources,
    config: Config,
    behaviour: Behaviour,
    actions: Actions,
    names: Names,
) -> str:
    """Write the wrapper's modules and configuration into a folder that holds the spec's modules.

    Returns:
        The name of the root module, which is that of the configuration too.
    """
    wrapper = _Wrapper(sources, names)
    root = names.of("Root")
    modules = dict(wrapper.chain(root, tree))
    modules[names.of("Print")] = wrapper.printing()
    modules[names.of("Wrapper")] = wrapper.outermost(tree, behaviour, actions)
    for world in _inner_worlds(actions.world):
        modules[names.module(world)] = wrapper.inner(world)
    for name, body in modules.items():
        text = f"---- MODULE {name} ----\n{body}====\n"
        (folder / f"{name}.tla").write_text(text, encoding=encoding)
    export = replace(
        config.stripped(),
        specification=None,
        init=names.of("Init"),
        next=names.of("Next"),
        view=names.of("View"),
        action_constraints=(*config.action_constraints, names.of("Emit")),
    )
    (folder / f"{root}.cfg").write_text(str(export), encoding=encoding)
    return root


class _Wrapper:
    def __init__(self, sources: Sources, names: Names) -> None:
        self.sources = sources
        self.names = names
        self.action = ActionText(sources, names)

    def chain(self, root: str, tree: Tree) -> Iterator[tuple[str, str]]:
        """Empty modules, more than the spec's imports are deep (Rule 3)."""
        links = [self.names.of(f"Link{n}_") for n in range(len(tree.modules))]
        yield root, f"EXTENDS {tree.root.name}, {links[0]}\n"
        for link, following in zip(links, [*links[1:], self.names.of("Wrapper")], strict=True):
            yield link, f"EXTENDS {following}\n"

    def printing(self) -> str:
        """The operators that print: a string, since TLC breaks the lines of any other value."""
        tag = self.names.tag
        return (
            "LOCAL INSTANCE TLC\nLOCAL INSTANCE Sequences\n"
            f'{self.names.of("Print")}(value) == PrintT("{tag} " \\o ToString(value))\n'
        )

    def outermost(self, tree: Tree, behaviour: Behaviour, actions: Actions) -> str:
        of = self.names.of
        init = behaviour.init
        states = init if isinstance(init, str) else " /\\ ".join(map(self.action.copy, init))
        return (
            f"EXTENDS {tree.root.name}, {of('Print')}\n"
            f"VARIABLE {of('event')}\n"
            f"{self.contents(actions.world)}"
            f"{of('View')} == <<{', '.join(tree.root.variables)}>>\n"
            f"{of('Init')} == {states} /\\ {of('event')} = <<>>\n"
            f"{of('Next')} == {self.action.text(actions.next)}\n"
            f"{of('Emit')} == {of('Print')}({of('event')}')\n"
        )

    def inner(self, world: World) -> str:
        variables = [self.names.of("event"), *(name for _, name in world.carried)]
        return (
            f"EXTENDS {world.module.name}, {self.names.of('Print')}\n"
            f"VARIABLES {', '.join(variables)}\n"
            f"{self.contents(world)}"
        )

    def contents(self, world: World) -> str:
        """The instances of inner worlds, and the twins."""
        instances = "".join(map(self.instance, world.inner))
        return instances + "".join(map(self.action.definition, world.twins))

    def instance(self, world: World) -> str:
        """The spec's own INSTANCE, of the inner world instead of the module that this extends.

        Variables with the same name in both modules need no WITH: those carried through, and event.
        """
        instance = world.instance
        assert instance is not None, "the outermost world is no instance"
        text = self.sources.copy(instance.location)
        header = re.search(rf"\bINSTANCE\s+{instance.module}\b", text)
        assert header is not None, "SANY saw an INSTANCE here"
        substitution = re.sub(r"\S", " ", text[: header.end()]) + text[header.end() :]
        own = dict(world.carried)
        carried = [f"{own[name]} <- {name}" for name in instance.parameters]
        if carried:
            substitution += f"{', ' if 'WITH' in substitution else ' WITH '}{', '.join(carried)}"
        name = applied(self.names.instance(world), instance.parameters)
        return f"{name} == INSTANCE {self.names.module(world)}\n{substitution}\n"


def _inner_worlds(world: World) -> Iterator[World]:
    for inner in world.inner:
        yield inner
        yield from _inner_worlds(inner)
