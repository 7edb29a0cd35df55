"""What the tests of explored specs share."""

from collections.abc import Callable

from specwalk.graph import StateGraph

# Explores module M, given its text from EXTENDS on, a configuration, and further modules by name.
Explored = Callable[..., StateGraph]


def events(graph: StateGraph) -> set[str]:
    return {str(label) for label in graph.labels}


def letters(graph: StateGraph) -> set[str]:
    return {str(label) for label in graph.alphabet}
