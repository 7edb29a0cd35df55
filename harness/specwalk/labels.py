"""From printed events to labels, and from the events that Next offers to the alphabet.

Rule 1: an event is `<<number, arguments>>`, the number being that of a leaf action.
Rule 2: an action's alphabet is the product of its parameters' domains; one that would be larger than
`LARGEST_PRODUCT` is left at the combinations that Next writes.
Rule 3: TLC's own labels are a name, with newer versions also `name(arguments)`.
"""

import re
from collections.abc import Iterable
from itertools import product
from math import prod

from specwalk.actions import Action, Actions
from specwalk.stategraph import Label
from specwalk.values import Value, in_order, parse

__all__ = ["alphabet", "event_label", "tlc_label"]

LARGEST_PRODUCT = 20_000


def event_label(actions: Actions, event: Value) -> Label:
    """The label of a printed event."""
    assert isinstance(event, tuple), "events are tuples"
    number, *arguments = event
    assert isinstance(number, int), "and begin with a number"
    return _label(actions.leaves[number], tuple(arguments))


def tlc_label(text: str) -> Label:
    """The label that TLC's own one stands for."""
    call = re.fullmatch(r"([^(]+)\((.*)\)", text, re.DOTALL)
    if call is None:
        return Label(action=text)
    arguments = parse(f"<<{call[2]}>>")
    assert isinstance(arguments, tuple), "between << and >>"
    return Label(action=call[1], arguments=arguments)


def alphabet(actions: Actions, events: Iterable[Value]) -> tuple[list[Label], list[str]]:
    """Every action instance with parameters from the events' domains, each once, in a fixed order.

    Returns:
        The labels, and the names of actions left at the events themselves (Rule 2).
    """
    offered: dict[int, set[tuple[Value, ...]]] = {}
    for event in events:
        assert isinstance(event, tuple), "events are tuples"
        number, *arguments = event
        assert isinstance(number, int), "and begin with a number"
        offered.setdefault(number, set()).add(tuple(arguments))
    labels: dict[Label, None] = {}
    narrow = []
    for number, arguments in sorted(offered.items()):
        action = actions.leaves[number]
        domains = [in_order(set(values)) for values in zip(*arguments, strict=True)]
        if prod(map(len, domains)) > LARGEST_PRODUCT:
            narrow.append(action.name)
            labels |= dict.fromkeys(_label(action, chosen) for chosen in in_order(arguments))
        else:
            labels |= dict.fromkeys(_label(action, chosen) for chosen in product(*domains))
    return list(labels), narrow


def _label(action: Action, arguments: tuple[Value, ...]) -> Label:
    return Label(
        action=action.name,
        parameters=action.parameters,
        arguments=arguments,
        location=action.location,
    )
