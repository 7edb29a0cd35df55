"""A history as the rules read it: plain records, and what follows from them by definition.

An *intent* is the durable write-ahead record of a dispatch. A *delivery group* is the intents that
one live key of a deduplicating provider coalesces; any other intent is a group of its own. A group
is *resolved* iff a persisted observation carries the receipt of an effect of that group: no contract
here gives certificates that close a delivery.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, TypeAlias

Record: TypeAlias = Mapping[str, Any]
Records: TypeAlias = list[Record]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is known of one run: declared contract, authority, durable events, provider's ledger."""

    contract: Record
    instance: Record
    authority: Records
    leases: Records
    heartbeats: Records
    consumptions: Records
    intents: Records
    observations: Records
    settlements: Records
    reports: Records
    reservation: str | None
    requests: Records
    lookups: Records
    effects: Records
    deliveries: Records
    pending: Records
    window_closed_at: int | None
    final_at: int | None

    @classmethod
    def of(cls, history: Mapping[str, Any]) -> Self:
        """Read a history from JSON; `provider` holds the ledger that the application never sees."""
        flat = {**history.get("provider", {}), **{k: v for k, v in history.items() if k != "provider"}}
        names = {field.name for field in fields(cls)}
        if flat.keys() != names:
            wrong = ", ".join(sorted(flat.keys() ^ names))
            raise ValueError(f"this is no history: missing or unknown are {wrong}")
        return cls(**flat)

    @property
    def scope(self) -> tuple[str, str, str]:
        """Whom the instance is for."""
        return scope_of(self.instance)

    @property
    def own_reports(self) -> Records:
        """The reports on the instance; what a stranger was told is one if nobody else was told any."""
        own = [report for report in self.reports if scope_of(report) == self.scope]
        return own or self.reports

    @property
    def final_report(self) -> Record | None:
        """The last report."""
        return self.own_reports[-1] if self.own_reports else None

    def stands(self, fact: str, at: int) -> int | None:
        """Return the authority's last word on a fact at a time, None where it had said nothing."""
        values = [word["value"] for word in self.authority if word["fact"] == fact and word["at"] <= at]
        return values[-1] if values else None

    def lost_authority(self, at: int) -> list[str]:
        """Return what of the write authority is missing at a time."""
        conditions = {
            "no grant": self.stands("grant", at) != 1,
            "another policy epoch": self.stands("policy_epoch", at) != self.instance["policy_epoch"],
            "expired": at >= self.instance["expires_at"],
            "cancelled": self.stands("cancelled", at) == 1,
        }
        return [what for what, holds in conditions.items() if holds]

    def lease_at(self, at: int) -> Record | None:
        """Return the lease that holds at a time."""
        held = [lease for lease in self.leases if lease["at"] <= at]
        return held[-1] if held else None

    def window_open(self, at: int) -> bool:
        """Tell whether the provider's deduplication still covers its keys at a time."""
        return self.contract["dedup"] and (self.window_closed_at is None or at < self.window_closed_at)

    def deduplicated(self, intent: Record) -> bool:
        """Tell whether a live key of an earlier intent covers this one."""
        earlier = [other["key"] for other in self.intents if other["number"] < intent["number"]]
        return self.window_open(intent["at"]) and intent["key"] in earlier

    def groups(self) -> list[Records]:
        """Return the delivery groups, in the order of their first intents."""
        groups: list[Records] = []
        for intent in self.intents:
            mates = [group for group in groups if group[0]["key"] == intent["key"]]
            if mates and self.deduplicated(intent):
                mates[-1].append(intent)
            else:
                groups.append([intent])
        return groups

    def resolved(self, group: Records) -> bool:
        """Tell whether an observation shows the effect of a delivery group."""
        references = {intent["reference"] for intent in group}
        receipts = {effect["receipt"] for effect in self.effects if effect["reference"] in references}
        return any(seen["receipt"] in receipts for seen in self.observations)


def scope_of(record: Record) -> tuple[str, str, str]:
    """Return the scope that a record carries."""
    return record["organisation"], record["principal"], record["run"]
