"""A module of tests: one for each walk, its steps as code.

Rule 1: a step says what it changes, of a function the entries, and nothing else.
Rule 2: where the spec lets a step also lead elsewhere, that stands before it.
"""

import builtins
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from textwrap import wrap

from specwalk.generate.python import WIDTH, Names, Source, call, entries, layout, literal
from specwalk.generate.template import render
from specwalk.generate.walks import Walk
from specwalk.graph import StateGraph
from specwalk.itf import model_values
from specwalk.values import Function, ModelValue, Value, is_typed_as

__all__ = ["module_text"]

_TEMPLATE = "conformance.py.jinja"
_RESERVED = {"Becomes", "Behaviour", "CONFIG", "Function", "MODEL", "ModelValue", "Path", "behaviour"}
_RESERVED |= {*dir(builtins), "__file__"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begin:
    """A function that starts the implementation in an initial state."""

    name: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    """A test: its purpose as the lines of a docstring, and its statements."""

    name: str
    purpose: Sequence[str]
    begin: str
    steps: Sequence[str]


def module_text(graph: StateGraph, walks: Sequence[Walk], **files: str) -> str:
    """The text of a module.

    Args:
        files: what the template says of them: ``mark``, ``model``, ``spec``, ``config``, ``traces``.
    """
    code = _Code(graph)
    initial = sorted({graph.source[walk.edges[0]] for walk in walks})
    names = {state: "begin" if len(initial) == 1 else f"begin_{n}" for n, state in enumerate(initial, 1)}
    begins = [_Begin(name=name, body=code.begin(state)) for state, name in names.items()]
    tests = [
        _Test(
            name=walk.name,
            purpose=_docstring(f"Only this test takes {walk.alone}."),
            begin=names[graph.source[walk.edges[0]]],
            steps=[layout(line, indent=4) for edge in walk.edges for line in code.step(edge)],
        )
        for walk in walks
    ]
    text = "\n".join([*(begin.body for begin in begins), *(step for test in tests for step in test.steps)])
    atoms = [(name, atom.name) for atom, name in code.names.items()]
    return render(
        _TEMPLATE,
        **files,
        transitions=len(graph),
        conformance=[name for name in ("Becomes", "Behaviour") if re.search(rf"\b{name}\(", text)],
        values=[*(["Function"] if "Function(" in text else []), *(["ModelValue"] if atoms else [])],
        atoms=atoms,
        begins=begins,
        choosing=sum(any("behaviour.or_else(" in step for step in test.steps) for test in tests),
        tests=tests,
    )


class _Code:
    """The statements for a graph's states and transitions; ``names`` are those of its model values."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph
        self.names = _names(graph)

    def begin(self, state: int) -> str:
        values = self.graph.state_dict(state)
        initial = {name: literal(value, self.names) for name, value in values.items()}
        return layout(call("Behaviour", ["MODEL", "CONFIG"], initial), indent=4, before="return ")

    def step(self, edge: int) -> Iterator[Source]:
        """Where else a step may lead, and the step itself."""
        state, target = self.graph.source[edge], self.graph.target[edge]
        label = self.graph.labels[self.graph.label[edge]]
        for other in self.graph.successors(state, label):
            if other != target:
                yield call("behaviour.or_else", [], self.changes(state, other))
        step = [literal(value, self.names) for value in (label.action, *label.arguments)]
        yield call("behaviour.step", step, self.changes(state, target))

    def changes(self, state: int, target: int) -> dict[str, Source]:
        before, after = self.graph.state_dict(state), self.graph.state_dict(target)
        return {
            name: self.change(old, after[name]) for name, old in before.items() if not _same(old, after[name])
        }

    def change(self, old: Value, new: Value) -> Source:
        if not isinstance(new, Function):
            return literal(new, self.names)
        if not isinstance(old, Function) or not _same(frozenset(old), frozenset(new)):
            return call("Becomes", [literal(new, self.names)], {})
        return entries(new, [key for key in new if not _same(old[key], new[key])], self.names)


def _same(old: Value, new: Value) -> bool:
    """Whether two values are one, in TLA+, where TRUE is no number."""
    return old == new and is_typed_as(old, new)


def _docstring(text: str) -> Sequence[str]:
    return wrap(text.replace("\\", r"\\"), WIDTH - 10, break_long_words=False)


def _names(graph: StateGraph) -> Names:
    """What the model values of a graph are called in Python."""
    values = [value for state in graph.states for value in state]
    values += (value for label in graph.labels for value in label.arguments)
    names: dict[ModelValue, str] = {}
    for atom in sorted(model_values(values), key=lambda atom: atom.name):
        names[atom] = _identifier(atom.name, {*_RESERVED, *names.values()})
    return names


def _identifier(name: str, used: set[str]) -> str:
    if not name.isidentifier() or name.startswith(("begin", "test_")):
        name = f"_{name}"
    while name in used or iskeyword(name):
        name += "_"
    return name
