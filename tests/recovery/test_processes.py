"""The same cells on real processes: workers that are killed, and a provider that they cannot look into."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from abhyasa.recovery import Boundary
from tests.recovery import expected, hosts
from tests.recovery.campaign import Cell, grade, run
from tests.recovery.corpus import LOST, Kill, Run, Tell
from tests.recovery.processes import Processes
from tests.recovery.providers import P1, P2
from tests.recovery.test_corpus import seen

# Each treatment of the first request, each kind of ending, and a worker that comes back too late.
A_FEW = [
    Cell(host="process", schedule=schedule, contract=contract, policy=policy)
    for schedule, contract, policy in (
        ("S03_settlement_rollback_revoked", "P2", "ledger"),
        ("S05_replaced_before_dispatch", "P3", "cached"),
        ("S10_wrong_scope_resume", "P1", "ledger"),
        ("S12_dedup_expired", "P1", "stable_key"),
        ("S13_ack_lost_then_revoked", "P1", "ledger"),
        ("S14_revoked_commit_delayed", "P1", "stable_key"),
        ("S14_revoked_commit_delayed", "P3", "ledger"),
    )
]


def test_a_cell_on_real_processes_is_what_the_closed_form_says(tmp_path):
    assert [cell for cell, _ in run("process", A_FEW, tmp_path)] == A_FEW
    verdicts = grade(A_FEW, tmp_path)
    assert {cell: seen(verdict) for cell, verdict in verdicts.items()} == {
        cell: expected.cell(*cell) for cell in verdicts
    }


def links(process, kind=""):
    """Return what a process has open, as the system names it."""
    opened = Path(f"/proc/{process.pid}/fd")
    return {name for fd in opened.iterdir() if (name := os.readlink(fd)).startswith(kind)}


def identities(process):
    """Return device and number of every file that a process has open."""
    opened = (fd.stat() for fd in Path(f"/proc/{process.pid}/fd").iterdir())
    return {(found.st_dev, found.st_ino) for found in opened}


@pytest.fixture(params=hosts.HOSTS)
def waiting(request, tmp_path):
    """The stage of a worker on a host that waits with its request sent and its ack lost."""
    with hosts.named(request.param).server() as server:
        stage = Processes("ledger", P1, LOST, tmp_path, request.param, server)
        stage.run(Run(worker="w1", to=Boundary.SENT))
        yield stage
        stage.run(Run(worker="w1"))
        stage.finish()


def test_the_application_has_no_way_to_the_provider_s_ledger_or_to_its_control(waiting):
    provider, worker = waiting.provider.process, waiting.workers["w1"].process
    ledger = tuple(waiting.tell("identity"))
    assert ledger in identities(provider)
    assert ledger not in identities(worker)
    control = os.readlink(f"/proc/self/fd/{waiting.provider.pipe.fileno()}")
    assert len(links(provider, "socket:")) > 1  # its end of the control, and what it listens on
    assert links(worker, "socket:").isdisjoint({control} | links(provider, "socket:"))

    about = Path(f"/proc/{worker.pid}")
    known = (about / "environ").read_bytes() + (about / "cmdline").read_bytes()
    assert b"ledger-" not in known
    assert not [name for name in links(worker) if "ledger-" in name]
    # The file has lost its name, so nobody finds it by looking for one either.
    assert not [name for name in links(provider) if "ledger-" in name and "(deleted)" not in name]


def test_a_killed_worker_leaves_its_request_to_the_provider(tmp_path):
    stage = Processes("ledger", P2, replace(LOST, commits=False), tmp_path)
    for step in (Run(worker="w1", to=Boundary.SENT), Kill("w1"), Run(worker="w2")):
        step.on(stage)
    Tell("commit_pending").on(stage)
    Run(worker="w3").on(stage)
    history = stage.finish()
    assert [report["outcome"] for report in history["reports"]] == ["unknown", "success"]
    assert [lookup["participant"] for lookup in history["provider"]["lookups"]] == ["w2", "w3"]
    assert len(history["provider"]["requests"]) == len(history["provider"]["effects"]) == 1
