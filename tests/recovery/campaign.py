"""All cells of the study on real processes, several at a time; each history is kept as it came out."""

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product, repeat
from pathlib import Path

from abhyasa.recovery import POLICIES
from tests.recovery import hosts, kept
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.processes import Processes
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import play

_SCHEDULES = {schedule.name: schedule for schedule in (*SCHEDULES, *EXTENSIONS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A host, a schedule, a contract and a policy, by name."""

    host: str
    schedule: str
    contract: str
    policy: str

    @property
    def file(self):
        """The name of the cell's history in a folder."""
        return f"{self.host}.{self.schedule}.{self.contract}.{self.policy}.json"

    @property
    def key(self):
        """What pairs the cell with those of other hosts."""
        return self.schedule, self.contract, self.policy


def manifest(host, schedules=SCHEDULES):
    """Return the cells of schedules on a host: with each contract and each policy."""
    return [
        Cell(host=host, schedule=schedule.name, contract=contract, policy=policy)
        for schedule, contract, policy in product(schedules, CONTRACTS, POLICIES)
    ]


def perform(cell, server=None):
    """Play a cell with real processes; return what is kept of it, and where time went."""
    schedule, contract = _SCHEDULES[cell.schedule], CONTRACTS[cell.contract]
    with tempfile.TemporaryDirectory(prefix="recovery-") as folder:
        stage = Processes(cell.policy, contract, schedule.first, Path(folder), cell.host, server)
        history = play(schedule, stage)
        found = {"history": history, "host": stage.record(), "versions": hosts.versions(cell.host)}
        return found, stage.spent


def run(host, cells, folder):
    """Play a host's cells, several at a time, into a folder; yield each when done, and where time went."""
    playing = hosts.named(host)
    with playing.server() as server, ThreadPoolExecutor(playing.AT_ONCE) as pool:
        try:
            for cell, (found, spent) in zip(cells, pool.map(perform, cells, repeat(server)), strict=True):
                kept.write(cell, found, folder)
                yield cell, spent
        finally:
            # Where one fails, or nobody listens any more, the rest need not be played.
            pool.shutdown(cancel_futures=True)


def grade(cells, folder):
    """Grade kept histories, from their files alone. Raises DamagedError for all that are none, by line."""
    verdicts, damaged = {}, []
    for cell in cells:
        try:
            verdicts[cell.key] = kept.verdict(cell, folder)
        except kept.DamagedError as error:
            damaged.append(str(error))
    if damaged:
        raise kept.DamagedError("\n".join(damaged))
    return verdicts
