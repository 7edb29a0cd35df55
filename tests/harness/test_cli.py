"""The command line without a model checker: what is asked wrongly, and where it may be said."""

import re
from pathlib import Path

import pytest

from tests.harness.command import specwalk
from tests.harness.toy import write_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    write_project(folder)
    for name, text in {
        "broken": "import nothing_of_that_name\n",
        "wrong": "class Wrong(:\n",
        "none": "from specwalk.model import Model\n",
        "two": "from specwalk.model import Model\nclass A(Model): ...\nclass B(Model): ...\n",
        "specless": "from specwalk.model import Model\nclass A(Model): ...\n",
        "lost": "from specwalk.model import Model\nclass A(Model):\n    spec = '../spec/Lost.tla'\n",
        "unbound": (
            "from specwalk.model import Model\n"
            "class A(Model):\n    spec = '../spec/Toy.tla'\n    instances = ('small',)\n"
        ),
    }.items():
        (folder / f"model/{name}.py").write_text(text)
    (folder / "other").mkdir()
    (folder / "other/raising.py").write_text("\n\nraise RuntimeError('not today')\n")
    return folder


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check",), r"Missing argument 'MODEL'"),
        (("check", "toy", "--wrong"), r"No such option.*--wrong"),
        (("check", "toy", "--workers", "0"), r"--workers"),
        (("check", "toy", "--timeout", "0"), r"--timeout"),
        (("chek", "toy"), r"No such command 'chek'"),
        (("check", "toy", "--instance", "big"), r"toy has no instance big; it has Toy\."),
        (("check", "toy", "--json", "no/folder/x.json"), r"no/folder/x\.json.*No such file"),
        (("check", "nobody"), r"No model named 'nobody'.*no model/nobody\.py here or in a folder above"),
        (("check", "model/nobody.py"), r"There is no model at .*model/nobody\.py"),
        (("check", "other.nobody"), r"There is no module other\.nobody\."),
        (("check", "no.where"), r"There is no module no\.where\."),
        (
            ("check", "broken"),
            r"broken\.py cannot be imported: ModuleNotFoundError: .*nothing_of.*broken\.py:1",
        ),
        (("check", "other.raising"), r"cannot be imported: RuntimeError: not today \(.*raising\.py:3\)"),
        (("check", "wrong"), r"wrong\.py cannot be imported: SyntaxError: .*line 1"),
        (("check", "none"), r"none\.py must define one subclass of specwalk\.model\.Model; it defines none"),
        (("check", "two"), r"two\.py must define one subclass.*; it defines A, B"),
        (("check", "specless"), r"A in .*specless\.py names no spec: add `spec = "),
        (("check", "lost"), r"A\.spec is '\.\./spec/Lost\.tla', but there is no file .*/spec/Lost\.tla"),
        (
            ("check", "unbound"),
            r"There is no configuration .*Toy_small\.cfg for the instance 'small' of Toy\.tla",
        ),
        (("walk", "nobody"), r"No model named 'nobody'"),
        (("graph", "spec/Lost.tla"), r"spec/Lost\.tla' does not exist"),
        (("graph", "spec/Toy.tla", "--config", "Lost.cfg"), r"Lost\.cfg' does not exist"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_asked_wrongly(project: Path, arguments: tuple[str, ...], says: str) -> None:
    ran = specwalk(*arguments, project=project)
    assert ran.code == 2
    assert re.search(says, ran.err.replace("\n", " "))
    assert "Traceback" not in ran.err
    assert not ran.out
    assert not ran.left


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("JAVA_HOME", "/nowhere", r"JAVA_HOME is /nowhere, but there is no executable"),
        (
            "TLA2TOOLS_JAR",
            "/nowhere/tla2tools.jar",
            r"TLA2TOOLS_JAR is /nowhere/\S+, but there is no such file",
        ),
    ],
)
def test_what_the_machine_lacks(project: Path, variable: str, value: str, says: str) -> None:
    for arguments in (("check", "toy"), ("walk", "toy"), ("graph", "spec/Toy.tla")):
        ran = specwalk(*arguments, project=project, **{variable: value})
        assert ran.code == 3
        assert re.fullmatch(f"specwalk: {says}.*\n", ran.err)


def test_help_is_for_newcomers(project: Path) -> None:
    ran = specwalk("--help", project=project)
    assert ran.code == 0
    for word in ("check", "graph", "walk", "Exit codes", "Start with"):
        assert word in ran.out
    for command in ("check", "graph", "walk"):
        assert "Exit codes: 0 ok, 2 bad input" in " ".join(
            specwalk(command, "-h", project=project).out.split()
        )
