"""The receivers' applications: what they decide on an obligation, and the effect that one has of its own."""

from tests.unit.rig import APPLIED

#: This one keeps a journal of what it applied, in its receiver's store. The others leave it to the kind.
JOURNALIST = "agent-c"


class Overloaded(Exception):
    """What an application raises that cannot decide, or not carry out what it decided."""


class Applications:
    """All of them. Rules of the machine set what they `will` decide on each obligation; None: they fail."""

    def __init__(self):
        self.will = {}
        self.asked = False

    def decide(self, obligation):
        """Decide, or fail. That a journalist fails shows only in its effect."""
        self.asked = True
        if self.will[obligation.id] is None and obligation.target != JOURNALIST:
            raise Overloaded
        return self.will[obligation.id] or APPLIED

    def effect_of(self, name):
        """Return the effect of the application at a receiver, None where the kind's own is made."""
        return self._journal if name == JOURNALIST else None

    def outcome(self, obligation, decision):
        """Return what comes of a decision: None where its effect fails."""
        fails = obligation.target == JOURNALIST and self.will[obligation.id] is None
        return None if fails and decision == APPLIED else decision

    def _journal(self, connection, obligation):
        connection.execute("INSERT INTO journal VALUES (?)", (obligation.id,))
        if self.outcome(obligation, APPLIED) is None:
            raise Overloaded
