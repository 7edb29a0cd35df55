"""What the study must show, written down apart from all that produces it: for tests alone.

The published figures are of section 5.1; what each cell must be follows from a closed form.
"""

from dataclasses import dataclass

POLICIES = ("cached", "revalidate", "stable_key", "ledger")
CONTRACTS = ("P1", "P2", "P3")

#: Published, per host and policy.
PUBLISHED = {
    "pass": {"cached": 30, "revalidate": 36, "stable_key": 31, "ledger": 42},
    "completions": {"cached": 15, "revalidate": 15, "stable_key": 16, "ledger": 21},
    "denials": {"ledger": 15},
    "unknown": {"revalidate": 6, "ledger": 6},
    "success reports": {"cached": 27},
    "over the effect allowance": {"cached": 12, "revalidate": 6, "stable_key": 9},
    "authority findings": {"stable_key": 6},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is true of a schedule when its last worker begins, and of the first effect at that time."""

    admitted: bool = True
    observed: bool = False
    visible: bool = True
    authorised: bool = True
    key_live: bool = True


DENIAL = Facts(admitted=False)
KNOWN = Facts(observed=True)

FACTS = {
    "S01_clean": KNOWN,
    "S02_crash_after_observation": KNOWN,
    "S03_settlement_rollback_revoked": KNOWN,
    "S04_settled_host_ack_lost": KNOWN,
    "S05_replaced_before_dispatch": KNOWN,
    "S06_revoked_before_dispatch": DENIAL,
    "S07_approval_expired": DENIAL,
    "S08_policy_epoch_changed": DENIAL,
    "S09_approval_consumed": DENIAL,
    "S10_wrong_scope_resume": DENIAL,
    "S11_ack_lost": Facts(),
    "S12_dedup_expired": Facts(key_live=False),
    "S13_ack_lost_then_revoked": Facts(authorised=False),
    "S14_revoked_commit_delayed": Facts(authorised=False, visible=False),
}

COMPLETION = ("completion", "success", 1, frozenset())
REFUSED = ("denial", "denied", 0, frozenset())
HELD = ("unknown", "unknown", 1, frozenset())
REPEATED = frozenset({"R5", "R7", "R9"})


def cell(schedule, contract, policy):
    """Return (grade, report, effects, broken rules) of a cell."""
    facts = FACTS[schedule]
    late = frozenset() if facts.authorised else frozenset({"R4"})
    if not facts.admitted:
        return REFUSED
    if facts.observed:
        return COMPLETION
    if policy == "ledger":
        return COMPLETION if facts.visible and contract != "P3" else HELD
    if policy == "revalidate" and not facts.authorised:
        return HELD
    if policy == "stable_key" and contract == "P1" and facts.key_live:
        if late:
            return ("failure", "success" if facts.visible else "unknown", 1, late)
        return COMPLETION if facts.visible else HELD
    return ("failure", "success", 2, REPEATED | late)
