"""Random small specs, as TLA+ text and as an independent Python computation of the same machine.

The state is `x` in 0..3 and `s`, a set of such numbers. A formula knows its TLA+ text, the steps that
it allows in a state (each as often as it allows it), and the parameters that it speaks of there,
whatever its guards say.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

Numbers: TypeAlias = frozenset[int]
State: TypeAlias = tuple[int, Numbers]
Event: TypeAlias = tuple[str, tuple[int, ...]]
Scope: TypeAlias = dict[str, int]

SIZE = 4


@dataclass(frozen=True)
class Guard:
    """`x # value` and the like; `value` is a number or a name in scope."""

    left: str
    relation: str
    value: str

    def tla(self) -> str:
        return f"{self.left} {self.relation} {self.value}"

    def holds(self, state: State, scope: Scope) -> bool:
        left = number(self.left, state, scope)
        right = number(self.value, state, scope)
        return {"#": left != right, "<": left < right, "=": left == right}[self.relation]


def number(text: str, state: State, scope: Scope) -> int:
    return int(text) if text.isdigit() else state[0] if text == "x" else scope[text]


@dataclass(frozen=True)
class Domain:
    """What `\\E` ranges over: given numbers, or the set variable."""

    numbers: Numbers | None

    def tla(self) -> str:
        return "s" if self.numbers is None else f"{{{', '.join(map(str, sorted(self.numbers)))}}}"

    def values(self, state: State) -> Numbers:
        return state[1] if self.numbers is None else self.numbers


@dataclass(frozen=True)
class Operator:
    """An operator of one parameter `p`: a leaf, or with a choice of `k` inside."""

    name: str
    guard: Guard
    inner: Domain | None
    add: int
    update: str

    def definition(self) -> str:
        shift = "p + k" if self.inner else "p"
        action = (
            f"{self.guard.tla()} /\\ x' = (x + {shift} + {self.add}) % {SIZE} /\\ s' = {UPDATES[self.update]}"
        )
        if self.inner:
            return f"{self.name}(p) == \\E k \\in {self.inner.tla()} :\n    {action}"
        return f"{self.name}(p) ==\n    /\\ {action}"

    def choices(self, state: State) -> list[tuple[int, ...]]:
        return [(k,) for k in self.inner.values(state)] if self.inner else [()]

    def steps(self, p: int, state: State) -> Iterator[tuple[Event, State]]:
        for choice in self.choices(state):
            if self.guard.holds(state, {"p": p}):
                x = (state[0] + p + sum(choice) + self.add) % SIZE
                changed = {
                    "keep": state[1],
                    "insert": state[1] | {p},
                    "drop": state[1] - {p},
                    "only": frozenset({state[0]}),
                }
                yield (self.name, (p, *choice)), (x, changed[self.update])


UPDATES = {"keep": "s", "insert": "s \\cup {p}", "drop": "s \\ {p}", "only": "{x}"}


class Formula:
    """A part of Next."""

    def tla(self) -> str:
        raise AssertionError(self)

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        raise AssertionError(self)

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        raise AssertionError(self)


@dataclass(frozen=True)
class Call(Formula):
    operator: Operator
    argument: str

    def tla(self) -> str:
        return f"{self.operator.name}({self.argument})"

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        yield from self.operator.steps(number(self.argument, state, scope), state)

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        for choice in self.operator.choices(state):
            yield self.operator.name, (number(self.argument, state, scope), *choice)


@dataclass(frozen=True)
class Either(Formula):
    parts: tuple[Formula, ...]
    column: int | None  # of its bullets

    def tla(self) -> str:
        if self.column:
            bullet = "\n" + " " * self.column + "\\/"
            return f"({''.join(f'{bullet} ({part.tla()})' for part in self.parts)})"
        return " \\/ ".join(f"({part.tla()})" for part in self.parts)

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        for part in self.parts:
            yield from part.steps(state, scope)

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        for part in self.parts:
            yield from part.offers(state, scope)


@dataclass(frozen=True)
class Exists(Formula):
    name: str
    domain: Domain
    body: Formula

    def tla(self) -> str:
        return f"\\E {self.name} \\in {self.domain.tla()} : {self.body.tla()}"

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        for value in self.domain.values(state):
            yield from self.body.steps(state, scope | {self.name: value})

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        for value in self.domain.values(state):
            yield from self.body.offers(state, scope | {self.name: value})


@dataclass(frozen=True)
class Conditional(Formula):
    guard: Guard
    then: Formula
    otherwise: Formula
    case: bool

    def tla(self) -> str:
        if self.case:
            return f"(CASE {self.guard.tla()} -> ({self.then.tla()}) [] OTHER -> ({self.otherwise.tla()}))"
        return f"(IF {self.guard.tla()} THEN {self.then.tla()} ELSE {self.otherwise.tla()})"

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        chosen = self.then if self.guard.holds(state, scope) else self.otherwise
        yield from chosen.steps(state, scope)

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        yield from self.then.offers(state, scope)
        yield from self.otherwise.offers(state, scope)


@dataclass(frozen=True)
class Guarded(Formula):
    guard: Guard
    body: Formula

    def tla(self) -> str:
        return f"({self.guard.tla()} /\\ ({self.body.tla()}))"

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        if self.guard.holds(state, scope):
            yield from self.body.steps(state, scope)

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        yield from self.body.offers(state, scope)


@dataclass(frozen=True)
class Let(Formula):
    """`LET name == (x + add) % SIZE IN body`: a name for a number that depends on the state."""

    name: str
    add: int
    body: Formula

    def tla(self) -> str:
        return f"(LET {self.name} == (x + {self.add}) % {SIZE} IN {self.body.tla()})"

    def inside(self, state: State, scope: Scope) -> Scope:
        return scope | {self.name: (state[0] + self.add) % SIZE}

    def steps(self, state: State, scope: Scope) -> Iterator[tuple[Event, State]]:
        yield from self.body.steps(state, self.inside(state, scope))

    def offers(self, state: State, scope: Scope) -> Iterator[Event]:
        yield from self.body.offers(state, self.inside(state, scope))


@dataclass
class RandomSpec:
    """A spec drawn from a seed."""

    seed: int
    operators: list[Operator] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.operators = [self.operator(name) for name in ("Aa", "Bb", "Cc", "Dd")]
        self.next = self.either(depth=3, names=())

    def operator(self, name: str) -> Operator:
        return Operator(
            name=name,
            guard=self.guard(("p",)),
            inner=self.domain() if self.random.random() < 0.4 else None,
            add=self.random.randrange(SIZE),
            update=self.random.choice(sorted(UPDATES)),
        )

    def guard(self, names: tuple[str, ...]) -> Guard:
        return Guard("x", self.random.choice("#<="), self.value(names))

    def value(self, names: tuple[str, ...]) -> str:
        return self.random.choice([*names, *names, str(self.random.randrange(SIZE))])

    def domain(self) -> Domain:
        numbers = frozenset(self.random.sample(range(SIZE), self.random.randint(1, 3)))
        return Domain(None if self.random.random() < 0.3 else numbers)

    def either(self, depth: int, names: tuple[str, ...]) -> Formula:
        parts = tuple(self.formula(depth, names) for _ in range(self.random.randint(2, 3)))
        return Either(parts, column=40 - 8 * depth if self.random.random() < 0.5 else None)

    def formula(self, depth: int, names: tuple[str, ...]) -> Formula:
        draw = self.random.random() if depth else 0
        fresh = f"n{len(names)}"
        if draw < 0.25:
            return Call(self.random.choice(self.operators), self.value(names))
        if draw < 0.5:
            return Exists(fresh, self.domain(), self.formula(depth - 1, (*names, fresh)))
        if draw < 0.65:
            return self.either(depth - 1, names)
        if draw < 0.8:
            branches = self.either(depth - 1, names), self.either(depth - 1, names)
            return Conditional(self.guard(names), *branches, case=self.random.random() < 0.5)
        if draw < 0.9:
            return Guarded(self.guard(names), self.either(depth - 1, names))
        return Let(fresh, self.random.randrange(SIZE), self.formula(depth - 1, (*names, fresh)))

    def tla(self, module: str) -> str:
        definitions = "\n".join(operator.definition() for operator in self.operators)
        return (
            f"---- MODULE {module} ----\nEXTENDS Naturals\nVARIABLES x, s\n{definitions}\n"
            f"Init == x \\in {{0, 1}} /\\ s = {{2}}\nNext == {self.next.tla()}\n====\n"
        )

    def explore(self) -> tuple[list[State], Counter[tuple[State, Event, State]]]:
        """The reachable states, and every step as often as Next allows it."""
        states: list[State] = [(x, frozenset({2})) for x in (0, 1)]
        steps: Counter[tuple[State, Event, State]] = Counter()
        for state in states:
            for event, target in self.next.steps(state, {}):
                steps[state, event, target] += 1
                if target not in states:
                    states.append(target)
        return states, steps

    def alphabet(self, states: list[State]) -> set[Event]:
        """Per operator the product of its parameters' values, over all states."""
        offers = {event for state in states for event in self.next.offers(state, {})}
        found: set[Event] = set()
        for name in {event[0] for event in offers}:
            columns = zip(*(event[1] for event in offers if event[0] == name), strict=True)
            found |= {(name, arguments) for arguments in product(*map(set, columns))}
        return found
