"""What is to happen in one batch of transfers, drawn from a seed: nothing here runs anything.

Rule 1: each part (a transfer, a crash, a partition) is drawn from the seed, the batch and its own name,
        so that a part stays what it is when others are left out.
Rule 2: half of the batches live on a grid of quarter seconds, where moments coincide. In the others,
        they hardly ever do.
Rule 3: no bound is friendlier than admission asks: a budget may be spent long before its deadline, and
        a window may end before the first wait.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from random import Random

from abhyasa import Decision, Obligation, OnDecline, Terms
from abhyasa.channel import PERFECT, Faults
from tests.stateful.network import TARGETS
from tests.stateful.process import Doom
from tests.unit.rig import APPLIED, DECLINED, DEFERRED, START

CUSTODIAN = "custodian"
#: How long the transfers of a batch go on being issued.
SPAN = 120.0
TRANSFERS, CRASHES, PARTITIONS = 100, 30, 3

_GRID = timedelta(seconds=0.25)
_WEATHERS = [
    Faults(lose=lose, duplicate=duplicate, delay=delay, reorder=0.5, longest=longest * _GRID)
    for lose, duplicate, delay, longest in product(
        (0.0, 0.1, 0.2, 0.4, 1.0), (0.0, 0.3), (0.0, 0.5, 1.0), (1, 4, 20, 200)
    )
]
# Sums of these are exact. The last has no effect that rounding would show, and is corrective all the same.
_DELTAS = [-0.25, -0.125, -0.0625, -(2.0**-30), 0.0, 0.125]
#: The application's answers, one for each time that it is asked; the last is repeated. None: it fails.
_ANSWERS = [
    *[(APPLIED,)] * 6,
    *[(DEFERRED,)] * 3,
    (DECLINED,),
    (None, APPLIED),
    (None, None, DEFERRED),
    (None,),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """A later answer to what was deferred: `after` the deferral, or after the answer before it."""

    after: timedelta
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """One obligation that the principal issues, what its messages meet, and what its receiver makes of it."""

    name: str
    obligation: Obligation
    terms: Terms
    issued: tuple[datetime, ...]
    outward: Faults
    homeward: Faults
    answers: tuple[Decision | None, ...]
    later: tuple[Later, ...]
    channel_seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash:
    """The end of a process: at a moment of rest, or, with a doom, in the midst of its next calls."""

    name: str
    process: str
    at: datetime
    doom: Doom | None
    outage: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A time in which nothing that is sent to or from one receiver arrives."""

    name: str
    target: str
    begins: datetime
    ends: datetime


