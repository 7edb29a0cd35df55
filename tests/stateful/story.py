"""What is told when a rule is broken: the rule, what it asks, what was done, and the story so far."""

from collections import defaultdict


class Broken(AssertionError):
    """The implementation broke a rule of the protocol."""


class Story:
    """What happened to each obligation, in order: the test's own log, read from no store.

    `clock` returns the seconds since the start.
    """

    def __init__(self, clock):
        self.broken = False
        self._clock = clock
        self._lines = defaultdict(list)

    def tell(self, name, what):
        """Add a line to the story of an obligation."""
        self._lines[name].append(f"  {self._clock():>12.6f} s  {what}")

    def require(self, holds, rule, name=None, expected="", observed=""):
        """Raise Broken, naming the rule, with the story of the obligation concerned, or with all."""
        if holds:
            return
        self.broken = True
        lines = [rule]
        if expected or observed:
            lines += [f"  by the rule: {expected}", f"  in fact:     {observed}"]
        for concerned in self._lines if name is None else [name]:
            lines += [f"the story of {concerned}:", *self._lines[concerned]]
        raise Broken("\n".join(lines))
