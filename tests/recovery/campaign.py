"""All cells of the study on real processes, several at a time; each history is kept as it came out."""

import json
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from abhyasa.recovery import POLICIES
from abhyasa.recovery.checker import regrade
from tests.recovery.corpus import EXTENSIONS, SCHEDULES
from tests.recovery.processes import Processes, server
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import play

_SCHEDULES = {schedule.name: schedule for schedule in (*SCHEDULES, *EXTENSIONS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A schedule, a contract and a policy, by name."""

    schedule: str
    contract: str
    policy: str

    @property
    def file(self):
        """The name of the cell's history in a folder."""
        return f"{self.schedule}.{self.contract}.{self.policy}.json"


def manifest(schedules=SCHEDULES):
    """Return the cells of schedules: with each contract and each policy."""
    return [
        Cell(schedule=schedule.name, contract=contract, policy=policy)
        for schedule, contract, policy in product(schedules, CONTRACTS, POLICIES)
    ]


def perform(cell):
    """Play a cell with real processes, and return its history."""
    schedule, contract = _SCHEDULES[cell.schedule], CONTRACTS[cell.contract]
    with tempfile.TemporaryDirectory(prefix="recovery-") as folder:
        return play(schedule, Processes(cell.policy, contract, schedule.first, Path(folder)))


def run(cells, folder):
    """Play cells, as many at a time as there are cores, into a folder; yield each as it is done."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=server) as pool:
        for cell, history in zip(cells, pool.map(perform, cells), strict=True):
            (folder / cell.file).write_text(json.dumps(history, indent=1))
            yield cell


def grade(cells, folder):
    """Grade kept histories, from their files alone."""
    return {
        (cell.schedule, cell.contract, cell.policy): regrade(json.loads((folder / cell.file).read_text()))
        for cell in cells
    }
