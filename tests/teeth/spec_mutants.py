r"""Mutants of a spec: the small changes of Init and Next that its checks ought to notice.

Rule 1: changed is what Init and Next reach, in the modules that stand beside the spec; fairness,
        invariants and properties stay as they are, but for the definitions that they share with Next.
Rule 2: a mutant is one edit (``spec_edits``), found in SANY's tree and made in the module's text.
Rule 3: its name says in which definition what becomes what. It has no line number, so it lasts.

Nothing here knows a spec. Some mutants TLC will not take; who runs them will see.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from specwalk.config import Config
from specwalk.label.export import read_spec
from specwalk.sany.tree import Apply, Definition, Formula, Let, Level, Location, Tree, located
from specwalk.tlc import Workspace, find_toolchain
from tests.teeth.spec_edits import Change, Edit, Editor, junction
from tests.teeth.spec_text import ModuleText

__all__ = ["Mutant", "mutants"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change: its name, and the whole text of the module that it changes."""

    name: str
    change: Change
    module: str
    text: str


def mutants(spec: Path, config: Config) -> list[Mutant]:
    """All mutants of a spec; the configuration names Init and Next, and tells numbers from truth values.

    Raises:
        BadInput: SANY rejects the spec, or a module of it is not ASCII.
    """
    with Workspace(find_toolchain(), spec) as workspace:
        tree = read_spec(workspace, config).tree
        texts = {name: ModuleText(name, file.read_text("utf-8")) for name, file in workspace.modules.items()}
    finder = _Finder(tree, texts, config)
    for name in filter(None, (config.specification, config.init, config.next)):
        finder.follow(finder.named(name))
    return list(_mutants(finder.found, texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    """The definition that a formula stands in, and the conjunct, disjunct or set around it."""

    definition: str
    around: Location


class _Finder:
    """Walks what Init and Next reach, each definition once."""

    def __init__(self, tree: Tree, texts: Mapping[str, ModuleText], config: Config) -> None:
        self.tree = tree
        self.texts = texts
        self.overrides = config.definitions
        self.editor = Editor(tree, texts, config.constants)
        self.seen: set[int] = set()
        self.found: list[tuple[_Site, Edit]] = []

    def named(self, name: str) -> Definition:
        definition = self.tree.definition(self.tree.root, self.overrides.get(name, name))
        assert definition is not None, "read_spec has found it"
        return definition

    def follow(self, definition: Definition) -> None:
        """Visit a definition, unless it is a standard module's."""
        place = located(definition.body)
        if definition.uid not in self.seen and place.module in self.texts:
            self.seen.add(definition.uid)
            self.visit(definition.body, _Site(definition=definition.name, around=place))

    def visit(self, formula: Formula, site: _Site) -> None:
        if formula.level < Level.TEMPORAL:
            self.found.extend((site, edit) for edit in self.editor.edits(formula))
        for part, inner in self.parts(formula, site):
            self.visit(part, inner)
        if isinstance(formula, Apply):
            symbol = self.tree.symbols[formula.operator]
            if isinstance(symbol, Definition):
                self.follow(self.named(symbol.name) if symbol.name in self.overrides else symbol)

    def parts(self, formula: Formula, site: _Site) -> Iterator[tuple[Formula, _Site]]:
        """The formulas inside one, each with its site; of a temporal one those that are the behaviour."""
        if isinstance(formula, Let):
            yield formula.body, site
        if not isinstance(formula, Apply):
            return
        joins = junction(formula, self.tree)
        if formula.level == Level.TEMPORAL and not joins:
            yield from ((step, _at(step, site)) for step in self.step(formula))
            return
        for bound in formula.bounds:
            if bound.domain:
                yield bound.domain, _at(bound.domain, site)
        for part in formula.operands:
            yield part, _at(part, site) if joins else site

    def step(self, formula: Apply) -> Iterator[Formula]:
        """Next, if a temporal formula is `[][Next]_vars`."""
        if self.tree.builtin(formula) == "[]":
            inner = formula.operands[0]
            if isinstance(inner, Apply) and self.tree.builtin(inner) == "$SquareAct":
                yield inner.operands[0]


def _at(formula: Formula, site: _Site) -> _Site:
    return _Site(definition=site.definition, around=formula.location or site.around)


def _mutants(found: Iterable[tuple[_Site, Edit]], texts: Mapping[str, ModuleText]) -> Iterator[Mutant]:
    """Each edit once; a name that occurs again is numbered."""
    edits = {(edit.place, edit.text): (site, edit) for site, edit in reversed(list(found))}
    names: Counter[str] = Counter()
    for site, edit in sorted(edits.values(), key=lambda pair: pair[1].place):
        text = texts[edit.place.module]
        name = f"{edit.place.module}!{site.definition}: {edit.change.value}: {edit.what}"
        if edit.place != site.around and edit.change not in _PARTS:
            name += f" in {text.on_one_line(site.around)}"
        names[name] += 1
        if names[name] > 1:
            name += f" ({names[name]})"
        changed = text.replaced(edit.place, edit.text)
        yield Mutant(name=name, change=edit.change, module=edit.place.module, text=changed)


# What is itself a conjunct or disjunct needs nothing around it to be known.
_PARTS = (Change.CONJUNCT, Change.GUARD, Change.DISJUNCT)
