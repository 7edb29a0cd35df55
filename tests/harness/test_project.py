"""Finding a model from anywhere in a project, and what it is bound to."""

import sys
from pathlib import Path

import pytest

from specwalk.errors import BadInput
from specwalk.project import constants_of, load_binding, new_model
from specwalk.values import ModelValue
from tests.harness.toy import write_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path, more='    instances = ("", "small")\n')
    (tmp_path / "spec/Toy_small.cfg").write_text("CONSTANTS Top = 1\n  Who = {a, b}\nSPECIFICATION Spec\n")
    (tmp_path / "deep/below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep/below")
    return tmp_path


def test_a_name_is_found_in_a_folder_above(project: Path) -> None:
    binding = load_binding("toy")
    assert binding.model.__name__ == "Toy"
    assert (binding.file, binding.spec) == (project / "model/toy.py", project / "spec/Toy.tla")
    assert [(one.name, one.config.name) for one in binding.instances] == [
        ("Toy", "Toy.cfg"),
        ("small", "Toy_small.cfg"),
    ]


def test_the_nearest_model_of_a_name_counts(project: Path) -> None:
    write_project(project / "deep")
    assert load_binding("toy").file == project / "deep/model/toy.py"


@pytest.mark.parametrize("name", ["spec/Toy.tla", "Toy.cfg", "model", "model/toy.txt"])
def test_what_is_no_model_is_said_to_be_none(project: Path, name: str) -> None:
    (project / "model/toy.txt").write_text("")
    with pytest.raises(BadInput, match=r"is no model|no model at|No model named"):
        load_binding(name)


def test_a_binding_has_the_name_that_finds_it_again(project: Path) -> None:
    assert load_binding("toy").name == "toy"
    assert load_binding("../../model/toy.py").name == "toy"
    assert load_binding(str(project / "model/toy.py")).name == "toy"


def test_a_model_elsewhere_is_named_by_its_path(project: Path) -> None:
    (project / "model").rename(project / "models")
    path = str(project / "models/toy.py")
    assert load_binding("../../models/toy.py").name == path
    assert load_binding(path).name == path


def test_constants_are_values(project: Path) -> None:
    constants = {"Top": 1, "Who": frozenset({ModelValue("a"), ModelValue("b")})}
    config = project / "spec/Toy_small.cfg"
    assert constants_of(config) == constants
    assert new_model(load_binding("toy"), config).constants == constants


def test_a_model_may_have_dataclasses_with_postponed_annotations(project: Path) -> None:
    file = project / "model/toy.py"
    file.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Copy:\n    number: int\n" + file.read_text()
    )
    binding = load_binding("toy")
    assert sys.modules[binding.model.__module__].Copy(number=1).number == 1


def test_a_model_that_fails_is_not_kept_as_a_module(project: Path) -> None:
    (project / "model/failing.py").write_text("raise RuntimeError\n")
    with pytest.raises(BadInput, match="failing"):
        load_binding("failing")
    assert "model.failing" not in sys.modules


def test_a_model_that_ends_the_process_is_bad_input(project: Path) -> None:
    write_project(project, more="    def __init__(self, constants):\n        raise SystemExit(0)\n")
    with pytest.raises(BadInput, match=r"Toy cannot be made: SystemExit: 0 \(.*model/toy\.py:9\)\."):
        new_model(load_binding("toy"), project / "spec/Toy.cfg")
    (project / "model/toy.py").write_text("import sys\nsys.exit(0)\n")
    with pytest.raises(BadInput, match=r"toy\.py cannot be imported: SystemExit: 0 \(.*model/toy\.py:2\)\."):
        load_binding("toy")


def test_a_package_that_ends_the_process_is_bad_input(project: Path) -> None:
    folder = project / "deep/below/leaving"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(BadInput, match=r"package of leaving\.toy .*: SystemExit: 0 \(.*__init__\.py:1\)\."):
        load_binding("leaving.toy")


def test_what_a_constructor_raises_is_said_with_its_place(project: Path) -> None:
    write_project(
        project, more="    def __init__(self, constants):\n        raise LookupError('no Bottom')\n"
    )
    with pytest.raises(BadInput, match=r"Toy cannot be made: LookupError: no Bottom \(.*model/toy\.py:9\)\."):
        new_model(load_binding("toy"), project / "spec/Toy.cfg")
