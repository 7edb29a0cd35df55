"""What a walk is to come to, as a user writes it.

Rule 1: an action such as ``Lose``, or an action instance such as ``Lose(o1)``, is to be taken.
Rule 2: anything else is a Python expression, true in the states that are wanted. It speaks of the spec's
        variables and the configuration's constants, and of model values by their names:
        ``state[o1] == "escalated"``. Sequences are Python's tuples, counted from 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from specwalk.errors import BadInput
from specwalk.graph import StateGraph
from specwalk.itf import model_values

__all__ = ["Goal", "find_goal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The edges that end a walk; ``at_start`` says that there is no need of one."""

    edges: frozenset[int]
    at_start: bool = False


def find_goal(text: str, graph: StateGraph, constants: Mapping[str, Any]) -> Goal:
    """The goal that a text names in a graph; it has no edges if it is out of reach there.

    Raises:
        BadInput: the text is neither an action nor an expression that can be evaluated in every state.
    """
    letters = {name for label in graph.alphabet for name in (label.action, str(label))}
    if text in letters | {action.name for action in graph.actions}:
        named = {n for n, label in enumerate(graph.labels) if text in (label.action, str(label))}
        return Goal(edges=frozenset(e for e in range(len(graph)) if graph.label[e] in named))
    action = text.partition("(")[0]
    if instances := [str(label) for label in graph.alphabet if label.action == action and label.arguments]:
        raise BadInput(f"{text} is no instance of {action}; those there are: {', '.join(instances)}.")
    states = _states(text, graph, constants)
    return Goal(
        edges=frozenset(e for e in range(len(graph)) if graph.target[e] in states),
        at_start=not states.isdisjoint(graph.initial),
    )


def _states(text: str, graph: StateGraph, constants: Mapping[str, Any]) -> set[int]:
    """The states in which an expression is true."""
    names = {**constants, **{value.name: value for value in model_values(constants.values())}}
    try:
        code = compile(text, "the goal", "eval")
        truths = [eval(code, {**names, **graph.state_dict(n)}) for n in range(len(graph.states))]
        if not all(isinstance(truth, bool) for truth in truths):
            raise TypeError("it must be true or false")
    except (Exception, SystemExit) as problem:
        actions = ", ".join(action.name for action in graph.actions)
        raise BadInput(
            f"{text!r} is no goal: it is none of the actions ({actions}), and as an expression over the "
            f"variables ({', '.join(graph.variables)}) it fails: {type(problem).__name__}: {problem}."
        ) from problem
    return {state for state, truth in enumerate(truths) if truth}
