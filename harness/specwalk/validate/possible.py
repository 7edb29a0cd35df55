"""The sets of states that a spec can be in, given what was seen: an automaton, built as it is used.

Rule 1: a set holds every state that some behaviour is in after the sights so far, unobserved steps included.
Rule 2: sets have numbers. `NOWHERE` is the empty one: no behaviour shows those sights.
Rule 3: where a sight leads from a set is worked out once, so that following a log is a look-up for each line.
"""

from collections.abc import Hashable, Iterable, Sequence

from specwalk.validate.meaning import Machine, Meaning

__all__ = ["NOWHERE", "Possible"]

NOWHERE = 0


class Possible:
    """Numbered sets of states of some instances, and where sights lead from one to another.

    What was worked out for some logs serves for others.
    """

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.meaning = meaning = Meaning(machines)
        self._sets: list[frozenset[int]] = []
        self._numbers: dict[frozenset[int], int] = {}
        self._after: list[dict[Hashable, int]] = []
        self._either: dict[tuple[int, int], int] = {}
        self._number(frozenset())
        self.start = self._closed(meaning.initial)

    def __len__(self) -> int:
        """How many sets have been met."""
        return len(self._sets)

    def states(self, here: int) -> frozenset[int]:
        """The states of a set."""
        return self._sets[here]

    def after(self, here: int, sight: Hashable) -> int:
        """The set in which the spec is after a sight."""
        known = self._after[here]
        there = known.get(sight)
        if there is None:
            targets = self.meaning.targets
            there = known[sight] = self._closed(
                target for state in self._sets[here] for target in targets(sight, state)
            )
        return there

    def maybe_after(self, here: int, sight: Hashable) -> int:
        """The set in which the spec is if a sight may not have concerned it at all."""
        return self.either(here, self.after(here, sight))

    def either(self, one: int, other: int) -> int:
        """The union of two sets."""
        pair = (one, other)
        if pair not in self._either:
            self._either[pair] = self._number(self._sets[one] | self._sets[other])
        return self._either[pair]

    def _closed(self, states: Iterable[int]) -> int:
        """The set of states that unobserved steps lead to from some states, these among them."""
        found = dict.fromkeys(states)
        new = list(found)
        while new:
            new = [state for old in new for state in self.meaning.unseen(old) if state not in found]
            found.update(dict.fromkeys(new))
        return self._number(frozenset(found))

    def _number(self, states: frozenset[int]) -> int:
        number = self._numbers.setdefault(states, len(self._sets))
        if number == len(self._sets):
            self._sets.append(states)
            self._after.append({})
        return number
