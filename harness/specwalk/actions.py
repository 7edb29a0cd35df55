"""Which parts of Next are actions of their own, and with which parameters.

Rule 1: Next is split along disjunction, `\\E` over a set, IF, CASE, LET, operators, INSTANCE, and a
conjunction with exactly one splittable conjunct. Everything else is a leaf action.
Rule 2: a leaf is named after the innermost operator around it; its parameters are that operator's,
then the names bound by `\\E` inside it.
Rule 3: not looked into are recursive operators, those that take operators, infix ones, LET with
RECURSIVE or INSTANCE, and whatever was demoted because SANY would not take its twin.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from specwalk.behaviour import Behaviour
from specwalk.config import Config
from specwalk.errors import BadInput
from specwalk.skeleton import (
    All,
    Arm,
    Bounds,
    Call,
    Case,
    Choice,
    If,
    Leaf,
    Pick,
    Skeleton,
    Step,
    Twin,
    Within,
    World,
)
from specwalk.sources import Sources
from specwalk.tree import (
    Apply,
    Bound,
    BuiltIn,
    Definition,
    Formula,
    Instance,
    Let,
    Level,
    Location,
    Other,
    Tree,
)

__all__ = ["Action", "Actions", "find_actions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A leaf action: its name, the names of its parameters, and where it stands."""

    name: str
    parameters: tuple[str, ...]
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions:
    """The split Next: its skeleton, what the generated modules hold, its leaves by their number."""

    next: Skeleton
    world: World
    leaves: tuple[Action, ...]


def find_actions(
    tree: Tree,
    config: Config,
    sources: Sources,
    behaviour: Behaviour,
    tag: str,
    demoted: frozenset[str] = frozenset(),
) -> Actions:
    """Split a next-state action.

    Args:
        tag: a text that no name of the spec contains.
        demoted: names of operators to take whole.
    """
    builder = _Builder(tree, config, sources, tag, demoted)
    place = _Place(world=builder.root, owner=behaviour.next_name, parameters=(), top=True)
    skeleton = builder.walk(behaviour.next, place)
    return Actions(next=skeleton, world=builder.root, leaves=builder.actions())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where the walk stands: the operator around it, and the names bound since that began."""

    world: World
    owner: str
    parameters: tuple[str, ...]
    top: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """What an application applies: an operator of `world`, reached through `path`."""

    world: World
    path: tuple[Step, ...]
    definition: Definition
    body: Definition
    arguments: tuple[Formula, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Let:
    """A LET around the place: what it defines, the names it captures, its twins so far."""

    definitions: tuple[int, ...]
    captured: tuple[str, ...]
    twins: list[Twin]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A leaf before it is known whether its operator has other anonymous ones."""

    owner: str
    anonymous: bool
    parameters: tuple[str, ...]
    location: Location


