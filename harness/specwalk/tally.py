"""What a walk did and found, counted so that the shares of several walkers add up to the whole."""

from dataclasses import dataclass, field

from specwalk.divergence import Divergence

__all__ = ["Finding", "Findings", "Tally"]

_COUNTED = ("states", "enabled", "edges", "refusals", "did_instead", "hidden_compared")


@dataclass(slots=True)
class Finding:
    """The divergence of its kind with the shortest path, and how many there were like it.

    Attributes:
        from_start: whether its path, taken by a new model, shows it again.
    """

    divergence: Divergence
    count: int = 1
    from_start: bool = True

    def __str__(self) -> str:
        others = f"\n  ({self.count - 1:,} more like this one)" if self.count > 1 else ""
        if self.from_start:
            return f"{self.divergence}{others}"
        return (
            f"{self.divergence.account()}\n  path to the state before: {self.divergence.way}\n"
            "  Taken from the start, these steps do not show it: what others did before was still there. "
            "Let snapshot() and restore() hold all of the implementation, or find the way to it with "
            f"specwalk walk --tours or specwalk.stateful.{others}"
        )


class Findings(dict[tuple[str, ...], Finding]):
    """Divergences by signature."""

    def add(self, divergence: Divergence) -> None:
        """Count a divergence, and keep the one with the shortest path."""
        self._merge(divergence.signature, Finding(divergence))

    def merge(self, other: "Findings") -> None:
        """Take another's divergences in."""
        for signature, finding in other.items():
            self._merge(signature, finding)

    def _merge(self, signature: tuple[str, ...], finding: Finding) -> None:
        known = self.setdefault(signature, finding)
        if known is finding:
            return
        known.count += finding.count
        if len(finding.divergence.way.steps) < len(known.divergence.way.steps):
            known.divergence = finding.divergence

    @property
    def divergences(self) -> int:
        """How many steps and refusals diverged."""
        return sum(finding.count for finding in self.values())


@dataclass(slots=True)
class Tally:
    """The figures of one walk.

    Attributes:
        states: states in which every action instance was tried.
        enabled: pairs of such a state and an action instance that the spec enables there.
        edges: distinct labelled edges that were taken and landed where the spec says.
        refusals: attempts at what the spec does not enable; states x instances - enabled of them.
        did_instead: those attempts in which the implementation did something that the spec allows.
        hidden_compared: landings whose durable content was compared.
        peak_memory: the most that one process held meanwhile, in bytes.
        never_produced: for each action instance the pairs of a state and a successor that the spec
            allows and the implementation did not choose.
        findings: what diverged.
    """

    states: int = 0
    enabled: int = 0
    edges: int = 0
    refusals: int = 0
    did_instead: int = 0
    hidden_compared: int = 0
    peak_memory: int = 0
    never_produced: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    findings: Findings = field(default_factory=Findings)

    @property
    def divergences(self) -> int:
        """How many steps and refusals diverged."""
        return self.findings.divergences

    def merge(self, other: "Tally") -> None:
        """Take another sharer's results in."""
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak_memory = max(self.peak_memory, other.peak_memory)
        for step, pairs in other.never_produced.items():
            self.never_produced.setdefault(step, []).extend(pairs)
        self.findings.merge(other.findings)
