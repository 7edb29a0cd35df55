"""A spec that is hard to write in Python: names, strings and values that need care, and long lines.

Its implementation is a player: the argument of Go is the state to be in.
"""

from collections.abc import Mapping

from specwalk.graph import StateGraph
from specwalk.model import Model, action
from specwalk.values import Function, ModelValue, Value
from tests.harness.toy import build

# Names that a module of tests has for itself, or Python has.
A, BEGIN, CLASS, DIGIT, MODEL = map(ModelValue, ("a", "begin", "class", "1st", "MODEL"))
WORDS = ('say "no"', "it's", "back\\slash", "line\nbreak", "tab\t", "\x7f", "é日", "'\"")

VARIABLES = ("plain", "class", "self", "held", "sets", "text")
STATES: list[tuple[Value, ...]] = [
    (0, A, False, Function({A: 0, CLASS: 1}), frozenset(), ()),
    (-1, BEGIN, True, Function({A: 0, CLASS: 2}), frozenset({frozenset({1, 2}), frozenset()}), ("one",)),
    (2**70, CLASS, True, Function({A: 0}), frozenset({Function({DIGIT: MODEL})}), WORDS),
    (
        3,
        DIGIT,
        False,
        ("now", "1", "sequence"),
        frozenset({(1, frozenset({2}))}),
        (Function({"x": (True,)}),),
    ),
    (
        4,
        MODEL,
        False,
        Function({n * 10**9: ("a long one" * n, n) for n in range(2, 8)}),
        frozenset({frozenset({f"word number {n} of many" for n in range(9)})}),
        tuple(f"word number {n} of many" for n in range(9)),
    ),
    (5, A, False, Function({A: Function({"field": 1, "other": 2}), CLASS: 7}), frozenset({-3, 20}), ()),
    (6, A, False, Function({A: Function({"field": 1, "other": 3}), CLASS: 7}), frozenset({-3, 20}), ()),
]


def ugly_graph() -> StateGraph:
    edges = [(n, f"Go({m})", m) for n, m in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0))]
    return build(edges, alphabet=(), values=STATES.__getitem__, variables=VARIABLES, initial=(0, 5))


class Player(Model):
    """Is in the state that it is told."""

    def start(self, initial: Mapping[str, Value]) -> None:
        self.state = initial

    @action("Go")
    def go(self, n: int) -> None:
        self.state = dict(zip(VARIABLES, STATES[n], strict=True))

    def observe(self) -> Mapping[str, object]:
        return self.state