class _Builder:
    def __init__(
        self, tree: Tree, config: Config, sources: Sources, tag: str, demoted: frozenset[str]
    ) -> None:
        self.tree = tree
        self.sources = sources
        self.tag = tag
        self.demoted = demoted
        self.overrides = {o.name: o.definition for o in config.overrides if o.scope is None}
        self.root = World(number=0, module=tree.root, instance=None, carried=())
        self.worlds: dict[tuple[int, Location], World] = {}
        self.twins: dict[tuple[int, int], Twin] = {}
        self.lets: list[_Let] = []
        self.drafts: list[_Draft] = []

    def actions(self) -> tuple[Action, ...]:
        anonymous = Counter(draft.owner for draft in self.drafts if draft.anonymous)
        lines = Counter((d.owner, d.location.line) for d in self.drafts if d.anonymous)
        return tuple(
            Action(
                name=_name(
                    draft,
                    several=anonymous[draft.owner] > 1,
                    crowded=lines[draft.owner, draft.location.line] > 1,
                ),
                parameters=draft.parameters,
                location=draft.location,
            )
            for draft in self.drafts
        )

    # What may be split

    def splittable(self, formula: Formula, place: _Place) -> bool:
        if formula.level != Level.ACTION:
            return False
        if isinstance(formula, Let):
            return self.plain_let(formula) and self.splittable(formula.body, place)
        if isinstance(formula, Other):
            return False
        match self.builtin(formula):
            case "$BoundedExists":
                return True
            case "\\lor" | "$DisjList":
                return any(self.choosable(part, place, True) for part in formula.operands)
            case "$IfThenElse":
                return any(self.choosable(p, place, place.top) for p in formula.operands[1:])
            case "$Case":
                return any(self.choosable(body, place, place.top) for _, body in _arms(formula))
            case "\\land" | "$ConjList":
                return len(self.choices(formula, place)) == 1
        target = self.target(formula, place.world)
        return target is not None and self.opens(target)

    def choosable(self, formula: Formula, place: _Place, applications: bool) -> bool:
        """Splittable, or, where `applications` count, the application of an action operator."""
        called = applications and isinstance(formula, Apply) and self.target(formula, place.world)
        return bool(called) or self.splittable(formula, place)

    def choices(self, formula: Apply, place: _Place) -> list[int]:
        return [n for n, part in enumerate(formula.operands) if self.splittable(part, place)]

    def plain_let(self, let: Let) -> bool:
        symbols = [self.tree.symbols[uid] for uid in let.definitions]
        return all(isinstance(s, Definition) and s.source is None and not s.recursive for s in symbols)

    def opens(self, target: _Target) -> bool:
        """Whether the operator's own body is split."""
        body = target.body
        return (
            body.name not in self.demoted
            and not body.recursive
            and not any(parameter.arity for parameter in body.parameters)
            and self.splittable(body.body, _Place(world=target.world, owner="", parameters=()))
        )

    def builtin(self, formula: Apply) -> str | None:
        symbol = self.tree.symbols[formula.operator]
        return symbol.name if isinstance(symbol, BuiltIn) else None

    # What an application applies

    def target(self, formula: Apply, world: World) -> _Target | None:
        """The action operator that a formula applies, if a twin can stand for it."""
        symbol = self.tree.symbols[formula.operator]
        if formula.level != Level.ACTION or not isinstance(symbol, Definition):
            return None
        return self.reach(symbol, world, (), formula.operands)

    def reach(
        self,
        symbol: Definition,
        world: World,
        path: tuple[Step, ...],
        arguments: tuple[Formula, ...],
    ) -> _Target | None:
        if symbol.source is None:
            body = self.overridden(symbol, world)
            if not symbol.name.isidentifier() or body.location.module not in self.sources:
                return None
            return _Target(world=world, path=path, definition=symbol, body=body, arguments=arguments)
        inner = self.inner(symbol, world)
        if inner is None or inner.instance is None:
            return None
        prefix = f"{inner.instance.name}!" if inner.instance.name else ""
        found = self.tree.definition(inner.module, symbol.name.removeprefix(prefix))
        if found is None:
            return None
        count = len(inner.instance.parameters)
        step = Step(world=inner, arguments=_locations(arguments[:count]))
        return self.reach(found, inner, (*path, step), arguments[count:])

    def overridden(self, symbol: Definition, world: World) -> Definition:
        """The definition that the configuration puts in a definition's place, or itself."""
        name = self.overrides.get(symbol.name) if world is self.root else None
        return (name and self.tree.definition(self.tree.root, name)) or symbol

    def inner(self, symbol: Definition, world: World) -> World | None:
        """The world of the INSTANCE that a symbol came from; none for an INSTANCE inside a LET."""
        found = [i for i in world.module.instances if i.location == symbol.location]
        if not found or found[0].module not in self.sources:
            return None
        if (world.number, symbol.location) not in self.worlds:
            self.worlds[world.number, symbol.location] = self.new_world(found[0], world)
        return self.worlds[world.number, symbol.location]

    def new_world(self, instance: Instance, outer: World) -> World:
        number = len(self.worlds) + 1
        carried = ((name, f"{name}_{self.tag}{number}") for name in instance.parameters)
        world = World(
            number=number,
            module=next(m for m in self.tree.modules.values() if m.name == instance.module),
            instance=instance,
            carried=(*outer.carried, *carried),
        )
        outer.inner.append(world)
        return world

    # The walk

    def walk(self, formula: Formula, place: _Place) -> Skeleton:
        if isinstance(formula, Apply) and (target := self.target(formula, place.world)):
            return Call(
                path=target.path,
                twin=self.twin(target),
                arguments=_locations(target.arguments),
                constant=all(a.level == Level.CONSTANT for a in formula.operands),
            )
        if not self.splittable(formula, place):
            location = _located(formula)
            return self.leaf(place, location, location, anonymous=True)
        if isinstance(formula, Let):
            return self.walk_let(formula, place)
        assert isinstance(formula, Apply), "nothing else is splittable"
        match self.builtin(formula):
            case "$BoundedExists":
                names = tuple(name for bound in formula.bounds for name in bound.names)
                inside = replace(place, parameters=place.parameters + names)
                bounds = tuple(map(_bounds, formula.bounds))
                return Pick(bounds=bounds, body=self.walk(formula.operands[0], inside))
            case "$IfThenElse":
                guard, then, otherwise = formula.operands
                return If(
                    guard=_located(guard),
                    then=self.walk(then, place),
                    otherwise=self.walk(otherwise, place),
                )
            case "$Case":
                arms = ((g.location, self.walk(body, place)) for g, body in _arms(formula))
                return Case(arms=tuple(Arm(guard=guard, body=body) for guard, body in arms))
            case "\\land" | "$ConjList":
                return self.walk_conjunction(formula, place)
        return Choice(branches=tuple(self.walk(part, place) for part in formula.operands))

    def walk_let(self, let: Let, place: _Place) -> Skeleton:
        frame = _Let(definitions=let.definitions, captured=place.parameters, twins=[])
        self.lets.append(frame)
        body = self.walk(let.body, place)
        self.lets.pop()
        definitions = (self.tree.symbols[uid] for uid in let.definitions)
        locations = tuple(d.location for d in definitions if isinstance(d, Definition))
        return Within(definitions=locations, twins=frame.twins, body=body)

    def walk_conjunction(self, formula: Apply, place: _Place) -> Skeleton:
        (chosen,) = self.choices(formula, place)
        parts = formula.operands
        return All(
            before=_locations(parts[:chosen]),
            choice=self.walk(parts[chosen], place),
            after=_locations(parts[chosen + 1 :]),
        )

    def twin(self, target: _Target) -> Twin:
        key = target.world.number, target.definition.uid
        if key not in self.twins:
            frame = next((f for f in self.lets if target.definition.uid in f.definitions), None)
            self.twins[key] = twin = self.new_twin(target, frame.captured if frame else ())
            (frame.twins if frame else target.world.twins).append(twin)
        return self.twins[key]

    def new_twin(self, target: _Target, captured: tuple[str, ...]) -> Twin:
        name, body = target.definition.name, target.body
        values = tuple(p.name for p in body.parameters if not p.arity)
        place = _Place(world=target.world, owner=name, parameters=captured + values)
        if self.opens(target):
            skeleton = self.walk(body.body, place)
        else:
            formals = ", ".join(parameter.name for parameter in body.parameters)
            text = f"{name}({formals})" if formals else name
            skeleton = self.leaf(place, text, body.location, anonymous=False)
        return Twin(name=name, parameters=body.parameters, body=skeleton)

    def leaf(self, place: _Place, text: Location | str, location: Location, *, anonymous: bool) -> Leaf:
        inherited = place.world.carried
        self.drafts.append(
            _Draft(
                owner=place.owner,
                anonymous=anonymous,
                parameters=(*(name for name, _ in inherited), *place.parameters),
                location=location,
            )
        )
        carried = (*(name for _, name in inherited), *place.parameters)
        return Leaf(number=len(self.drafts) - 1, carried=carried, text=text)


def _name(draft: _Draft, *, several: bool, crowded: bool) -> str:
    """An anonymous leaf among several is told apart by its line, and by its column if need be."""
    if not (draft.anonymous and several):
        return draft.owner
    line = f"{draft.owner}@{draft.location.line}"
    return f"{line}:{draft.location.column}" if crowded else line


def _bounds(bound: Bound) -> Bounds:
    assert bound.domain is not None, "a bounded quantifier"
    return Bounds(
        names=bound.names,
        tuple=bound.tuple,
        domain=_located(bound.domain),
        constant=bound.domain.level == Level.CONSTANT,
    )


def _arms(case: Apply) -> list[tuple[Formula, Formula]]:
    """The (guard, body) pairs of a CASE."""
    pairs = (arm.operands for arm in case.operands if isinstance(arm, Apply))
    return [(guard, body) for guard, body in pairs]


def _located(formula: Formula) -> Location:
    if formula.location is None:
        raise BadInput("SANY's tree has an expression without a location: this TLC is unknown.")
    return formula.location


def _locations(formulas: Iterable[Formula]) -> tuple[Location, ...]:
    return tuple(map(_located, formulas))
