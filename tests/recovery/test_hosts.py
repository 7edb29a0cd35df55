"""The study on its native hosts: what the cells come to, and that a host really had them."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from tests.recovery import expected
from tests.recovery.__main__ import main
from tests.recovery.campaign import Cell, grade, manifest, run
from tests.recovery.hosts import NATIVE
from tests.recovery.table import by_policy
from tests.recovery.test_corpus import seen

THIN = Cell(host="", schedule="S11_ack_lost", contract="P1", policy="ledger")

#: What a graph had pending at each of its checkpoints, of which none was made by beginning anew.
ONCE = [["__start__"], ["refund"], []]


def record(cell, folder):
    """Return what its host has kept of a cell."""
    return json.loads((folder / cell.file).read_text())["host"]


def last_report(cell, folder):
    """Return what the application has last made durable for its host."""
    report = json.loads((folder / cell.file).read_text())["history"]["reports"][-1]
    return {"outcome": report["outcome"], "reason": report["reason"]}


@pytest.mark.parametrize(
    ("host", "kept"),
    [("langgraph", {"pending": ONCE}), ("temporal", {"attempt": 2, "worker": "w2"})],
)
def test_what_a_killed_worker_began_is_ended_by_another_on_the_host(host, kept, tmp_path):
    cell = replace(THIN, host=host)
    assert [played for played, _ in run(host, [cell], tmp_path)] == [cell]
    (verdict,) = grade([cell], tmp_path).values()
    assert seen(verdict) == expected.cell(*cell.key) == expected.COMPLETION
    assert record(cell, tmp_path) == {"acknowledged": {"outcome": "success", "reason": None}, **kept}


def test_the_manifest_has_every_cell_once():
    files = {cell.file for host in NATIVE for cell in manifest(host)}
    assert len(files) == 2 * 14 * 3 * 4


@pytest.mark.deep
def test_the_study_comes_to_the_published_figures_on_both_hosts(tmp_path):
    done = CliRunner().invoke(main, ["--keep", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "langgraph and temporal: 168 of 168 paired cells agree" in done.output.replace("\n", " ")
    for host in NATIVE:
        cells = manifest(host)
        verdicts = grade(cells, tmp_path)
        assert {key: seen(verdict) for key, verdict in verdicts.items()} == {
            key: expected.cell(*key) for key in verdicts
        }
        counts = by_policy(verdicts)
        for heading, published in expected.PUBLISHED.items():
            assert {policy: counts[policy][heading] for policy in published} == published
        for cell in cells:
            assert record(cell, tmp_path)["acknowledged"] == last_report(cell, tmp_path)
    assert all(record(cell, tmp_path)["pending"] == ONCE for cell in manifest("langgraph"))
    for cell in manifest("temporal"):
        kept, replaced = record(cell, tmp_path), cell.schedule != "S01_clean"
        assert (kept["attempt"], kept["worker"]) == ((2, "w2") if replaced else (1, "w1"))
