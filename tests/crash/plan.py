"""What a run is about: the obligations, what the application will answer, and how long a wait is.

The plan is a file in the run's folder, which both programs read each time that they start. The
bounds are those of the spec's instance with one obligation: a window of three waits, one retry.
An item is an obligation by itself, or one of several decisions on an authority.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from abhyasa import Adjust, Kind, Kinds, Obligation, Terms
from abhyasa.core.values import Json, path_key
from abhyasa.kinds import Consent

TARGET = "agent-b"
WAITS = 3
MAX_RETRIES = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One obligation: the application's answer, and for a deferred one the later one and when (in waits)."""

    id: str
    answer: str = "applied"
    later: str | None = None
    after: float = 0.5
    benign: bool = False

    def obligation(self) -> Obligation:
        payload = {name: value for name, value in asdict(self).items() if name != "id"}
        return Obligation(id=self.id, kind=Counted.name, target=TARGET, payload=payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consenting:
    """One decision on the target's authority over a scope, numbered from 1 there; it is never declined."""

    scope: str
    sequence: int
    grants: bool

    @property
    def id(self) -> str:
        return f"{self.scope}-{self.sequence}"

    def obligation(self) -> Obligation:
        payload = {"decision": "grant" if self.grants else "revoke", "scope": self.scope}
        return Obligation(
            id=self.id, kind=Consent.name, target=TARGET, payload=payload, sequence=self.sequence
        )


#: What is decided on a scope, oldest first: whether each decision grants. Logs of these can be validated.
ORDERS = {
    "grant, revoke": (True, False),
    "revoke, grant": (False, True),
    "grant, revoke, grant": (True, False, True),
}


def consents(scope: str, *grants: bool) -> list[Consenting]:
    """Decisions on one scope, oldest first: whether each of them grants."""
    return [Consenting(scope=scope, sequence=n, grants=permits) for n, permits in enumerate(grants, start=1)]


class Counted(Kind):
    """Each effect and each fail-safe adds one to a number of its own: what happens twice shows."""

    name = "tests.counted"

    def check(self, payload: Mapping[str, Json]) -> None:
        Item(id="any", **payload)

    def governed_key(self, obligation: Obligation) -> str:
        return path_key("counted", obligation.id)

    def safe(self, obligation: Obligation) -> Adjust | None:
        return None if obligation.payload["benign"] else _count("safe", obligation)

    def effect(self, obligation: Obligation) -> Adjust:
        return _count("applied", obligation)


def _count(what: str, obligation: Obligation) -> Adjust:
    return Adjust(key=path_key(what, obligation.id), by=1, low=0, high=1000, start=0)


KINDS = Kinds(Counted(), Consent())


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A run: its items, submitted `gap` seconds apart; a wait of `tick` seconds; the receiver's port.

    The custodian ends by itself `linger` waits after nothing is pending any more.
    """

    items: Sequence[Item | Consenting]
    tick: float
    port: int
    gap: float = 0.0
    linger: float = 0.0

    @property
    def terms(self) -> Terms:
        tick = timedelta(seconds=self.tick)
        return Terms(window=WAITS * tick, max_retries=MAX_RETRIES, initial=tick, cap=tick, jitter=None)

    def write(self, folder: Path) -> None:
        (folder / "plan.json").write_text(json.dumps(asdict(self)))


def read_plan(folder: Path) -> Plan:
    """Read what `Plan.write` wrote."""
    fields = json.loads((folder / "plan.json").read_text())
    items = (Consenting(**item) if "scope" in item else Item(**item) for item in fields["items"])
    return Plan(**{**fields, "items": tuple(items)})