Part = Transfer | Crash | Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One batch. `agenda_first`: the host serves what is due before what arrives at the same moment."""

    parts: tuple[Part, ...]
    best_effort_grants: bool
    agenda_first: bool

    def of(self, kind: type) -> list[Part]:
        """Return the parts of a kind."""
        return [part for part in self.parts if isinstance(part, kind)]

    def only(self, names: Collection[str]) -> "Plan":
        """Return the same batch with no other parts than these."""
        return replace(self, parts=tuple(part for part in self.parts if part.name in names))


def draw(seed: int, batch: int) -> Plan:
    """Draw a batch."""
    drawer = _Drawer(f"{seed}/{batch}")
    parts = [
        *(drawer.transfer(f"t{number}") for number in range(TRANSFERS)),
        *(drawer.crash(f"c{number}") for number in range(CRASHES)),
        *(drawer.partition(f"p{number}") for number in range(PARTITIONS)),
    ]
    return Plan(
        parts=tuple(parts), best_effort_grants=drawer.best_effort_grants, agenda_first=drawer.agenda_first
    )


class _Drawer:
    def __init__(self, seed: str) -> None:
        self._seed = seed
        whole = Random(seed)
        self.best_effort_grants = whole.random() < 0.3
        self.agenda_first = whole.random() < 0.5
        self._on_grid = whole.random() < 0.5
        self._random = whole

    def transfer(self, name: str) -> Transfer:
        some = self._begin(name)
        issued = self._moment(SPAN)
        answers = some.choice(_ANSWERS)
        return Transfer(
            name=name,
            obligation=self._obligation(name),
            terms=self._terms(),
            issued=(issued, *(issued + self._time(30) for _ in range(some.choice([0, 0, 0, 0, 1, 2])))),
            outward=self._weather(),
            homeward=self._weather(),
            answers=answers,
            later=self._later() if DEFERRED in answers else (),
            channel_seed=some.getrandbits(32),
        )

    def crash(self, name: str) -> Crash:
        some = self._begin(name)
        return Crash(
            name=name,
            process=some.choice([CUSTODIAN, CUSTODIAN, CUSTODIAN, *TARGETS]),
            at=self._moment(SPAN * 1.3),
            doom=some.choice([None, self._doom(), self._doom(), self._doom()]),
            outage=self._time(some.choice([0, 0, 0, 0, 0.5, 1, 1, 2, 5, 40])),
        )

    def partition(self, name: str) -> Partition:
        some = self._begin(name)
        begins = self._moment(SPAN)
        ends = begins + self._time(40)
        return Partition(name=name, target=some.choice(TARGETS), begins=begins, ends=ends)

    def _begin(self, name: str) -> Random:
        self._random = Random(f"{self._seed}/{name}")
        return self._random

    def _obligation(self, name: str) -> Obligation:
        some = self._random
        target = some.choice(TARGETS)
        # Decisions on keys of their own cannot supersede each other; those on shared keys do.
        shared = some.random() < 0.4
        sequence = some.choice([None, some.randrange(500)]) if shared else None
        word = "shared" if shared else name
        kind, payload = some.choice([self._update, self._consent, self._token, self._unknown])(word)
        return Obligation(id=name, kind=kind, target=target, payload=payload, sequence=sequence)

    def _update(self, word: str) -> tuple[str, dict[str, object]]:
        return "phala.belief_update", {"weight_key": word, "weight_delta": self._random.choice(_DELTAS)}

    def _consent(self, word: str) -> tuple[str, dict[str, object]]:
        return "anumati.consent", {"decision": self._random.choice(["grant", "revoke"]), "scope": word}

    def _token(self, word: str) -> tuple[str, dict[str, object]]:
        operation = self._random.choice(["revoke", "revoke", "revoke", "revoke", "issue", "refresh"])
        return "oauth.token", {"operation": operation, "token_hash": word.encode().hex().rjust(64, "0")}

    def _unknown(self, word: str) -> tuple[str, dict[str, object]]:
        """Mostly another consent: what nobody knows is little to look at."""
        return ("telemetry", {}) if self._random.random() < 0.1 else self._consent(word)

    def _terms(self) -> Terms:
        some = self._random
        initial = timedelta(seconds=some.choice([0.25, 1, 3]))
        cap = some.choice([None, 1, 2, 8])
        return Terms(
            window=max(_GRID, self._time(some.choice([4, 20, 60, 200]))),
            max_retries=some.choice([0, 1, 2, 4, 8]),
            initial=initial,
            cap=None if cap is None else cap * initial,
            jitter=some.choice([None, some.randrange(4)]),
            on_decline=some.choice(list(OnDecline)),
        )

    def _weather(self) -> Faults:
        return PERFECT if self._random.random() < 0.5 else self._random.choice(_WEATHERS)

    def _later(self) -> tuple[Later, ...]:
        some = self._random
        settles = some.choice([APPLIED, APPLIED, DECLINED])
        decisions = some.choice([(), (settles,), (settles,), (settles,), (DEFERRED, settles)])
        return tuple(Later(after=self._time(20), decision=decision) for decision in decisions)

    def _doom(self) -> Doom:
        some = self._random
        if some.random() < 0.5:
            return Doom(nth=some.randint(1, 3), counting="COMMIT", before=some.random() < 0.5)
        return Doom(nth=some.randint(1, 24), before=some.random() < 0.5)

    def _moment(self, span: float) -> datetime:
        return START + self._time(span)

    def _time(self, longest: float) -> timedelta:
        """Return a time up to `longest` seconds, of whole quarters on the grid."""
        some = self._random
        if self._on_grid:
            return some.randint(0, int(longest * 4)) * _GRID
        return timedelta(microseconds=some.randint(0, int(longest * 1_000_000)))
