"""Which formulas of a spec are Init and Next, as its configuration names them.

Rule 1: INIT and NEXT name them; SPECIFICATION is walked through conjunctions and operators without
parameters to its one `[][Next]_vars`, and its conjuncts on states are Init.
Rule 2: `Op <- Other` in the configuration is honoured on the way.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from specwalk.config import Config
from specwalk.errors import BadInput
from specwalk.sany.tree import Apply, Definition, Formula, Level, Location, Tree

__all__ = ["Behaviour", "find_behaviour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """Init, as a name or as the conjuncts of the specification; Next.

    `owner` names the operator whose text Next is: its own name, or the specification's.
    """

    init: str | tuple[Location, ...]
    next: Formula
    owner: str


def find_behaviour(tree: Tree, config: Config) -> Behaviour:
    """The behaviour that a configuration asks for.

    Raises:
        BadInput: it names nothing, or something that the spec does not define.
    """
    finder = _Finder(tree, config)
    if config.specification is None:
        if config.init is None or config.next is None:
            raise BadInput("The configuration names no behaviour: give SPECIFICATION, or INIT and NEXT.")
        finder.named(config.init, "INIT")
        next_definition = finder.named(config.next, "NEXT")
        return Behaviour(init=config.init, next=finder.body(next_definition), owner=config.next)
    return finder.specification(finder.named(config.specification, "SPECIFICATION"))


class _Finder:
    def __init__(self, tree: Tree, config: Config) -> None:
        self.tree = tree
        self.overrides = config.definitions

    def named(self, name: str, keyword: str) -> Definition:
        definition = self.tree.definition(self.tree.root, self.overrides.get(name, name))
        if definition is None:
            raise BadInput(
                f"{keyword} {name}: module {self.tree.root.name} defines no {name}. "
                "Correct the name in the configuration, or define it."
            )
        return definition

    def body(self, definition: Definition) -> Formula:
        """What a definition stands for: one that an INSTANCE made is applied, not looked into."""
        if definition.source is None:
            return definition.body
        return Apply(
            location=definition.location,
            level=definition.level,
            operator=definition.uid,
            operands=(),
        )

    def specification(self, definition: Definition) -> Behaviour:
        parts = list(self.conjuncts(definition.body))
        steps = [step for part in parts if (step := self.step(part))]
        if len(steps) != 1:
            raise BadInput(
                f"SPECIFICATION {definition.name} has {len(steps)} conjuncts of the form [][Next]_vars; "
                "give INIT and NEXT instead."
            )
        init = tuple(p.location for p in parts if p.level <= Level.STATE and p.location)
        found = self.operator(steps[0])
        if found is None:
            return Behaviour(init=init, next=steps[0], owner=definition.name)
        return Behaviour(init=init, next=self.body(found), owner=found.name)

    def conjuncts(self, formula: Formula) -> Iterator[Formula]:
        if isinstance(formula, Apply) and self.tree.builtin(formula) in ("\\land", "$ConjList"):
            for part in formula.operands:
                yield from self.conjuncts(part)
        elif formula.level == Level.TEMPORAL and (found := self.operator(formula)) and not found.source:
            yield from self.conjuncts(found.body)
        else:
            yield formula

    def step(self, formula: Formula) -> Formula | None:
        """Next, if the formula is `[][Next]_vars`."""
        if isinstance(formula, Apply) and self.tree.builtin(formula) == "[]":
            (inner,) = formula.operands
            if isinstance(inner, Apply) and self.tree.builtin(inner) == "$SquareAct":
                return inner.operands[0]
        return None

    def operator(self, formula: Formula) -> Definition | None:
        """The definition that a formula is the name of."""
        if not isinstance(formula, Apply) or formula.operands:
            return None
        symbol = self.tree.symbols[formula.operator]
        if not isinstance(symbol, Definition):
            return None
        name = self.overrides.get(symbol.name)
        return (name and self.tree.definition(self.tree.root, name)) or symbol
