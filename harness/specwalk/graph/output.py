"""A state graph for others: a summary for people, JSON for programs, DOT for drawing tools."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from specwalk.graph.stategraph import StateGraph
from specwalk.values import show

__all__ = ["as_dot", "as_json", "remarks", "summary"]


def summary(graph: StateGraph) -> Table:
    """Counts, and the transitions of each action."""
    pairs = {(graph.source[edge], graph.label[edge]) for edge in range(len(graph))}
    several = sum(1 for _ in graph.several_successors())
    table = Table(title="State graph")
    table.add_column("")
    table.add_column("", justify="right")
    for title, count in (
        ("distinct states", len(graph.states)),
        ("initial states", len(graph.initial)),
        ("states generated", graph.generated),
        ("labelled edges, as TLC generated them", sum(graph.generated_counts().values())),
        ("  of them distinct", len(graph)),
        ("leaf actions", len({action.name for action in graph.actions})),
        ("distinct events (action and arguments)", len(graph.labels)),
        ("action instances in the alphabet", len(graph.alphabet)),
        ("pairs of state and event", len(pairs)),
        ("  of them with several successors", several),
    ):
        table.add_row(title, f"{count:,}")
    table.add_section()
    counts = graph.leaf_counts()
    for action in graph.actions:
        table.add_row(str(action), f"{counts[str(action)]:,}")
    return table


def remarks(graph: StateGraph) -> list[str]:
    """How the labels were got, and what else there is to know."""
    return [f"labels: {graph.level.value}", *graph.notes]


def as_json(graph: StateGraph) -> Mapping[str, Any]:
    """The whole graph; values are TLA+ text."""
    return {
        "variables": list(graph.variables),
        "generated": graph.generated,
        "initial": list(graph.initial),
        "actions": graph.generated_counts(),
        "alphabet": [str(label) for label in graph.alphabet],
        "states": [[show(value) for value in values] for values in graph.states],
        "edges": [
            [graph.source[edge], str(graph.labels[graph.label[edge]]), graph.target[edge]]
            for edge in range(len(graph))
        ],
        "labels": graph.level.name.lower(),
        "notes": list(graph.notes),
    }


def as_dot(graph: StateGraph) -> Iterator[str]:
    """The graph in DOT, line by line; initial states are filled."""
    yield "digraph {\n"
    for state in range(len(graph.states)):
        text = "\n".join(f"{name} = {show(value)}" for name, value in graph.state_dict(state).items())
        style = ", style=filled" if state in graph.initial else ""
        yield f"  {state} [label={json.dumps(text)}{style}];\n"
    for edge in range(len(graph)):
        label = json.dumps(str(graph.labels[graph.label[edge]]))
        yield f"  {graph.source[edge]} -> {graph.target[edge]} [label={label}];\n"
    yield "}\n"
