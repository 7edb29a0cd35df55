"""LangGraph: a graph with one node, its checkpoints in a file. A replacement takes up the pending node.

Checkpoints are written before and after the node ("sync"), never while it runs: that is when a worker
stands still, and is killed.
"""

import os
from contextlib import nullcontext
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

from abhyasa.hosts.langgraph import recovery_node
from tests.recovery.corpus import INSTANCE, SCOPE

PACKAGES = ("langgraph", "langgraph-checkpoint-sqlite")
AT_ONCE = os.cpu_count()
server = nullcontext
_THREAD = {"configurable": {"thread_id": SCOPE.run}}


class State(TypedDict):
    """What a checkpoint keeps."""

    instance: str
    report: dict[str, str | None] | None


def work(opening, post):
    """Begin the graph, or go on from its checkpoint."""
    node = recovery_node(
        opening, instance="instance", report="report", scope=lambda _: post.scope, worker=post.name
    )
    with _checkpoints(post.folder) as saver:
        graph = _graph(node).compile(checkpointer=saver)
        begun = graph.get_state(_THREAD).next
        given = None if begun else {"instance": INSTANCE.id, "report": None}
        graph.invoke(given, _THREAD, durability="sync")


def record(folder, _):
    """Return the report that the graph was told, and what was pending at each checkpoint."""
    with _checkpoints(folder) as saver:
        graph = _graph(lambda state: state).compile(checkpointer=saver)
        states = list(graph.get_state_history(_THREAD))
    pending = [list(state.next) for state in reversed(states)]
    return {"acknowledged": states[0].values["report"], "pending": pending}


def _checkpoints(folder):
    return SqliteSaver.from_conn_string(str(folder / "checkpoints.db"))


def _graph(node):
    graph = StateGraph(State)
    graph.add_node("refund", node)
    graph.add_edge(START, "refund")
    graph.add_edge("refund", END)
    return graph
