"""Writes skeletons as TLA+ text: as labelled actions here, as sets of events in `alphabet`.

A copied stretch of source stands alone between `(` and `)`, on lines of its own, so that junction
lists inside it keep their alignment; the skeleton itself is written infix and fully parenthesised.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from specwalk.label.skeleton import (
    All,
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
    applied,
)
from specwalk.label.spec import Names
from specwalk.sany.sources import Sources
from specwalk.sany.tree import Location, Parameter

__all__ = ["ActionText", "Renderer", "joined"]


class Renderer(ABC):
    """What both ways of writing share: names, copies, calls, LET."""

    def __init__(self, sources: Sources, names: Names) -> None:
        self.sources = sources
        self.names = names

    @abstractmethod
    def twin_name(self, twin: Twin) -> str: ...

    @abstractmethod
    def text(self, skeleton: Skeleton) -> str: ...

    def definitions(self, twin: Twin) -> str:
        """What has to be defined for calls of a twin."""
        return self.definition(twin)

    def definition(self, twin: Twin) -> str:
        formals = [f"{p.name}({', '.join('_' * p.arity)})" if p.arity else p.name for p in twin.parameters]
        return f"{applied(self.twin_name(twin), formals)} ==\n{self.text(twin.body)}\n"

    def copy(self, location: Location) -> str:
        return f"(\n{self.sources.copy(location)}\n)"

    def bounds(self, bounds: Iterable[Bounds]) -> str:
        return ", ".join(map(self.bound, bounds))

    def bound(self, bound: Bounds) -> str:
        names = ", ".join(bound.names)
        pattern = f"<<{names}>>" if bound.tuple else names
        return f"{pattern} \\in {self.copy(bound.domain)}"

    def call(self, call: Call) -> str:
        steps = [
            f"{applied(self.names.instance(step.world), map(self.copy, step.arguments))}!"
            for step in call.path
        ]
        arguments = map(self.argument, call.arguments, call.twin.parameters)
        return "".join(steps) + applied(self.twin_name(call.twin), arguments)

    def argument(self, location: Location, parameter: Parameter) -> str:
        """An operator as argument (`LAMBDA x : ...`) may not stand in parentheses."""
        return f"\n{self.sources.copy(location)}\n" if parameter.arity else self.copy(location)

    def within(self, let: Within) -> str:
        definitions = "\n".join(map(self.sources.copy, let.definitions))
        twins = "".join(map(self.definitions, let.twins))
        return f"(LET\n{definitions}\n{twins}IN {self.text(let.body)})"

    def event(self, leaf: Leaf) -> str:
        return f"<<{', '.join((str(leaf.number), *leaf.carried))}>>"


class ActionText(Renderer):
    """The labelled action: what the spec's own formula allows, and event' beside it."""

    def twin_name(self, twin: Twin) -> str:
        return self.names.of(twin.name)

    def text(self, skeleton: Skeleton) -> str:
        match skeleton:
            case Leaf(text=source):
                copied = source if isinstance(source, str) else self.copy(source)
                return f"({copied} /\\ {self.names.of('event')}' = {self.event(skeleton)})"
            case Choice(branches=branches):
                return joined(" \\/ ", map(self.text, branches))
            case Pick(bounds=bounds, body=body):
                return f"(\\E {self.bounds(bounds)} : {self.text(body)})"
            case If(guard=guard, then=then, otherwise=otherwise):
                chosen = f"THEN {self.text(then)} ELSE {self.text(otherwise)}"
                return f"(IF {self.copy(guard)} {chosen})"
            case Case(arms=arms):
                written = (
                    f"{self.copy(arm.guard) if arm.guard else 'OTHER'} -> {self.text(arm.body)}"
                    for arm in arms
                )
                return f"(CASE {' [] '.join(written)})"
            case All(before=before, choice=choice, after=after):
                parts = (*map(self.copy, before), self.text(choice), *map(self.copy, after))
                return joined(" /\\ ", parts)
            case Within():
                return self.within(skeleton)
            case Call():
                return self.call(skeleton)


def joined(operator: str, parts: Iterable[str]) -> str:
    """The parts with an infix operator between them, in parentheses."""
    return f"({operator.join(parts)})"
