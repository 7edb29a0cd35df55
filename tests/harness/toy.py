"""A counter to three: its state graph built by hand, an implementation, and one class for each fault.

The graph is that of TOY_TLA: Up and Down count, Jump(2) leaves 0, Stay is a stutter at 3; Jump(1) is in the
alphabet and never enabled. 4 states, 8 edges, 5 action instances, so 4 x 5 - 8 = 12 refusals.
"""

import sys
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from specwalk.graph import Action, Label, LabelLevel, StateGraph
from specwalk.model import Model, NotOffered, action
from specwalk.values import Value, parse

ROOT = Path(__file__).parents[2]

TOY_TLA = r"""---- MODULE Toy ----
EXTENDS Naturals
CONSTANT Top
VARIABLES x, odd
vars == <<x, odd>>

Init == x = 0 /\ odd = FALSE
Move(n) == x' = n /\ odd' = (n % 2 = 1)

Up == x < Top /\ Move(x + 1)
Down == x > 0 /\ Move(x - 1)
Jump(n) == x = 0 /\ n = 2 /\ Move(n)
Stay == x = Top /\ UNCHANGED vars

Next == Up \/ Down \/ (\E n \in {1, 2} : Jump(n)) \/ Stay
Spec == Init /\ [][Next]_vars

Small == x <= Top
Even == ~odd
Ends == <>(x = Top)
Begins == x = 0
====
"""
TOY_CFG = "CONSTANT Top = 3\nSPECIFICATION Spec\nINVARIANT Small\n"
# By hand: the initial state and 3 Up, 3 Down, 1 Jump, 1 Stay; 3 is two steps away, by Jump(2) and Up.
TOY_PIN = "\\* pinned: 4 distinct states, 9 generated, depth 3\n"

COUNTER = [(n, "Up", n + 1) for n in range(3)] + [(n, "Down", n - 1) for n in (1, 2, 3)]
COUNTER += [(0, "Jump(2)", 2), (3, "Stay", 3)]
ALPHABET = ("Up", "Down", "Jump(1)", "Jump(2)", "Stay")


def label(text: str) -> Label:
    """`Jump(2)` as a label."""
    name, _, rest = text.partition("(")
    arguments = parse(f"<<{rest[:-1]}>>") if rest else ()
    assert isinstance(arguments, tuple)
    return Label(action=name, parameters=("n",) * len(arguments), arguments=arguments)


def build(
    edges: Iterable[tuple[int, str, int]] = COUNTER,
    *,
    initial: Sequence[int] = (0,),
    alphabet: Sequence[str] = ALPHABET,
    values: Callable[[int], tuple[Value, ...]] = lambda n: (n, n % 2 == 1),
    variables: tuple[str, ...] = ("x", "odd"),
) -> StateGraph:
    """A graph of numbered states."""
    edges = sorted(edges, key=lambda edge: edge[0])
    labels = list(dict.fromkeys(label(text) for _, text, _ in edges))
    letters = list(dict.fromkeys([*map(label, alphabet), *labels]))
    count = 1 + max([*initial, *(max(source, target) for source, _, target in edges)])
    return StateGraph(
        variables=variables,
        states=[values(n) for n in range(count)],
        initial=tuple(initial),
        labels=labels,
        source=array("I", (source for source, _, _ in edges)),
        target=array("I", (target for _, _, target in edges)),
        label=array("I", (labels.index(label(text)) for _, text, _ in edges)),
        first=array("I", (sum(source < n for source, _, _ in edges) for n in range(count + 1))),
        arrival=array("i", (_arrival(n, edges) if n not in initial else -1 for n in range(count))),
        actions=tuple(dict.fromkeys(Action(name=one.action, parameters=one.parameters) for one in letters)),
        repeated={},
        generated=len(edges) + len(initial),
        distinct=count,
        alphabet=letters,
        level=LabelLevel.PAIRED,
        notes=(),
    )


def _arrival(state: int, edges: list[tuple[int, str, int]]) -> int:
    """The first edge from a lower state, which is on a shortest way in the graphs here."""
    return next((n for n, (source, _, target) in enumerate(edges) if target == state > source), -1)


class Refused(Exception):
    """How the implementation says that it offers no such step."""


class Counter:
    """The implementation. ``log`` is durable, and no variable of the spec shows it."""

    def __init__(self, x: int = 0) -> None:
        self.x = x
        self.log: tuple[str, ...] = ()

    def up(self) -> None:
        self.need(self.x < 3)
        self.x += 1

    def down(self) -> None:
        self.need(self.x > 0)
        self.x -= 1

    def jump(self, n: int) -> None:
        self.need(self.x == 0 and n == 2)
        self.x = n

    def stay(self) -> None:
        self.need(self.x == 3)

    def see(self) -> dict[str, object]:
        return {"x": self.x, "odd": self.x % 2 == 1}

    def need(self, condition: bool) -> None:
        if not condition:
            raise Refused


# Faults, each by the kind of divergence that it must show as


class StartsAtOne(Counter):
    """WRONG_START"""

    def __init__(self, x: int = 0) -> None:
        super().__init__(x + 1)


