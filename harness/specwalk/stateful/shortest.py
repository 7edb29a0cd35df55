"""The shortest walk that still shows what a behaviour showed.

Rule 1: a shortest path to any of its states, and its own steps from there on, is a candidate; the short
        ones are tried first. So what depends on the state before alone is shown by a path that is
        provably shortest.
Rule 2: then steps are left out, many together before one alone, as long as the same step still diverges
        in the same way. So what depends on the past is shown by a walk without a step to spare.
Rule 3: only what the body of the snippet shows, too, on new models, counts as shown.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from specwalk.divergence import Divergence
from specwalk.graph import StateGraph
from specwalk.replay import reproduces
from specwalk.stateful.behaviour import Behaviour, Parted
from specwalk.stateful.subject import Subject

__all__ = ["shortest"]

_Shown = tuple[Behaviour, Divergence]
_Show = Callable[[int, Sequence[str]], _Shown | None]


def shortest(found: Divergence, behaviour: Behaviour, subject: Subject) -> Divergence | None:
    """What a behaviour showed at its end, with the shortest way that still shows it.

    Returns:
        None if new models do not show it, taken the same way: the implementation keeps something
        that its start does not make anew, or does not repeat itself.
    """
    show = partial(_show, found, subject)
    for start, texts in _candidates(subject.graph, behaviour):
        if shown := show(start, texts):
            return _without_spare_steps(show, shown)[1]
    return None


def _show(found: Divergence, subject: Subject, start: int, texts: Sequence[str]) -> _Shown | None:
    """Go a walk on a new model; what it shows if that is what was found."""
    behaviour = subject.behaviour()
    try:
        behaviour.start(start)
        for text in texts:
            behaviour.perform(text)
    except Parted as parted:
        shown = parted.divergence
        if (shown.kind, shown.step) == (found.kind, found.step) and reproduces(shown, subject.new_model):
            return behaviour, shown
    return None


def _candidates(graph: StateGraph, behaviour: Behaviour) -> list[tuple[int, list[str]]]:
    found = []
    for place, state in enumerate(behaviour.states):
        path = graph.shortest_path(state)
        labels = [str(graph.labels[graph.label[edge]]) for edge in path]
        start = graph.source[path[0]] if path else state
        found.append((start, labels + behaviour.texts[place:]))
    return sorted(found, key=lambda walk: len(walk[1]))


def _without_spare_steps(show: _Show, shown: _Shown) -> _Shown:
    better: _Shown | None = shown
    while better:
        (behaviour, _), shown = better, better
        tries = (show(behaviour.states[0], texts) for texts in _shorter(behaviour.texts))
        better = next(filter(None, tries), None)
    return shown


def _shorter(texts: list[str]) -> Iterator[list[str]]:
    """A walk with fewer steps before its last one."""
    before = len(texts) - 1
    size = before
    while size > 0:
        for place in range(0, before, size):
            yield texts[:place] + texts[min(place + size, before) :]
        size //= 2
