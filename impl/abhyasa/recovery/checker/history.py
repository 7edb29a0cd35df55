"""A history as the rules read it: plain records, and what follows from them by definition.

An *intent* is the durable write-ahead record of a dispatch. A *delivery group* is the intents that
one live key of a deduplicating provider coalesces; any other intent is a group of its own. A group
is *resolved* iff a persisted observation carries the receipt of an effect of that group: no contract
here gives certificates that close a delivery.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

from abhyasa.recovery.checker.shape import LISTS, require_whole

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
    window_closed_at: int | None
    final_at: int | None

    @classmethod
    def of(cls, history: Mapping[str, Any]) -> Self:
        """Read a history from JSON; `provider` holds the ledger that the application never sees."""
        provider = history.get("provider")
        if not isinstance(provider, Mapping):
            raise ValueError(f"provider is {provider!r}, and no object: it holds the provider's ledger")
        flat = {**provider, **{name: part for name, part in history.items() if name != "provider"}}
        require_whole(flat)
        return cls(**flat)

    def events(self) -> list[tuple[str, Record]]:
        """Return all that has a time, each with the name of its list."""
        return [(name, record) for name in LISTS for record in getattr(self, name)]

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
        words = [word for word in self.authority if word["fact"] == fact and word["at"] <= at]
        return max(reversed(words), key=_time)["value"] if words else None

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

    def workers(self, epoch: int) -> set[str]:
        """Return who was given the lease of an epoch: one worker, or nobody."""
        return {lease["worker"] for lease in self.leases if lease["epoch"] == epoch}

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
        for intent in sorted(self.intents, key=lambda intent: intent["number"]):
            if self.deduplicated(intent):
                next(group for group in groups if group[0]["key"] == intent["key"]).append(intent)
            else:
                groups.append([intent])
        return groups

    def pending(self) -> Records:
        """Return the requests that may still commit: without an effect, and with no earlier one's key."""
        committed = {effect["reference"] for effect in self.effects}
        return [
            request
            for request in self.requests
            if request["reference"] not in committed and not self._joins(request)
        ]

    def _joins(self, request: Record) -> bool:
        """Tell whether the provider takes a request for an earlier one."""
        earlier = [other["key"] for other in self.requests if other["at"] < request["at"]]
        return self.window_open(request["at"]) and request["key"] in earlier

    def resolved(self, group: Records) -> bool:
        """Tell whether an observation shows the effect of a delivery group."""
        references = {intent["reference"] for intent in group}
        receipts = {effect["receipt"] for effect in self.effects if effect["reference"] in references}
        return any(seen["receipt"] in receipts for seen in self.observations)


def _time(record: Record) -> int:
    at: int = record["at"]
    return at


def scope_of(record: Record) -> tuple[str, str, str]:
    """Return the scope that a record carries."""
    return record["organisation"], record["principal"], record["run"]
