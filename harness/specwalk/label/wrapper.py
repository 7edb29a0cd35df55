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
Rule 5: the alphabet is printed as well, each event once, by Init and by an invariant.
"""

import re
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from specwalk.config import Config
from specwalk.label.actions import Actions
from specwalk.label.alphabet import EventSetText, Part
from specwalk.label.render import ActionText, Renderer, joined
from specwalk.label.skeleton import World, applied
from specwalk.label.spec import Spec

__all__ = ["AlphabetMode", "Wrapper", "write_wrapper"]

# TLC registers that a spec will hardly use itself: one for Init, one for the invariant.
REGISTERS = (7_340_031, 7_340_032)


class AlphabetMode(Enum):
    """How the wrapper evaluates the alphabet, from the most telling to not at all."""

    FREE = "in every state"
    GUARDED = "where the conditions before it hold"
    NONE = "not at all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """What was written: the root module, by whose name the configuration goes too.

    `owners` maps each module to the lines at which an operator's twin begins, and to that operator.
    """

    root: str
    owners: dict[str, list[tuple[int, str]]]

    def owner(self, module: str, line: int) -> str | None:
        """The operator whose twin stands at a line of a generated module."""
        owners = self.owners.get(module, [])
        place = bisect(owners, line, key=lambda owner: owner[0])
        return owners[place - 1][1] or None if place else None


def write_wrapper(
    folder: Path,
    encoding: str,
    spec: Spec,
    actions: Actions,
    alphabet: AlphabetMode = AlphabetMode.NONE,
    *,
    record: bool = False,
) -> Wrapper:
    """Write the wrapper's modules and configuration into a folder that holds the spec's modules.

    Args:
        record: print whole transitions, `<<variables, event', variables'>>`, and not event' alone.
    """
    writer = _Writer(spec, actions, alphabet, record)
    root = spec.names.of("Root")
    owners: dict[str, list[tuple[int, str]]] = {}
    for name, blocks in writer.modules(root):
        text = f"---- MODULE {name} ----\n"
        owners[name] = []
        for owner, block in blocks:
            owners[name].append((text.count("\n") + 1, owner))
            text += block
        module = folder / f"{name}.tla"
        module.write_text(f"{text}====\n", encoding=encoding, errors="surrogateescape")
    (folder / f"{root}.cfg").write_text(str(writer.config()), encoding=encoding)
    return Wrapper(root=root, owners=owners)


_AND = " /\\ "

# A piece of a module, and the operator that it stands for ("" if none).
_Block: TypeAlias = tuple[str, str]


class _Writer:
    def __init__(self, spec: Spec, actions: Actions, alphabet: AlphabetMode, record: bool) -> None:
        self.spec = spec
        self.actions = actions
        self.record = record
        self.of = spec.names.of
        self.action = ActionText(spec.sources, spec.names)
        self.renderers: list[Renderer] = [self.action]
        self.printed = dict.fromkeys((Part.CONSTANT, Part.STATE), "")
        if alphabet is not AlphabetMode.NONE:
            guarded = alphabet is AlphabetMode.GUARDED
            sets = EventSetText(spec.sources, spec.names, guarded=guarded)
            self.renderers.append(sets)
            self.printed = {part: sets.of(part).text(actions.next) for part in self.printed}

    def config(self) -> Config:
        return replace(
            self.spec.config.stripped(),
            specification=None,
            init=self.of("Init"),
            next=self.of("Next"),
            view=self.of("View"),
            invariants=(self.of("Alphabet"),) if self.printed[Part.STATE] else (),
            action_constraints=(*self.spec.config.action_constraints, self.of("Emit")),
        )

    def modules(self, root: str) -> Iterator[tuple[str, Iterator[_Block]]]:
        for name, extended in self.chain(root):
            yield name, iter([("", f"EXTENDS {extended}\n")])
        yield self.of("Print"), iter([("", self.printing())])
        yield self.of("Wrapper"), self.outermost()
        for world in _inner_worlds(self.actions.world):
            yield self.spec.names.module(world), self.inner(world)

    def chain(self, root: str) -> Iterator[tuple[str, str]]:
        """Empty modules, more than the spec's imports are deep (Rule 3), and what each extends."""
        links = [self.of(f"Link{n}_") for n in range(len(self.spec.tree.modules))]
        yield root, f"{self.spec.tree.root.name}, {links[0]}"
        yield from zip(links, [*links[1:], self.of("Wrapper")], strict=True)

    def printing(self) -> str:
        """The operators that print: strings, since TLC breaks the lines of any other value."""
        tag = self.spec.names.tag
        return (
            "LOCAL INSTANCE TLC\nLOCAL INSTANCE Sequences\n"
            f"{self.of('Text')}(value) == ToString(value)\n"
            f'{self.of("Print")}(value) == PrintT("{tag} " \\o ToString(value))\n'
            f"{self.of('PrintNew')}(register, set) ==\n"
            "  LET new == set \\ TLCGet(register) IN\n"
            "  \\/ new = {}\n"
            "  \\/ /\\ TLCSet(register, TLCGet(register) \\cup new)\n"
            f'     /\\ PrintT("{self.of("set")} " \\o ToString(new))\n'
            + "".join(f"ASSUME TLCSet({register}, {{}})\n" for register in REGISTERS)
        )

    def outermost(self) -> Iterator[_Block]:
        of, tree = self.of, self.spec.tree
        yield "", f"EXTENDS {tree.root.name}, {of('Print')}\nVARIABLE {of('event')}\n"
        yield from self.contents(self.actions.world)
        yield self.spec.behaviour.owner, f"{of('Next')} ==\n{self.action.text(self.actions.next)}\n"
        yield "", f"{of('View')} == <<{', '.join(tree.root.variables)}>>\n"
        yield "", f"{of('Emit')} == {of('Print')}({self.printed_value()})\n"
        yield "", f"{of('Init')} == {joined(_AND, self.init())}\n"
        if self.printed[Part.STATE]:
            # TLC evaluates invariants also in states that a constraint excludes.
            excluded = "".join(f"~{name} \\/ " for name in self.spec.config.constraints)
            printing = self.print_new(Part.STATE, REGISTERS[1])
            yield "", f"{of('Alphabet')} == {excluded}{printing}\n"

    def printed_value(self) -> str:
        event, view = self.of("event"), self.of("View")
        return f"<<{view}, {event}', {view}'>>" if self.record else f"{event}'"

    def init(self) -> Iterator[str]:
        init = self.spec.behaviour.init
        yield from [init] if isinstance(init, str) else map(self.action.copy, init)
        yield f"{self.of('event')} = <<>>"
        if self.printed[Part.CONSTANT]:
            yield self.print_new(Part.CONSTANT, REGISTERS[0])

    def print_new(self, part: Part, register: int) -> str:
        return f"{self.of('PrintNew')}({register},\n{self.printed[part]})"

    def inner(self, world: World) -> Iterator[_Block]:
        variables = [self.of("event"), *(name for _, name in world.carried)]
        yield "", f"EXTENDS {world.module.name}, {self.of('Print')}\n"
        yield "", f"VARIABLES {', '.join(variables)}\n"
        yield from self.contents(world)

    def contents(self, world: World) -> Iterator[_Block]:
        """The instances of inner worlds, and the twins."""
        for inner in world.inner:
            yield "", self.instance(inner)
        for twin in world.twins:
            yield twin.name, "".join(renderer.definitions(twin) for renderer in self.renderers)

    def instance(self, world: World) -> str:
        """The spec's own INSTANCE, of the inner world instead of the module that this extends.

        Variables with the same name in both modules need no WITH: those carried through, and event.
        """
        instance = world.instance
        assert instance is not None, "the outermost world is no instance"
        text = self.spec.sources.copy(instance.location)
        header = re.search(rf"\bINSTANCE\s+{instance.module}\b", text)
        assert header is not None, "SANY saw an INSTANCE here"
        substitution = re.sub(r"\S", " ", text[: header.end()]) + text[header.end() :]
        own = dict(world.carried)
        carried = [f"{own[name]} <- {name}" for name in instance.parameters]
        if carried:
            substitution += f"{', ' if 'WITH' in substitution else ' WITH '}{', '.join(carried)}"
        name = applied(self.spec.names.instance(world), instance.parameters)
        return f"{name} == INSTANCE {self.spec.names.module(world)}\n{substitution}\n"


def _inner_worlds(world: World) -> Iterator[World]:
    for inner in world.inner:
        yield inner
        yield from _inner_worlds(inner)
