"""Where a model does not fit its spec: all of it at once, before anything is walked.

Rule 1: methods are compared with the leaf actions of Next, what observe() returns with the variables.
Rule 2: for that observe() is asked once, in an initial state. If the implementation fails already
        there, that is for the walk to report, unless other gaps keep the walk from being made.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from specwalk.errors import SpecwalkError
from specwalk.graph import Action, StateGraph
from specwalk.model import Model
from specwalk.replay import explain

__all__ = ["Gaps", "find_gaps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """Where a model does not fit its spec; false if there is no such place.

    Attributes:
        model: the name of the model's class.
        actions: leaf actions for which it has no method.
        variables: variables that its ``observe()`` does not return.
        misfits: what else to change, one sentence each.
        unobserved: why nothing is known of its ``observe()``.
    """

    model: str
    actions: tuple[Action, ...] = ()
    variables: tuple[str, ...] = ()
    misfits: tuple[str, ...] = ()
    unobserved: str = ""

    def __bool__(self) -> bool:
        return bool(self.actions or self.variables or self.misfits)

    @property
    def problems(self) -> list[str]:
        """Each gap in a sentence."""
        unobserved = f"{self.model}.observe() could not be compared with the spec: {self.unobserved}"
        return [
            *(f"{self.model} has no method for the action {action}." for action in self.actions),
            *(f"{self.model}.observe() lacks the variable {name}." for name in self.variables),
            *self.misfits,
            *([unobserved] if self and self.unobserved else []),
        ]


def find_gaps(model: Model, graph: StateGraph) -> Gaps:
    """Compare a model with the leaf actions and the variables of its spec; starts the implementation."""
    kind, methods = type(model), model.actions()
    observed = _observed(model, graph)
    names = graph.variables if isinstance(observed, str) else tuple(observed)
    surplus = [name for name in names if name not in graph.variables]
    return Gaps(
        model=kind.__name__,
        actions=tuple(leaf for leaf in graph.actions if leaf.name not in methods),
        variables=tuple(name for name in graph.variables if name not in names),
        misfits=(
            *_misfits(kind, methods, graph.actions),
            *(
                f"{kind.__name__}.observe() returns {name}, which is no variable of the spec. "
                "Remove it or correct the name."
                for name in surplus
            ),
        ),
        unobserved=observed if isinstance(observed, str) else "",
    )


def _observed(model: Model, graph: StateGraph) -> Mapping[str, object] | str:
    """What observe() returns in an initial state, or why that is not known."""
    if type(model).observe is Model.observe:
        return {}
    try:
        model.start(graph.state_dict(graph.initial[0]))
        observed: Any = model.observe()
    except SpecwalkError as problem:
        return str(problem)
    except BaseException as error:
        return f"{explain(error)}."
    return observed if isinstance(observed, Mapping) else f"it returns {observed!r}, which is no dict."


def _misfits(kind: type[Model], methods: Mapping[str, str], leaves: Sequence[Action]) -> Iterator[str]:
    """Methods with other parameters than their action, and those for no action."""
    for leaf in leaves:
        method = methods.get(leaf.name)
        if method and not _accepts(getattr(kind, method), len(leaf.parameters)):
            wanted = ", ".join(("self", *leaf.parameters))
            yield f"{kind.__name__}.{method} must take ({wanted}) for the action {leaf.name}."
    known = {leaf.name for leaf in leaves}
    for name, method in methods.items():
        if name not in known:
            yield (
                f"{kind.__name__}.{method} is for the action {name}, which the spec's Next does not have. "
                "Remove it or correct the name."
            )


def _accepts(method: Callable[..., None], count: int) -> bool:
    try:
        inspect.signature(method).bind(None, *range(count))
    except TypeError:
        return False
    return True
