"""`specwalk regenerate`: what it writes, and when it refuses to; the order of TLC's work is no matter."""

import re
from pathlib import Path

import pytest

from specwalk.generate.suite import TESTS, TRACES, suite
from specwalk.graph import explore
from specwalk.graph.canonical import shuffled
from specwalk.label import export
from specwalk.project import load_binding
from tests.harness.command import Ran, specwalk
from tests.harness.toy import ROOT, TOY_CFG, TOY_PIN, TOY_TLA, write_project

STOPPING = TOY_TLA.replace("Next ==", "Stop == x > Top /\\ UNCHANGED vars\nNext == Stop \\/")
COMMITTED = '    committed = ("",)\n'


def regenerate(project: Path, *arguments: str) -> Ran:
    return specwalk("regenerate", *arguments, project=project)


def files(project: Path) -> dict[str, str]:
    """Everything that regeneration may write."""
    found = [*project.glob("traces/**/*.json"), *project.glob("tests/**/*"), *project.glob("spec/*.cfg")]
    return {str(file.relative_to(project)): file.read_text() for file in found if file.is_file()}


def unsigned(text: str) -> str:
    """A text without its checksum, in which the place of the file counts too."""
    return re.sub(r"\b[0-9a-f]{16}\b", "", text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_project(tmp_path, more=COMMITTED)
    return tmp_path


def test_it_writes_once_and_removes_what_is_stale(project: Path) -> None:
    first = regenerate(project)
    assert (first.code, first.err, first.left) == (0, "", [])
    assert first.out.endswith("OK: 2 files written, 0 unchanged, 0 removed.\n")
    name = "jump_down_x2_up_x3_stay_down"
    written = files(project)
    assert set(written) == {f"traces/toy/{name}.itf.json", "tests/conformance/test_toy.py", "spec/Toy.cfg"}
    # The model is no longer there under its name: what was written for it goes, what is new comes.
    (project / "model/toy.py").rename(project / "model/counter.py")
    again = regenerate(project, "--shuffle", "5")
    assert again.code == 0
    assert again.out.endswith("OK: 2 files written, 0 unchanged, 2 removed.\n")
    renamed = {
        path.replace("toy", "counter"): text.replace("toy", "counter") for path, text in written.items()
    }
    assert {path: unsigned(text) for path, text in files(project).items()} == {
        path: unsigned(text) for path, text in renamed.items()
    }


def test_drift_is_told_and_accepted_only_if_asked(project: Path) -> None:
    (project / "spec/Toy.cfg").write_text(TOY_PIN.replace("4", "5") + TOY_CFG)
    before = files(project)
    ran = regenerate(project, "toy")
    assert ran.code == 6
    assert "Toy: the counts have drifted" in ran.out
    assert TOY_PIN in ran.out
    assert "Nothing was written. `specwalk regenerate --accept` writes these lines." in ran.out
    assert files(project) == before
    ran = regenerate(project, "toy", "--accept")
    assert ran.code == 0
    assert f"pinned spec/Toy.cfg: {TOY_PIN}" in ran.out
    assert files(project)["spec/Toy.cfg"] == TOY_PIN + TOY_CFG
    assert len(files(project)) == 3


@pytest.mark.parametrize(
    ("cfg", "tla", "code", "says"),
    [
        (TOY_CFG + "INVARIANT Even\n", TOY_TLA, 4, "invariant Even violated"),
        (TOY_CFG, STOPPING, 2, "Toy has no method for the action Stop"),
        ("CONSTANT Top = 3\nINIT Init\nNEXT Nxt\n", TOY_TLA, 2, "Nxt"),
    ],
    ids=["violated", "a method lacks", "no such operator"],
)
def test_nothing_is_written_for_what_is_wrong(
    project: Path, cfg: str, tla: str, code: int, says: str
) -> None:
    write_project(project, tla=tla, cfg=TOY_PIN + cfg, more=COMMITTED)
    before = files(project)
    ran = regenerate(project, "--accept")
    assert (ran.code, ran.left) == (code, [])
    assert says in ran.out
    assert ran.out.endswith("Nothing was written: mend what was found first.\n")
    assert files(project) == before


def test_pins_are_written_after_the_files_or_not_at_all(project: Path) -> None:
    (project / "spec/Toy.cfg").write_text(TOY_PIN.replace("4", "5") + TOY_CFG)
    (project / "tests/conformance").mkdir(parents=True)
    (project / "tests/conformance/test_toy.py").write_text("mine\n")
    before = files(project)
    ran = regenerate(project, "--accept")
    assert ran.code == 2
    assert "did not write tests/conformance/test_toy.py for toy" in ran.err
    assert files(project) == before


def test_outside_of_a_folder_model_nothing_is_written(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_project(project, more=COMMITTED)
    (project / "model/toy.py").rename(project / "toy.py")
    code = (project / "toy.py").read_text()
    (project / "toy.py").write_text(code.replace("../spec", "spec"))
    ran = regenerate(project, "toy.py")
    assert ran.code == 2
    assert "toy.py is not in a folder model/" in ran.err
    assert [*tmp_path.iterdir()] == [project]


def test_a_model_with_a_dash_and_instances_with_signs_are_written_and_removed(project: Path) -> None:
    write_project(project, more='    instances = ("", "a.b")\n    committed = ("a.b",)\n')
    (project / "spec/Toy_a.b.cfg").write_text(TOY_PIN + TOY_CFG)
    (project / "model/toy.py").rename(project / "model/my-toy.py")
    assert regenerate(project).code == 0
    assert [*(project / "tests/conformance").iterdir()] == [project / "tests/conformance/test_my_toy_a_b.py"]
    assert regenerate(project).out.endswith("OK: 0 files written, 2 unchanged, 0 removed.\n")
    (project / "model/my-toy.py").rename(project / "model/toy.py")
    assert regenerate(project).out.endswith("OK: 2 files written, 0 unchanged, 2 removed.\n")


@pytest.mark.parametrize("names", [("a.b", "a-b"), pytest.param(("big", "Big"), marks=pytest.mark.deep)])
def test_instances_whose_files_would_have_one_place_are_told(project: Path, names: tuple[str, str]) -> None:
    write_project(project, more=f"    instances = {names}\n    committed = {names}\n")
    for name in names:
        (project / f"spec/Toy_{name}.cfg").write_text(TOY_PIN + TOY_CFG)
    ran = regenerate(project)
    assert ran.code == 2
    assert f"toy.py at Toy_{names[0]}.cfg and of toy.py at Toy_{names[1]}.cfg would both be" in ran.err
    assert not (project / "traces").exists()


def test_instances_that_the_model_lacks_are_bad_input(project: Path) -> None:
    write_project(project, more='    committed = ("small",)\n')
    ran = regenerate(project)
    assert ran.code == 2
    assert "Toy.committed names 'small', which its instances '', 'Toy' lack" in ran.err


@pytest.mark.parametrize("instance", ["single", "deadline"])
def test_what_is_committed_does_not_depend_on_the_order_of_the_dump(
    instance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    binding = load_binding(str(ROOT / "model/custody.py"))
    chosen = next(found for found in binding.instances if found.name == instance)
    # Another polynomial gives states other fingerprints, which are their names in the dump.
    monkeypatch.setattr(export, "DUMP_OPTIONS", (*export.DUMP_OPTIONS, "-fp", "7"))
    graph = explore(binding.spec, chosen.config)
    kept = [*(ROOT / TRACES / "custody" / instance).iterdir(), ROOT / TESTS / f"test_custody_{instance}.py"]
    committed = {file.relative_to(ROOT): file.read_text() for file in kept}
    for seed in range(5):
        assert suite(binding, chosen, shuffled(graph, seed)) == committed
