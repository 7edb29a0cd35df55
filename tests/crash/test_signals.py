"""Signals that ask a process to end, and forks: stores are closed in order, and belong to their process."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crash import audit
from tests.crash.plan import Item, Plan
from tests.crash.processes import CUSTODIAN, RECEIVER, Run, free_port, logs_of, together

PROJECT = Path(__file__).parents[2]


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_both_sides_in_order_and_custody_is_kept(tmp_path, asked):
    run = Run(tmp_path / "run", Plan(items=[Item(id="o", answer="deferred")], tick=60.0, port=free_port()))

    async def signalled() -> None:
        run.start(RECEIVER)
        await run.listening()
        run.start(CUSTODIAN)
        await run.logged(CUSTODIAN, "mark_deferred")
        for program in (CUSTODIAN, RECEIVER):
            os.kill(run.running[program].pid, asked)
            assert await run.ended(program) == 0

    together(signalled())
    assert run.seen.custody["o"].status == "pending"
    assert audit.agent(run.folder).ledger["o"][0] == "deferred"
    for log in logs_of(run.folder):
        first, *_, last = map(json.loads, log.read_text().splitlines())
        assert (first["event"], first["n"], last["event"]) == ("start", 0, "stop")
    # A store that is closed in order leaves no log of commits behind.
    assert not list(run.folder.glob("*-wal"))


FORKS = """
import os, signal, sys
from abhyasa import CustodianStore, ReceiverStore, StoreError
from tests.crash.plan import KINDS, Item
from tests.unit.rig import Rig, terms

rig = Rig(CustodianStore("custody.db"), ReceiverStore("ledger.db"), KINDS)
rig.accept(Item(id="before").obligation())
child = os.fork()
if not child:
    for use in (rig.custodian.next_due, lambda: rig.accept(Item(id="child").obligation())):
        try:
            use()
        except StoreError as error:
            print(error, flush=True)
    if sys.argv[1] == "close":
        rig.custodian_store.close()
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
try:
    CustodianStore("custody.db")
except StoreError:
    print("still owned", flush=True)
rig.accept(Item(id="after").obligation())
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("child", ["close", "drop"])
def test_a_forked_child_is_refused_and_costs_its_parent_neither_lock_nor_commits(tmp_path, child):
    ended = _script(tmp_path, FORKS, child)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    *refusals, owned = ended.stdout.splitlines()
    assert len(refusals) == 2
    assert all("custody.db belongs to the process that opened it" in refusal for refusal in refusals)
    assert owned == "still owned"
    assert audit.principal(tmp_path).custody.keys() == {"before", "after"}


BACKUP = """
import shutil, subprocess, sys
from abhyasa import CustodianStore, ReceiverStore
from tests.crash.plan import KINDS, Item
from tests.unit.rig import Rig

rig = Rig(CustodianStore("custody.db"), ReceiverStore("ledger.db"), KINDS)
rig.accept(Item(id="before").obligation())
shutil.copy("custody.db", "backup")
second = "from abhyasa import CustodianStore; CustodianStore('custody.db')"
refused = subprocess.run([sys.executable, "-c", second], capture_output=True, text=True)
print(refused.stderr)
rig.accept(Item(id="after").obligation())
"""


def test_an_owner_that_copies_its_own_file_still_owns_it(tmp_path):
    ended = _script(tmp_path, BACKUP)
    assert ended.returncode == 0, ended.stderr
    assert "custody.db is held by another endpoint" in ended.stdout
    assert "stop that one, or use another path" in ended.stdout
    assert audit.principal(tmp_path).custody.keys() == {"before", "after"}


ORPHAN = """
import os, signal, subprocess, sys
from abhyasa import CustodianStore

store = CustodianStore("custody.db")
waiting, parent = os.pipe()
if not os.fork():
    os.close(parent)
    os.read(waiting, 1)  # to the end of the parent
    next_one = "from abhyasa import CustodianStore; CustodianStore('custody.db'); print('has it')"
    subprocess.run([sys.executable, "-c", next_one])
    os._exit(0)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_child_of_a_dead_owner_does_not_keep_its_lock(tmp_path):
    assert _script(tmp_path, ORPHAN).stdout == "has it\n"


def _script(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder, to its end and to that of its children."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT / "impl"), str(PROJECT)])}
    asked = [sys.executable, "-c", text, *arguments]
    return subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)


def test_a_signal_ends_a_custodian_in_the_middle_of_its_work(tmp_path):
    items = [Item(id=f"o{number}") for number in range(400)]
    run = Run(tmp_path / "run", Plan(items=items, tick=60.0, port=free_port()))

    async def signalled() -> None:
        run.start(CUSTODIAN)
        await run.logged(CUSTODIAN, "attempt")
        run.running[CUSTODIAN].terminate()
        assert await run.ended(CUSTODIAN) == 0

    together(signalled())
    assert {row.status for row in run.seen.custody.values()} == {"pending"}
