"""The story of a batch, told once it is over: each line with its moment, in the order of time."""

from tests.stateful.story import Story
from tests.unit.rig import START


class Hindsight(Story):
    """A story whose lines are put in order before they are read."""

    def __init__(self):
        super().__init__(lambda: (self._moment - START).total_seconds())
        self._moment = START

    def tell_of(self, moment, name, what):
        """Add a line about a moment to the story of an obligation."""
        self._moment = moment
        self.tell(name, what)

    def require(self, holds, *about):
        """Raise Broken, as Story does, with every line in its place."""
        if not holds:
            for lines in self._lines.values():
                lines.sort()
        super().require(holds, *about)
