"""Which formulas of Next are split further, and which operators their parts apply.

Rule 1: split are disjunction, `\\E` over a set, IF, CASE, LET, operators and operators of instances,
and a conjunction with exactly one splittable conjunct.
Rule 2: not looked into are recursive operators, those that take operators, infix ones, LET with
RECURSIVE or INSTANCE, and whatever was demoted because SANY would not take its twin.
Rule 3: `Op <- Other` in the configuration puts Other's body in Op's place.
"""

from dataclasses import dataclass

from specwalk.label.skeleton import Step, World
from specwalk.label.spec import Spec
from specwalk.sany.tree import (
    Apply,
    Definition,
    Formula,
    Instance,
    Let,
    Level,
    Location,
    Other,
    located,
)

__all__ = ["Splitter", "Target", "arms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What an application applies: an operator of `world`, reached through `path`.

    `definition` is the operator that the spec names, `body` the one that the configuration puts in
    its place, mostly the same.
    """

    world: World
    path: tuple[Step, ...]
    definition: Definition
    body: Definition
    arguments: tuple[Formula, ...]


class Splitter:
    """Answers for one spec; makes the worlds of instances as it meets them.

    Args:
        demoted: names of operators to take whole.
    """

    def __init__(self, spec: Spec, demoted: frozenset[str]) -> None:
        self.tree = spec.tree
        self.sources = spec.sources
        self.names = spec.names
        self.demoted = demoted
        self.overrides = spec.config.definitions
        self.root = World(number=0, module=spec.tree.root, instance=None, carried=())
        self.worlds: dict[tuple[int, Location], World] = {}

    def splittable(self, formula: Formula, world: World, *, top: bool = False) -> bool:
        """Whether to look for actions inside a formula; `top` is Next's own text."""
        if formula.level != Level.ACTION or isinstance(formula, Other):
            return False
        if isinstance(formula, Let):
            return self.plain(formula) and self.splittable(formula.body, world, top=top)
        match self.tree.builtin(formula):
            case "$BoundedExists":
                return True
            case "\\lor" | "$DisjList":
                return any(self.alternative(part, world, top) for part in formula.operands)
            case "$IfThenElse":
                return any(self.branch(part, world, top) for part in formula.operands[1:])
            case "$Case":
                return any(self.branch(body, world, top) for _, body in arms(formula))
            case "\\land" | "$ConjList":
                return len(self.choices(formula, world, top)) == 1
        target = self.target(formula, world)
        return target is not None and self.opens(target)

    def alternative(self, formula: Formula, world: World, top: bool) -> bool:
        """Whether a disjunct is worth a split: also for an action operator that is not split itself."""
        if isinstance(formula, Let):
            return self.plain(formula) and self.alternative(formula.body, world, top)
        applies = isinstance(formula, Apply) and self.target(formula, world) is not None
        return applies or self.splittable(formula, world, top=top)

    def branch(self, formula: Formula, world: World, top: bool) -> bool:
        """Whether a branch of IF or CASE is worth a split."""
        if top:
            return self.alternative(formula, world, top)
        return self.splittable(formula, world)

    def choices(self, formula: Apply, world: World, top: bool) -> list[int]:
        """The places of a conjunction's splittable parts."""
        parts = enumerate(formula.operands)
        return [place for place, part in parts if self.splittable(part, world, top=top)]

    def opens(self, target: Target) -> bool:
        """Whether an operator's own body is split."""
        body = target.body
        return (
            body.name not in self.demoted
            and not body.recursive
            and not any(parameter.arity for parameter in body.parameters)
            and self.splittable(body.body, target.world)
        )

    def plain(self, let: Let) -> bool:
        """Whether a LET defines nothing but ordinary operators."""
        symbols = [self.tree.symbols[uid] for uid in let.definitions]
        return all(isinstance(s, Definition) and s.source is None and not s.recursive for s in symbols)

    def target(self, formula: Apply, world: World) -> Target | None:
        """The action operator that a formula applies, if a twin can stand for it."""
        symbol = self.tree.symbols[formula.operator]
        if formula.level != Level.ACTION or not isinstance(symbol, Definition):
            return None
        return self._reach(symbol, world, (), formula.operands)

    def _reach(
        self,
        symbol: Definition,
        world: World,
        path: tuple[Step, ...],
        arguments: tuple[Formula, ...],
    ) -> Target | None:
        if symbol.source is None:
            body = self._overridden(symbol, world)
            if not symbol.name.isidentifier() or body.location.module not in self.sources:
                return None
            return Target(world=world, path=path, definition=symbol, body=body, arguments=arguments)
        inner = self._inner(symbol, world)
        if inner is None or inner.instance is None:
            return None
        prefix = f"{inner.instance.name}!" if inner.instance.name else ""
        found = self.tree.definition(inner.module, symbol.name.removeprefix(prefix))
        if found is None:
            return None
        count = len(inner.instance.parameters)
        step = Step(world=inner, arguments=tuple(map(located, arguments[:count])))
        return self._reach(found, inner, (*path, step), arguments[count:])

    def _overridden(self, symbol: Definition, world: World) -> Definition:
        """The definition that the configuration puts in a definition's place, or itself."""
        name = self.overrides.get(symbol.name) if world is self.root else None
        return (name and self.tree.definition(self.tree.root, name)) or symbol

    def _inner(self, symbol: Definition, world: World) -> World | None:
        """The world of the INSTANCE that a symbol came from; none for an INSTANCE inside a LET."""
        found = [i for i in world.module.instances if i.location == symbol.location]
        if not found or found[0].module not in self.sources:
            return None
        if (world.number, symbol.location) not in self.worlds:
            self.worlds[world.number, symbol.location] = self._new_world(found[0], world)
        return self.worlds[world.number, symbol.location]

    def _new_world(self, instance: Instance, outer: World) -> World:
        number = len(self.worlds) + 1
        carried = ((name, f"{self.names.of(name)}{number}") for name in instance.parameters)
        world = World(
            number=number,
            module=next(m for m in self.tree.modules.values() if m.name == instance.module),
            instance=instance,
            carried=(*outer.carried, *carried),
        )
        outer.inner.append(world)
        return world


def arms(case: Apply) -> list[tuple[Formula, Formula]]:
    """The (guard, body) pairs of a CASE."""
    pairs = (arm.operands for arm in case.operands if isinstance(arm, Apply))
    return [(guard, body) for guard, body in pairs]
