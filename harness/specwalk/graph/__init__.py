"""A spec's complete state graph, and what there is to do with it.

``explorer`` is the way to one: it runs ``label``'s wrapper and reads what TLC wrote (``dot``,
``transitions``, ``labels``, ``assemble``). ``stategraph`` is the graph itself, ``symmetry`` its size up to
symmetry, ``output`` writes it for others.
"""

from specwalk.graph.explorer import explore
from specwalk.graph.stategraph import Label, LabelLevel, StateGraph
from specwalk.label.actions import Action

__all__ = ["Action", "Label", "LabelLevel", "StateGraph", "explore"]
