"""The semantic tree of a spec, as far as finding its actions needs it.

Rule 1: names, levels, source locations and the shape of formulas; the rest stays source text.
Rule 2: operators are numbers (SANY's UIDs) into `Tree.symbols`, since names are not unique.
Rule 3: a level is SANY's: 0 constant, 1 state, 2 action, 3 temporal.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

__all__ = [
    "Apply",
    "Bound",
    "BuiltIn",
    "Declaration",
    "Definition",
    "Formula",
    "Instance",
    "Let",
    "Level",
    "Location",
    "Module",
    "Other",
    "Parameter",
    "Symbol",
    "Tree",
    "located",
]


class Level(IntEnum):
    """What a formula speaks of."""

    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Location:
    """A stretch of a module's source: lines and columns from 1, the end included."""

    module: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """`names \\in domain`, or `<<names>> \\in domain` if `tuple`; no domain if unbounded."""

    names: tuple[str, ...]
    tuple: bool
    domain: Formula | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """An operator applied to operands; a quantifier has bounds too."""

    location: Location
    level: int
    operator: int
    operands: tuple[Formula, ...]
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Let:
    """LET definitions IN body."""

    location: Location
    level: int
    definitions: tuple[int, ...]
    body: Formula


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """Any other expression: its text is all that is known of it. OTHER in a CASE has no location."""

    location: Location | None
    level: int


Formula: TypeAlias = Apply | Let | Other


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltIn:
    """An operator of TLA+ itself, by SANY's name for it (`$DisjList`, `\\lor`)."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A formal parameter or bound name; an operator itself if its arity is not 0."""

    name: str
    arity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A CONSTANT or VARIABLE."""

    location: Location
    name: str
    arity: int
    variable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """An operator definition; `source` is the module that an INSTANCE took it from, if one did."""

    uid: int
    name: str
    location: Location
    level: int
    parameters: tuple[Parameter, ...]
    body: Formula
    recursive: bool
    source: int | None


Symbol: TypeAlias = BuiltIn | Parameter | Declaration | Definition


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """`name(parameters) == INSTANCE module ...`; unnamed if `name` is None."""

    location: Location
    name: str | None
    parameters: tuple[str, ...]
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """A module, with what it extends folded in; its variables in the order of the sources."""

    uid: int
    name: str
    variables: tuple[str, ...]
    definitions: tuple[int, ...]
    instances: tuple[Instance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """All modules of a spec."""

    root: Module
    modules: dict[int, Module]
    symbols: dict[int, Symbol]

    def builtin(self, formula: Apply) -> str | None:
        """SANY's name of the TLA+ operator that a formula applies, if it is one."""
        symbol = self.symbols[formula.operator]
        return symbol.name if isinstance(symbol, BuiltIn) else None

    def definition(self, module: Module, name: str) -> Definition | None:
        """The operator of that name in a module, if it has one."""
        for uid in module.definitions:
            symbol = self.symbols[uid]
            if isinstance(symbol, Definition) and symbol.name == name:
                return symbol
        return None


def located(formula: Formula) -> Location:
    """The location of a formula that has one: all but OTHER do."""
    assert formula.location is not None, "only OTHER has no location"
    return formula.location
