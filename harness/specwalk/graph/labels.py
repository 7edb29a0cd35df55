"""From printed events to labels, and from the events that Next offers to the alphabet.

Rule 1: an event is `<<number, arguments>>`, the number being that of a leaf action.
Rule 2: an action's alphabet is the product of its parameters' domains; one that would be larger than
`LARGEST_PRODUCT` is left at the combinations that Next writes.
Rule 3: TLC's own labels are a name, with newer versions also `name(arguments)`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import product
from math import prod

from specwalk.errors import BadInput
from specwalk.graph.stategraph import Label
from specwalk.label.actions import Action, Actions
from specwalk.values import Value, in_order, parse, show

__all__ = ["alphabet", "event_label", "tlc_label"]

LARGEST_PRODUCT = 20_000


def event_label(actions: Actions, event: Value) -> Label:
    """The label of a printed event."""
    number, arguments = _split(event)
    return _label(actions.leaves[number], arguments)


def tlc_label(text: str) -> Label:
    """The label that TLC's own one stands for."""
    call = re.fullmatch(r"([^(]+)\((.*)\)", text, re.DOTALL)
    if call is None:
        return Label(action=text)
    try:
        arguments = parse(f"<<{call[2]}>>")
    except BadInput:  # TLC leaves large sets unevaluated.
        return Label(action=text)
    assert isinstance(arguments, tuple), "between << and >>"
    return Label(action=call[1], arguments=arguments)


def alphabet(actions: Actions, events: Iterable[Value]) -> tuple[list[Label], list[str]]:
    """Every action instance with parameters from the events' domains, each once, in a fixed order.

    Returns:
        The labels, and the names of actions left at the events themselves (Rule 2).
    """
    offered: defaultdict[int, set[tuple[Value, ...]]] = defaultdict(set)
    for event in events:
        number, arguments = _split(event)
        offered[number].add(arguments)
    labels: dict[Label, None] = {}
    narrow = []
    for number in sorted(offered):
        action = actions.leaves[number]
        combinations: Iterable[tuple[Value, ...]] = sorted(offered[number], key=show)
        domains = [in_order(set(values)) for values in zip(*combinations, strict=True)]
        if prod(map(len, domains)) > LARGEST_PRODUCT:
            narrow.append(action.name)
        else:
            combinations = product(*domains)
        labels |= dict.fromkeys(_label(action, arguments) for arguments in combinations)
    return list(labels), narrow


def _split(event: Value) -> tuple[int, tuple[Value, ...]]:
    assert isinstance(event, tuple), "events are tuples"
    number = event[0]
    assert isinstance(number, int), "that begin with a number"
    return number, event[1:]


def _label(action: Action, arguments: tuple[Value, ...]) -> Label:
    return Label(
        action=action.name,
        parameters=action.parameters,
        arguments=arguments,
        location=action.location,
    )
