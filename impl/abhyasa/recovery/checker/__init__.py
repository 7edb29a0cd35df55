"""The checker: reads one history as JSON and says what is wrong with it, rule by rule.

Rule 1: it imports the standard library and itself, and nothing of the application: not one
        predicate is shared, and a contract of the import linter holds that.
Rule 2: it is never told which policy made a history.
Rule 3: progress is told apart from safety: a denial or an unknown outcome passes, and completes nothing.

R5, R8, R13 and R14 are reconstructions; the paper publishes no rule in full (section 3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abhyasa.recovery.checker.history import History
from abhyasa.recovery.checker.rules import RULES

__all__ = ["RULES", "Finding", "Verdict", "regrade"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A rule that a history breaks, and where."""

    rule: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a history comes to: `report` is the outcome that the application claims, None for none.

    The counts are the provider's: requests that it took, lookups that it was asked, effects it had.
    """

    report: str | None
    requests: int
    lookups: int
    effects: int
    findings: tuple[Finding, ...]

    @property
    def rules(self) -> frozenset[str]:
        """The rules that are broken."""
        return frozenset(finding.rule for finding in self.findings)

    @property
    def grade(self) -> str:
        """completion, denial or unknown where no rule is broken, else failure."""
        if self.findings or self.report is None:
            return "failure"
        return {"success": "completion", "denied": "denial", "unknown": "unknown"}[self.report]

    @property
    def exceeds(self) -> bool:
        """Whether there are more effects than were allowed (R7)."""
        return "R7" in self.rules

    @property
    def unauthorised(self) -> bool:
        """Whether a dispatch lacked authority, the first (R2) or a later one (R4)."""
        return not self.rules.isdisjoint({"R2", "R4"})


def regrade(history: Mapping[str, Any]) -> Verdict:
    """Judge a history from scratch. Raises ValueError, naming the field, for one that is not whole."""
    read = History.of(history)
    report = read.final_report
    return Verdict(
        report=report["outcome"] if report else None,
        requests=len(read.requests),
        lookups=len(read.lookups),
        effects=len(read.effects),
        findings=tuple(
            Finding(rule=rule, what=what) for rule, check in RULES.items() for what in check(read)
        ),
    )
