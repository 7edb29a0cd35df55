"""What a user writes: one class that says what a spec means in an implementation.

Rule 1: one method per leaf action of the spec's Next, marked with ``@action``; it makes the
        implementation (and its environment) do that step, through public interfaces.
Rule 2: ``observe()`` returns every variable of the spec, read from the implementation, never from
        notes that the model took. A model holds no protocol state.
Rule 3: where the implementation offers no such step (nothing to deliver, nothing due) the method
        raises ``NotOffered``. That answer comes from the implementation, never from a look at
        protocol state.
Rule 4: with ``snapshot()`` and ``restore()`` every edge is walked exactly once; without them each
        state is reached again by replaying the shortest path to it, so the implementation must be
        repeatable.
"""

import inspect
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from keyword import iskeyword
from typing import Any, ClassVar, TypeVar

from specwalk.errors import BadInput
from specwalk.graph import Action
from specwalk.values import Value

__all__ = ["Model", "NotOffered", "action", "missing_parts"]

_Method = TypeVar("_Method", bound=Callable[..., None])
_MARK = "__specwalk_action__"


class NotOffered(Exception):
    """The implementation offers no such step here; the message says what was not there."""


def action(name: str) -> Callable[[_Method], _Method]:
    """Mark a method as the leaf action ``name`` of the spec; it takes the action's arguments in order."""

    def mark(method: _Method) -> _Method:
        setattr(method, _MARK, name)
        return method

    return mark


class Model:
    """Base class of every model.

    Attributes:
        spec: the TLA+ module, as a path from the folder of the model's own file.
        instances: names of configurations: ``single`` is ``Custody_single.cfg`` beside ``Custody.tla``;
            the empty name is ``Custody.cfg``.
        interchangeable: constants whose elements are alike, for the size "up to symmetry".
        not_modelled: behaviours of the implementation that the spec does not speak of; the verdict
            lists them.
    """

    spec: ClassVar[str]
    instances: ClassVar[tuple[str, ...]] = ("",)
    interchangeable: ClassVar[tuple[str, ...]] = ()
    not_modelled: ClassVar[tuple[str, ...]] = ()

    def __init__(self, constants: Mapping[str, Any]) -> None:
        """``constants`` are those that the instance's configuration assigns, by name."""
        self.constants = constants

    def start(self, initial: Mapping[str, Value]) -> None:
        """Start a fresh implementation, in this initial state of the spec."""
        raise BadInput(f"{type(self).__name__} has no start(): write how the implementation starts.")

    def observe(self) -> Mapping[str, object]:
        """Every variable of the spec, by name, as the implementation has it now."""
        raise BadInput(f"{type(self).__name__} has no observe(): write what each variable is read from.")

    def snapshot(self) -> Any:
        """All of the implementation and its environment, as a value that ``==`` compares."""
        return None

    def restore(self, snapshot: Any) -> None:
        """Put everything back as it was at ``snapshot``."""

    def content(self) -> Hashable:
        """All that is durable, in a canonical form, without what may differ between two ways to the
        same spec state (say why at each omission). None: hidden state is not compared."""
        return None

    @classmethod
    def actions(cls) -> dict[str, str]:
        """The names of the methods, by the name of their action."""
        return {
            getattr(method, _MARK): attribute
            for attribute, method in inspect.getmembers(cls, callable)
            if hasattr(method, _MARK)
        }

    @classmethod
    def has_snapshots(cls) -> bool:
        return cls.snapshot is not Model.snapshot and cls.restore is not Model.restore


def missing_parts(model: type[Model], leaves: Sequence[Action]) -> list[str]:
    """What a model lacks, or has too much of, for a spec with these leaf actions.

    Each item says the edit to make.
    """
    methods = model.actions()
    found = []
    for leaf in leaves:
        name, parameters = leaf.name, leaf.parameters
        if name not in methods:
            names = "".join(f", {_python_name(parameter)}" for parameter in parameters)
            found.append(
                f"{model.__name__} has no method for the action {name}. Add:\n\n"
                f'    @action("{name}")\n'
                f"    def {_method_name(name)}(self{names}) -> None:\n"
                f"        ...  # make the implementation do this step, or raise NotOffered\n"
            )
        elif not _accepts(getattr(model, methods[name]), len(parameters)):
            wanted = ", ".join(("self", *parameters))
            found.append(f"{model.__name__}.{methods[name]} must take ({wanted}) for the action {name}.")
    known = {leaf.name for leaf in leaves}
    found += [
        f"{model.__name__}.{attribute} is for the action {name}, which the spec's Next does not have. "
        "Remove it or correct the name."
        for name, attribute in methods.items()
        if name not in known
    ]
    return found


def _accepts(method: Callable[..., None], count: int) -> bool:
    try:
        inspect.signature(method).bind(None, *range(count))
    except TypeError:
        return False
    return True


def _method_name(action_name: str) -> str:
    """``EscalateByBudget`` as ``escalate_by_budget``."""
    words = re.findall(r"[A-Z]+(?![^\W_A-Z\d])|[A-Z]?[^\W_A-Z]+", action_name)
    return _python_name("_".join(words).lower())


def _python_name(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name
