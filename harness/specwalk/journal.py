"""What walks from the initial states did and found, so that the journals of several walkers add up."""

from dataclasses import dataclass, field

from specwalk.tally import Findings

__all__ = ["Journal"]


@dataclass(slots=True)
class Journal:
    """The record of some walks.

    Attributes:
        walks, steps: how many there were.
        replans: how often the implementation chose another successor than the walk was after.
        taken: the edges that were taken and landed where the spec says.
        diverged: the edges of events that did not.
        findings: what diverged.
    """

    walks: int = 0
    steps: int = 0
    replans: int = 0
    taken: set[int] = field(default_factory=set)
    diverged: set[int] = field(default_factory=set)
    findings: Findings = field(default_factory=Findings)

    def merge(self, other: "Journal") -> None:
        """Take another walker's journal in."""
        self.walks += other.walks
        self.steps += other.steps
        self.replans += other.replans
        self.taken |= other.taken
        self.diverged |= other.diverged
        self.findings.merge(other.findings)
