"""When a host must have done what became due: at once, or, where the custodian was down, on its return."""


class Host:
    """The custodian's host, by its `outages`: when each crash came, and the return from it, in order."""

    def __init__(self, outages):
        self._outages = outages
        self.crashes = {crash for crash, _ in outages}

    def moments(self, due):
        """Return the moments at which what is due then may be done, in order.

        That is one, but for a crash at the very moment: what was due may have been done just before it.
        """
        moments = []
        for crash, back in self._outages:
            if crash <= due < back:
                moments += [due] * (crash == due)
                due = back
        return [*moments, due]
