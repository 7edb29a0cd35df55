"""Consequential tools on durable hosts, which repeat what a dead worker began, but not its effect.

`Tool` makes a provider of two functions. `abhyasa.hosts.langgraph` makes a node of a graph, and
`abhyasa.hosts.temporal` an activity, out of an application with a recovery policy; each needs the
extra of its name.
"""

from abhyasa.hosts.run import Opening
from abhyasa.hosts.tool import Tool

__all__ = ["Opening", "Tool"]
