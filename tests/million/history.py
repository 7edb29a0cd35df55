"""The state of one side, by the rules, that remembers every change of it."""


class History(dict):
    """Values by key. `changes` are all that were ever set, in order: one that is made twice shows."""

    def __init__(self):
        super().__init__()
        self.changes = []

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        self.changes.append((key, value))