class NeverDown(Counter):
    """NOT_OFFERED"""

    def down(self) -> None:
        raise Refused


class JumpsTooFar(Counter):
    """WRONG_STATE"""

    def jump(self, n: int) -> None:
        super().jump(n)
        self.x = 3


class CountsFrom3To1(Counter):
    """NOT_REFUSED"""

    def up(self) -> None:
        if self.x == 3:
            self.x = 0  # the spec allows only 2 and 3 after 3
        else:
            super().up()


class JumpsAndDenies(Counter):
    """NOT_REFUSED: refuses a step, but not without a change"""

    def jump(self, n: int) -> None:
        if self.x == 1:
            self.x = 3
        super().jump(n)


class RaisesAtTwo(Counter):
    """RAISED"""

    def up(self) -> None:
        if self.x == 2:
            raise ZeroDivisionError("two is too much")
        super().up()


class RaisesInsteadOfRefusing(Counter):
    """RAISED"""

    def stay(self) -> None:
        if self.x == 1:
            raise KeyError("stay")
        super().stay()


class BlindAtThree(Counter):
    """UNOBSERVABLE"""

    def see(self) -> dict[str, object]:
        if self.x == 3:
            raise OSError("the store is closed")
        return super().see()


class LacksThree(Counter):
    """UNOBSERVABLE: has something in the place of 3 that is no value"""

    def see(self) -> dict[str, object]:
        return {**super().see(), "x": None if self.x == 3 else self.x}


class LogsDown(Counter):
    """HIDDEN_STATE"""

    def down(self) -> None:
        super().down()
        self.log = (*self.log, "down")


class TiresOut(Counter):
    """Fails at the fifth step of any kind: what no snapshot of a model holds, and no short walk shows."""

    def __init__(self, x: int = 0) -> None:
        super().__init__(x)
        self.done = 0

    def need(self, condition: bool) -> None:
        self.done += 1
        super().need(condition)
        if self.done > 5:
            raise RuntimeError("tired")


class LogsRefusals(Counter):
    """HIDDEN_STATE: a step that is refused leaves a mark that no variable shows"""

    def jump(self, n: int) -> None:
        if n == 1:
            self.log = (*self.log, "jump")
        super().jump(n)


def leave(*_: object) -> NoReturn:
    """A method of an implementation or a model that ends the process."""
    sys.exit(0)


FAULTS = (
    StartsAtOne,
    NeverDown,
    JumpsTooFar,
    CountsFrom3To1,
    JumpsAndDenies,
    RaisesAtTwo,
    RaisesInsteadOfRefusing,
    BlindAtThree,
    LacksThree,
    LogsDown,
    LogsRefusals,
)


class ToyModel(Model):
    """The counter's model without snapshots; ``made`` and ``performed`` count what the harness does."""

    implementation: type[Counter] = Counter

    def __init__(self, constants: Mapping[str, Any]) -> None:
        super().__init__(constants)
        self.performed: list[tuple[int, str]] = []

    def start(self, initial: Mapping[str, Value]) -> None:
        x = initial["x"]
        assert isinstance(x, int)
        self.counter = self.implementation(x)

    def observe(self) -> Mapping[str, object]:
        return self.counter.see()

    def content(self) -> Hashable:
        return self.counter.log

    @action("Up")
    def up(self) -> None:
        self._perform("Up", self.counter.up)

    @action("Down")
    def down(self) -> None:
        self._perform("Down", self.counter.down)

    @action("Jump")
    def jump(self, n: int) -> None:
        self._perform(f"Jump({n})", lambda: self.counter.jump(n))

    @action("Stay")
    def stay(self) -> None:
        self._perform("Stay", self.counter.stay)

    def _perform(self, step: str, do: Callable[[], None]) -> None:
        self.performed.append((self.counter.x, step))
        try:
            do()
        except Refused:
            raise NotOffered("the counter refuses") from None


class SnapshotModel(ToyModel):
    """The same with snapshots."""

    def snapshot(self) -> Any:
        return self.counter.x, self.counter.log

    def restore(self, snapshot: Any) -> None:
        self.counter.x, self.counter.log = snapshot


def model_of(implementation: type[Counter], base: type[ToyModel] = SnapshotModel) -> type[ToyModel]:
    """A model's class for an implementation."""
    return type("Toy", (base,), {"implementation": implementation})


MODEL = """
from specwalk.model import action
from tests.harness.toy import SnapshotModel, {implementation}

class Toy(SnapshotModel):
    spec = "../spec/Toy.tla"
    implementation = {implementation}
"""


def write_project(
    folder: Path,
    implementation: type[Counter] = Counter,
    *,
    tla: str = TOY_TLA,
    cfg: str = TOY_PIN + TOY_CFG,
    more: str = "",
) -> None:
    """A project of spec, configuration and model; ``more`` are lines of the model's class."""
    model = MODEL.format(implementation=implementation.__name__) + more
    for name, text in (("model/toy.py", model), ("spec/Toy.tla", tla), ("spec/Toy.cfg", cfg)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
