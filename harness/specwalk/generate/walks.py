"""Tours as behaviours to read: each with a name, a purpose, and its steps.

Rule 1: all of it comes from the content of the graph: the same spec has the same names and purposes.
Rule 2: a name is the actions in their order, with arguments only where an action has several.
Rule 3: its purpose is what no other walk of the tours takes. There is always something, or fewer steps
        would do.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count, groupby

from specwalk.generate.names import safe
from specwalk.graph import Label, StateGraph
from specwalk.tours import plan_tours

__all__ = ["Walk", "find_walks"]

# So many runs of steps stand in a name, and in its purpose.
NAMED = 8
LISTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """A walk through a graph.

    Attributes:
        name: for files and functions, such as ``lose_x2_apply_settled``.
        alone: what no other walk takes, such as ``Apply(o1) in step 3 and Settled in step 4``.
        edges: its transitions, as numbers of the graph.
    """

    name: str
    alone: str
    edges: tuple[int, ...]


def find_walks(graph: StateGraph) -> list[Walk]:
    """Walks that take every transition of a canonical graph in the fewest steps."""
    plan = plan_tours(graph).walks
    times = Counter(edge for edges in plan for edge in set(edges))
    words = _words(graph.labels)
    found: dict[str, Walk] = {}
    for edges in plan:
        name = _unused(_name([words[graph.label[edge]] for edge in edges]), found)
        alone = [(n, graph.labels[graph.label[edge]]) for n, edge in enumerate(edges, 1) if times[edge] == 1]
        found[name] = Walk(name=name, alone=_listed(alone), edges=tuple(edges))
    return list(found.values())


def _words(labels: Sequence[Label]) -> list[str]:
    """What each label is called in names (Rule 2)."""
    instances = Counter(label.action for label in labels)
    return [_snake(str(label) if instances[label.action] > 1 else label.action) for label in labels]


def _snake(text: str) -> str:
    """``EscalateByBudget(o1)`` as ``escalate_by_budget_o1``."""
    parted = re.sub(r"(?<=[^\W_A-Z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][^\W_A-Z])", "_", text)
    return safe(parted).lower()


def _name(words: Sequence[str]) -> str:
    """Steps in their order, repeated ones counted; of a long walk its beginning."""
    runs = [(word, len(list(run))) for word, run in groupby(words)]
    named = [word if times == 1 else f"{word}_x{times}" for word, times in runs[:NAMED]]
    more = sum(times for _, times in runs[NAMED:])
    return safe("_".join([*named, *([f"and_{more}_more"] if more else [])]))


def _unused(name: str, taken: Collection[str]) -> str:
    names = (name if number == 1 else f"{name}_{number}" for number in count(1))
    return next(free for free in names if free not in taken)


def _listed(alone: Sequence[tuple[int, Label]]) -> str:
    """Numbered steps in words: ``Lose(o1) in steps 2 to 4 and Settled in step 5``."""
    # In a run the label is the same, and the number grows as the place does.
    runs = [
        [step for _, step in run]
        for _, run in groupby(enumerate(alone), key=lambda item: (item[1][1], item[1][0] - item[0]))
    ]
    listed = [f"{run[0][1]} in {_numbers(run[0][0], run[-1][0])}" for run in runs[:LISTED]]
    if more := sum(map(len, runs[LISTED:])):
        listed.append(f"{more} more transition{'s' if more > 1 else ''}")
    *most, last = listed
    return f"{', '.join(most)}{' and ' if most else ''}{last}"


def _numbers(first: int, last: int) -> str:
    return f"step {first}" if first == last else f"steps {first} to {last}"
