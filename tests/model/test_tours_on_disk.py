"""The tours of `single` on SQLite files: write-ahead log, locks, syncs, and what is there after reopening."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import mkdtemp

from abhyasa import CustodianStore, ReceiverStore
from model.custody import CustodyModel
from specwalk.divergence import Origin
from specwalk.itf import model_values, read_trace
from specwalk.project import constants_of
from specwalk.replay import Driver
from specwalk.tours import lower_bound, plan_tours
from specwalk.traces import replay_trace
from specwalk.values import Value
from tests.explored import explored

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "spec/Custody_single.cfg"
TRACES = sorted((ROOT / "traces/custody/single").glob("*.itf.json"))


class OnDisk(CustodyModel):
    """The custody model with its stores in files, in a new folder at each start."""

    where: Path

    def start(self, initial: Mapping[str, Value]) -> None:
        self.folder = Path(mkdtemp(dir=self.where))
        super().start(initial)

    def place(self, store: str) -> Path:
        return self.folder / f"{store}.db"

    def reopen(self) -> None:
        """As after the end of both processes."""
        self.custody.close()
        self.ledger.close()
        self.custody, self.ledger = CustodianStore(self.place("custody")), ReceiverStore(self.place("ledger"))


def test_the_tours_run_on_files(tmp_path: Path) -> None:
    graph = explored(ROOT / "spec/Custody.tla", CONFIG)
    model = OnDisk(constants_of(CONFIG))
    model.where = tmp_path
    steps = 0
    for file in TRACES:
        trace = read_trace(file.read_text(), model_values(model.constants.values()))
        driver = Driver(model, graph.variables)
        replayed = replay_trace(trace, graph, driver, Origin(model="custody", config=CONFIG.name))
        assert (len(replayed.taken), replayed.divergence) == (len(trace.steps), None), file.name
        assert model.place("custody").with_name("custody.db-wal").exists()
        model.reopen()
        assert driver.is_at(trace.states[-1], driver.observe()), f"{file.name}, reopened"
        steps += len(replayed.taken)
    assert steps == lower_bound(graph, plan_tours(graph).potentials)
