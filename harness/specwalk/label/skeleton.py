"""What a labelled wrapper is made of: twins of the spec's operators, split down to leaf actions.

A twin `F_tag(p)` of an operator `F(p)` has the same parameters. Its skeleton repeats the choices of
F's body (disjunction, `\\E`, IF, CASE, LET, one conjunct), each down to leaves; everything else is a
location, copied from the source, so that every name in it keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from specwalk.sany.tree import Instance, Location, Module, Parameter

__all__ = [
    "All",
    "Arm",
    "Bounds",
    "Call",
    "Case",
    "Choice",
    "If",
    "Leaf",
    "Pick",
    "Skeleton",
    "Step",
    "Twin",
    "Within",
    "World",
    "applied",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """An action that is taken whole: source text, or the call of its own operator.

    `carried` are its parameters' names in the wrapper, which its events carry after its `number`.
    """

    number: int
    carried: tuple[str, ...]
    text: Location | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """`a \\/ b ...`"""

    branches: tuple[Skeleton, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """`names \\in domain`, or `<<names>> \\in domain`; `constant` if no state changes the domain."""

    names: tuple[str, ...]
    tuple: bool
    domain: Location
    constant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """`\\E bounds : body`"""

    bounds: tuple[Bounds, ...]
    body: Skeleton


@dataclass(frozen=True, slots=True, kw_only=True)
class If:
    """`IF guard THEN then ELSE otherwise`"""

    guard: Location
    then: Skeleton
    otherwise: Skeleton


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """`guard -> body` of a CASE; OTHER has no guard."""

    guard: Location | None
    body: Skeleton


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`CASE arm [] arm ...`"""

    arms: tuple[Arm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class All:
    """A conjunction with one choice in it: `before /\\ choice /\\ after`.

    `guards` are those before it that speak of the state alone.
    """

    before: tuple[Location, ...]
    guards: tuple[Location, ...]
    choice: Skeleton
    after: tuple[Location, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """`LET definitions, twins of some of them IN body`"""

    definitions: tuple[Location, ...]
    twins: list[Twin]
    body: Skeleton


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One `I(arguments)!` on the way to an operator of an instance."""

    world: World
    arguments: tuple[Location, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """`I(..)!F(arguments)`, of a twin; `constant` if no argument depends on the state."""

    path: tuple[Step, ...]
    twin: Twin
    arguments: tuple[Location, ...]
    constant: bool


Skeleton: TypeAlias = Leaf | Choice | Pick | If | Case | All | Within | Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """The twin of the operator that the spec calls `name`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Skeleton


@dataclass(slots=True, kw_only=True)
class World:
    """A generated module: it extends one of the spec's and holds twins of that one's operators.

    `instance` tells how the world around it instantiates it; the outermost world has none. Twins
    stand in the order of their making: callees before callers. `carried` are the parameters of the
    instances around it, as (name in the spec, name in the wrapper).
    """

    number: int
    module: Module
    instance: Instance | None
    carried: tuple[tuple[str, str], ...]
    twins: list[Twin] = field(default_factory=list)
    inner: list[World] = field(default_factory=list)


def applied(name: str, arguments: Iterable[str]) -> str:
    """`name(arguments)`, or the bare name if there are none."""
    listed = ", ".join(arguments)
    return f"{name}({listed})" if listed else name
