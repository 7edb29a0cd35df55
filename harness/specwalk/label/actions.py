"""Which parts of Next are actions of their own, and with which parameters.

Rule 1: what `splitting` does not split is a leaf action.
Rule 2: a leaf is named after the innermost operator around it, and carries the line too if that
operator has several leaves of its own.
Rule 3: its parameters are those of the instances that it is in, the names captured by an operator
that LET defines, the operator's parameters, and the names bound by `\\E` inside it.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from specwalk.label.skeleton import (
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
    Twin,
    Within,
    World,
    applied,
)
from specwalk.label.spec import Spec
from specwalk.label.splitting import Splitter, Target, arms
from specwalk.sany.tree import Apply, Bound, Definition, Formula, Let, Level, Location, located

__all__ = ["Action", "Actions", "find_actions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A leaf action: its name, the names of its parameters, and where it stands if that is known."""

    name: str
    parameters: tuple[str, ...] = ()
    location: Location | None = None

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.parameters)})" if self.parameters else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Actions:
    """The split Next: its skeleton, what the generated modules hold, its leaves by their number."""

    next: Skeleton
    world: World
    leaves: tuple[Action, ...]


def find_actions(spec: Spec, demoted: frozenset[str] = frozenset()) -> Actions:
    """Split a spec's Next.

    Args:
        demoted: names of operators to take whole, Next's own among them.
    """
    splitter = Splitter(spec, demoted)
    walker = _Walker(splitter)
    behaviour = spec.behaviour
    place = _Place(world=splitter.root, owner=behaviour.owner, parameters=(), top=True)
    if behaviour.owner in demoted:
        skeleton: Skeleton = walker.whole(place, located(behaviour.next))
    else:
        skeleton = walker.walk(behaviour.next, place)
    return Actions(next=skeleton, world=splitter.root, leaves=walker.actions())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where the walk stands: the operator around it, and the names bound since that began."""

    world: World
    owner: str
    parameters: tuple[str, ...]
    top: bool = False


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


class _Walker:
    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter
        self.tree = splitter.tree
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

    def walk(self, formula: Formula, place: _Place) -> Skeleton:
        if isinstance(formula, Apply) and (target := self.splitter.target(formula, place.world)):
            return Call(
                path=target.path,
                twin=self.twin(target),
                arguments=_locations(target.arguments),
                constant=all(a.level == Level.CONSTANT for a in formula.operands),
            )
        if isinstance(formula, Let) and self.splitter.alternative(formula, place.world, place.top):
            return self.walk_let(formula, place)
        if not self.splitter.splittable(formula, place.world, top=place.top):
            return self.anonymous(formula, place)
        assert isinstance(formula, Apply), "nothing else is splittable"
        match self.tree.builtin(formula):
            case "$BoundedExists":
                names = tuple(name for bound in formula.bounds for name in bound.names)
                inside = replace(place, parameters=place.parameters + names)
                bounds = tuple(map(_bounds, formula.bounds))
                return Pick(bounds=bounds, body=self.walk(formula.operands[0], inside))
            case "$IfThenElse":
                guard, then, otherwise = formula.operands
                return If(
                    guard=located(guard),
                    then=self.walk(then, place),
                    otherwise=self.walk(otherwise, place),
                )
            case "$Case":
                pairs = ((g.location, self.walk(body, place)) for g, body in arms(formula))
                return Case(arms=tuple(Arm(guard=guard, body=body) for guard, body in pairs))
            case "\\land" | "$ConjList":
                return self.walk_conjunction(formula, place)
        return Choice(branches=tuple(self.walk(part, place) for part in formula.operands))

    def anonymous(self, formula: Formula, place: _Place) -> Leaf:
        location = located(formula)
        return self.leaf(place, location, location, anonymous=True, carried=place.parameters)

    def whole(self, place: _Place, location: Location) -> Leaf:
        """The operator around the place by its name alone."""
        return self.leaf(place, place.owner, location, anonymous=False, carried=())

    def walk_let(self, let: Let, place: _Place) -> Skeleton:
        frame = _Let(definitions=let.definitions, captured=place.parameters, twins=[])
        self.lets.append(frame)
        body = self.walk(let.body, place)
        self.lets.pop()
        definitions = (self.tree.symbols[uid] for uid in let.definitions)
        locations = tuple(d.location for d in definitions if isinstance(d, Definition))
        return Within(definitions=locations, twins=frame.twins, body=body)

    def walk_conjunction(self, formula: Apply, place: _Place) -> Skeleton:
        (chosen,) = self.splitter.choices(formula, place.world, place.top)
        parts = formula.operands
        return All(
            before=_locations(parts[:chosen]),
            guards=_locations(p for p in parts[:chosen] if p.level <= Level.STATE),
            choice=self.walk(parts[chosen], place),
            after=_locations(parts[chosen + 1 :]),
        )

    def twin(self, target: Target) -> Twin:
        key = target.world.number, target.definition.uid
        if key not in self.twins:
            frame = next((f for f in self.lets if target.definition.uid in f.definitions), None)
            self.twins[key] = twin = self.new_twin(target, frame.captured if frame else ())
            (frame.twins if frame else target.world.twins).append(twin)
        return self.twins[key]

    def new_twin(self, target: Target, captured: tuple[str, ...]) -> Twin:
        name, body = target.definition.name, target.body
        values = tuple(p.name for p in body.parameters if not p.arity)
        place = _Place(world=target.world, owner=name, parameters=captured + values)
        if self.splitter.opens(target):
            return Twin(name=name, parameters=body.parameters, body=self.walk(body.body, place))
        # Names of its own for the parameters: theirs may be defined further down in the spec.
        own = tuple(replace(p, name=self.splitter.names.of(p.name)) for p in body.parameters)
        text = applied(name, (parameter.name for parameter in own))
        carried = captured + tuple(p.name for p in own if not p.arity)
        leaf = self.leaf(place, text, body.location, anonymous=False, carried=carried)
        return Twin(name=name, parameters=own, body=leaf)

    def leaf(
        self,
        place: _Place,
        text: Location | str,
        location: Location,
        *,
        anonymous: bool,
        carried: tuple[str, ...],
    ) -> Leaf:
        """A new leaf; `carried` are the wrapper's names for the place's parameters."""
        inherited = place.world.carried
        self.drafts.append(
            _Draft(
                owner=place.owner,
                anonymous=anonymous,
                parameters=(*(name for name, _ in inherited), *place.parameters),
                location=location,
            )
        )
        names = (*(name for _, name in inherited), *carried)
        return Leaf(number=len(self.drafts) - 1, carried=names, text=text)


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
        domain=located(bound.domain),
        constant=bound.domain.level == Level.CONSTANT,
    )


def _locations(formulas: Iterable[Formula]) -> tuple[Location, ...]:
    return tuple(map(located, formulas))
