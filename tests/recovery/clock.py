"""Logical time: a counter that every message carries, so that an effect is later than its cause."""


class Clock:
    """Counts events. Whoever hears of a later time goes on from there."""

    def __init__(self, now=0):
        self.now = now

    def __call__(self):
        self.now += 1
        return self.now

    def reach(self, now):
        self.now = max(self.now, now)
