"""A consequential action as a node of a LangGraph graph.

LangGraph goes on from a checkpoint by running the pending node again, whole: what the node did is not
kept before it returns. This node may be run again at any time: the application's store knows how far
it got.

Rule 1: the state names the instance. Whose scope it is run in, the invocation's config says.
Rule 2: a denial and an unknown outcome are results, for edges to go by. An exception leaves the node
        pending: `invoke(None, config)` takes it up again.
Rule 3: LeaseLost says that another worker has taken over. Let this invocation end, and do not take it
        up again from here: the other one brings the run to its end, and tells the outcome.

Invoke with `durability="sync"`: with "exit" nothing is kept of a worker that dies, and with "async"
nodes that had ended may be run again.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from abhyasa.hosts.run import Opening, run
from abhyasa.recovery import Scope

try:
    from langchain_core.runnables import RunnableConfig
except ModuleNotFoundError as missing:
    missing.add_note("abhyasa.hosts.langgraph needs LangGraph: install abhyasa[langgraph]")
    raise

Update: TypeAlias = dict[str, dict[str, str | None]]


class Node(Protocol):
    """A node of a graph, whatever its state is."""

    def __call__(self, state: Any, config: RunnableConfig) -> Update:
        """Return what changes in the state."""


def recovery_node(
    opening: Opening,
    *,
    instance: str,
    report: str,
    scope: Callable[[RunnableConfig], Scope],
    worker: str | None = None,
) -> Node:
    """Return a node that runs the instance whose id stands in the state.

    `instance` is the key of the state under which the id stands, or its field where the state is a
    dataclass or a model. `report` is the one under which the node writes
    {"outcome": "success" | "denied" | "unknown", "reason": why it was denied, or None}.
    `scope` says, from the config of an invocation, who acts in it. `worker` names the process, by
    default by host and number.
    """

    def node(state: Any, config: RunnableConfig) -> Update:
        instance_id = state[instance] if isinstance(state, Mapping) else getattr(state, instance)
        told = run(opening, instance_id, scope(config), worker)
        return {report: {"outcome": told.outcome.value, "reason": told.reason and told.reason.value}}

    return node
