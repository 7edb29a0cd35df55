"""Disks that fill, files that are locked, cut short or something else: nothing is lost, and it is said."""

import asyncio
import os
import resource
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from abhyasa import CustodianStore, StoreError
from abhyasa.runtime import Address, CustodianHost
from tests.crash import audit, custodian, receiver
from tests.crash.death import Point
from tests.crash.plan import KINDS, TARGET, Item, Plan
from tests.crash.processes import CUSTODIAN, KILLED, RECEIVER, Run, free_port, together

PROJECT = Path(__file__).parents[2]
ITEM = Item(id="o")


def command(program: str, folder: Path, room: int = -1) -> subprocess.CompletedProcess[str]:
    """Run a program as a person would, in an interpreter of its own; `room` limits its files' size."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT / "impl"), str(PROJECT)])}
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, -1)); "
    as_main = f"import runpy; runpy.run_module({program!r}, run_name='__main__')"
    asked = [sys.executable, "-c", limited + as_main, str(folder)]
    return subprocess.run(asked, env=environment, capture_output=True, text=True, timeout=60)


def limit_files(run: Run, size: int) -> None:
    """Let the running custodian write no file beyond a size, as if its disk were full; -1: any size."""
    hard = resource.prlimit(run.running[CUSTODIAN].pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(run.running[CUSTODIAN].pid, resource.RLIMIT_FSIZE, (size, hard))


def test_a_custodian_whose_disk_fills_says_so_keeps_custody_and_goes_on_when_there_is_room(tmp_path):
    run = Run(tmp_path / "run", Plan(items=[ITEM], tick=0.2, port=free_port()))

    async def full_for_a_while() -> None:
        run.start(CUSTODIAN)
        await run.logged(CUSTODIAN, "send")
        limit_files(run, (run.folder / f"{custodian.STORE}-wal").stat().st_size)
        while "'o' is due, and waits" not in run.said(CUSTODIAN):
            await asyncio.sleep(0.01)
        held = audit.principal(run.folder).custody["o"]
        assert (held.status, held.deliveries) == ("pending", 1)
        limit_files(run, -1)
        await run.finish()

    together(full_for_a_while(), patience=30)
    said = run.said(CUSTODIAN)
    assert "free space on its disk" in said
    assert said.count("is due, and waits") <= 2  # once for the retry, and once for the fail-safe
    assert run.seen.custody["o"].status == "escalated"


def test_two_custodians_on_one_store_the_second_is_refused_and_the_first_goes_on(tmp_path):
    # A window of half an hour: the first does not end before the second has started.
    run = Run(tmp_path / "run", Plan(items=[ITEM], tick=600.0, port=free_port()))

    async def second() -> None:
        run.start(CUSTODIAN)
        await run.logged(CUSTODIAN, "attempt")
        refused = await asyncio.to_thread(command, CUSTODIAN, run.folder)
        assert refused.returncode == 1
        assert "held by another endpoint" in refused.stderr
        assert "stop that one, or use another path" in refused.stderr
        assert "Traceback" not in refused.stderr
        run.jump(3600.0)
        await run.finish()

    together(second())
    assert run.seen.custody["o"].status == "escalated"


async def _pending(run: Run) -> None:
    """Leave a store with an obligation in custody."""
    run.start(CUSTODIAN, Point(commit="attempt", number=1, place="unsent"))
    assert await run.ended(CUSTODIAN) == KILLED
    assert run.seen.custody["o"].status == "pending"


@pytest.fixture
def settled(tmp_path):
    """A run that has ended in order: its stores are one file each."""
    run = Run(tmp_path / "run", Plan(items=[ITEM], tick=0.4, port=free_port()))

    async def applied() -> None:
        run.start(RECEIVER)
        await run.listening()
        run.start(CUSTODIAN)
        await run.finish()

    together(applied())
    return run.folder


@pytest.mark.parametrize(("program", "name"), [(CUSTODIAN, custodian.STORE), (RECEIVER, receiver.STORE)])
def test_a_file_that_was_cut_short_is_refused_and_left_as_it_is(settled, program, name):
    path = settled / name
    half = path.read_bytes()[: path.stat().st_size // 2]
    path.write_bytes(half)
    refused = command(program, settled)
    assert refused.returncode == 1
    assert f"{path} is damaged" in refused.stderr
    assert "restore it from a backup" in refused.stderr
    assert path.read_bytes() == half


@pytest.mark.parametrize(("program", "name"), [(CUSTODIAN, custodian.STORE), (RECEIVER, receiver.STORE)])
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(settled, program, name):
    path = settled / name
    path.write_text("shopping list, " * 500)
    refused = command(program, settled)
    assert refused.returncode == 1
    assert "is not a store" in refused.stderr
    assert path.read_text().startswith("shopping list")


@pytest.mark.parametrize("gone", [Path.unlink, lambda path: os.truncate(path, 0)])
def test_a_store_that_lost_its_file_beside_its_log_of_commits_is_refused(tmp_path, gone):
    run = Run(tmp_path / "run", Plan(items=[ITEM], tick=0.4, port=free_port()))
    together(_pending(run))
    path = run.folder / custodian.STORE
    log = path.with_name(f"{path.name}-wal").read_bytes()
    gone(path)
    refused = command(CUSTODIAN, run.folder)
    assert refused.returncode == 1
    assert "still holds commits" in refused.stderr
    assert path.with_name(f"{path.name}-wal").read_bytes() == log


def test_a_disk_without_room_for_a_new_store_is_told(tmp_path):
    Plan(items=[ITEM], tick=0.2, port=free_port()).write(tmp_path)
    refused = command(CUSTODIAN, tmp_path, room=0)
    assert refused.returncode == 1
    assert "free space on its disk" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_store_that_is_full_keeps_what_it_has(tmp_path):
    with CustodianStore(tmp_path / "custody.db") as store:
        store._db.execute("PRAGMA max_page_count = 20").fetchall()
        host = CustodianHost(store, KINDS, {TARGET: Address(host="127.0.0.1", port=1)})
        held = []
        with pytest.raises(StoreError, match=r"is full.*: free space on its disk"):
            _fill(host, held)
    assert held
    assert audit.principal(tmp_path).custody.keys() == set(held)


def _fill(host: CustodianHost, held: list[str]) -> None:
    terms = Plan(items=[], tick=60.0, port=1).terms
    for number in count():
        held.append(host.submit(Item(id=f"o{number}").obligation(), terms).obligation.id)
