r"""The changes that one formula of a spec can suffer, each by itself.

Rule 1: a conjunct becomes TRUE, and its negation if it is a guard: one that speaks of no next state.
Rule 2: a disjunction loses one of its parts; `x' = e` and `x' \in S` become UNCHANGED x.
Rule 3: a numeral and a constant that is a number are shifted by one both ways, no numeral below zero;
        a truth value becomes the other one.
Rule 4: `<` and `<=` change places, and so do `>` and `>=`; the condition of an IF is negated.
Rule 5: a formula that moves goes to lines of its own and keeps its columns, which align junction lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from specwalk.sany.tree import Apply, Declaration, Formula, Level, Location, Other, Tree, located
from specwalk.values import Value
from tests.teeth.spec_text import ModuleText

__all__ = ["Change", "Edit", "Editor", "junction"]


class Change(Enum):
    """What is done to the spec."""

    CONJUNCT = "conjunct dropped"
    GUARD = "guard negated"
    CONDITION = "condition negated"
    UPDATE = "update skipped"
    DISJUNCT = "disjunct dropped"
    NUMERAL = "numeral shifted"
    CONSTANT = "constant shifted"
    TRUTH = "truth value flipped"
    BOUND = "bound moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """New text at a place; ``what`` quotes the old one, and the new one where ``change`` does not tell it."""

    change: Change
    place: Location
    text: str
    what: str


_CONJUNCTION = ("\\land", "$ConjList")
_DISJUNCTION = ("\\lor", "$DisjList")
_OTHER_TRUTH = {"TRUE": "FALSE", "FALSE": "TRUE"}
_MOVED = {"<": "<=", "\\leq": "<", ">": ">=", "\\geq": ">"}
_COMPARISON = re.compile(r"=<|<=|>=|\\leq|\\geq|<|>")


def junction(formula: Formula, tree: Tree) -> tuple[str, ...]:
    """SANY's names for the operator of a conjunction or disjunction; none for any other formula."""
    name = tree.builtin(formula) if isinstance(formula, Apply) else None
    return next((names for names in (_CONJUNCTION, _DISJUNCTION) if name in names), ())


class Editor:
    """Finds the edits in formulas of one spec; ``constants`` are those that the configuration assigns."""

    def __init__(self, tree: Tree, texts: Mapping[str, ModuleText], constants: Mapping[Value, Value]) -> None:
        self.tree = tree
        self.texts = texts
        self.constants = constants

    def edits(self, formula: Formula) -> Iterator[Edit]:
        """The edits of a formula itself; those of its parts are the parts' own."""
        if isinstance(formula, Other) and formula.location:
            yield from self._numeral(formula.location)
        if isinstance(formula, Apply):
            yield from self._built_in(formula)
            yield from self._named(formula)

    def _built_in(self, formula: Apply) -> Iterator[Edit]:
        match self.tree.builtin(formula):
            case "\\land" | "$ConjList":
                yield from self._conjuncts(formula)
            case "\\lor" | "$DisjList":
                yield from self._disjuncts(formula)
            case "=" | "\\in":
                yield from self._update(formula)
            case "$IfThenElse":
                yield self._negated(Change.CONDITION, formula.operands[0])
            case "TRUE" | "FALSE" as truth:
                yield self._token(Change.TRUTH, formula.location, _OTHER_TRUTH[truth])

    def _named(self, formula: Apply) -> Iterator[Edit]:
        symbol = self.tree.symbols[formula.operator]
        if isinstance(symbol, Declaration):
            yield from self._constant(formula.location, self.constants.get(symbol.name))
        elif symbol.name in _MOVED:
            yield self._bound(formula, _MOVED[symbol.name])

    def _conjuncts(self, formula: Apply) -> Iterator[Edit]:
        for part in self._parts(formula):
            yield self._whole(Change.CONJUNCT, located(part), "TRUE")
            if part.level <= Level.STATE:
                yield self._negated(Change.GUARD, part)

    def _disjuncts(self, formula: Apply) -> Iterator[Edit]:
        """Leave the others: a FALSE in the place of one would be an action of its own."""
        for part in self._parts(formula):
            others = (self._apart(other) for other in formula.operands if other is not part)
            if left := " \\/ ".join(others):
                what = self._quoted(located(part))
                yield Edit(change=Change.DISJUNCT, place=formula.location, text=left, what=what)

    def _parts(self, formula: Apply) -> Iterator[Formula]:
        """The parts of a junction but for like junctions, whose parts are edited in their turn."""
        like = junction(formula, self.tree)
        return (part for part in formula.operands if junction(part, self.tree) != like)

    def _negated(self, change: Change, guard: Formula) -> Edit:
        return self._whole(change, located(guard), f"~{self._apart(guard)}")

    def _update(self, formula: Apply) -> Iterator[Edit]:
        left = formula.operands[0]
        if isinstance(left, Apply) and self.tree.builtin(left) == "'":
            variable = self._quoted(located(left.operands[0]))
            yield self._whole(Change.UPDATE, formula.location, f"(UNCHANGED {variable})")

    def _numeral(self, place: Location) -> Iterator[Edit]:
        text = self._quoted(place)
        if text.isdigit():
            for shifted in (int(text) + 1, int(text) - 1):
                if shifted >= 0:
                    yield self._token(Change.NUMERAL, place, str(shifted))

    def _constant(self, place: Location, value: Value | None) -> Iterator[Edit]:
        name = self._quoted(place)
        if isinstance(value, bool):
            yield self._token(Change.TRUTH, place, f"(~{name})")
        elif isinstance(value, int):
            yield self._token(Change.CONSTANT, place, f"({name} + 1)")
            yield self._token(Change.CONSTANT, place, f"({name} - 1)")

    def _bound(self, formula: Apply, sign: str) -> Edit:
        # The sign is the last one before the right operand: SANY tells no place of it.
        whole, right = formula.location, located(formula.operands[1])
        ahead = replace(whole, end_line=right.line, end_column=right.column - 1)
        lines = self.texts[whole.module].at(ahead).split("\n")
        line = max(number for number, text in enumerate(lines) if _COMPARISON.search(text))
        *_, found = _COMPARISON.finditer(lines[line])
        place = Location(
            module=whole.module,
            line=whole.line + line,
            column=found.start() + 1,
            end_line=whole.line + line,
            end_column=found.end(),
        )
        return self._token(Change.BOUND, place, sign)

    def _whole(self, change: Change, place: Location, text: str) -> Edit:
        return Edit(change=change, place=place, text=text, what=self._quoted(place))

    def _token(self, change: Change, place: Location, text: str) -> Edit:
        return Edit(change=change, place=place, text=text, what=f"{self._quoted(place)} becomes {text}")

    def _apart(self, formula: Formula) -> str:
        """A formula in parentheses, on lines of its own."""
        place = located(formula)
        return f"(\n{self.texts[place.module].at(place)})"

    def _quoted(self, place: Location) -> str:
        return self.texts[place.module].on_one_line(place)
