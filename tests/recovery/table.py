"""What a set of verdicts comes to, counted: nothing is known here of what it should come to."""

from collections import Counter

HEADINGS = (
    "histories",
    "pass",
    "completions",
    "denials",
    "unknown",
    "success reports",
    "over the effect allowance",
    "authority findings",
    "both findings",
)


def tally(verdicts):
    """Count the verdicts of one policy, by heading."""
    counts = Counter()
    for verdict in verdicts:
        grade = verdict.grade
        counts += Counter(
            {
                "histories": 1,
                "pass": grade != "failure",
                "completions": grade == "completion",
                "denials": grade == "denial",
                "unknown": grade == "unknown",
                "success reports": verdict.report == "success",
                "over the effect allowance": verdict.exceeds,
                "authority findings": verdict.unauthorised,
                "both findings": verdict.exceeds and verdict.unauthorised,
            }
        )
    return {heading: counts[heading] for heading in HEADINGS}


def by_policy(verdicts):
    """Count verdicts by cell, as {policy: {heading: count}}."""
    policies = {policy: [] for _, _, policy in verdicts}
    for (_, _, policy), verdict in verdicts.items():
        policies[policy].append(verdict)
    return {policy: tally(found) for policy, found in policies.items()}
