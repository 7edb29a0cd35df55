"""Run a tiny spec for real and keep what TLC printed, without what differs from run to run.

`python -m tests.harness.tlc_recording` runs every case and writes what TLC 2.15 prints to
`transcripts/`, from which the tests read it.
"""

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from specwalk.tlc import Result, Verdict, Workspace, find_toolchain, run_tlc
from specwalk.values import Value

TRANSCRIPTS = Path(__file__).parent / "transcripts"

Steps = tuple[tuple[str, dict[str, Value]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A spec, its configuration, and the Result they must give.

    `body` starts at line 2 of Spec.tla; `violated` is kind and name; `counts` are generated, distinct and
    depth; `places` are file and line of each problem; `says` and `advises` are found in the first problem.
    """

    body: str
    config: str | None = "INIT Init\nNEXT Next\n"
    options: tuple[str, ...] = ()
    others: dict[str, str] = field(default_factory=dict)
    exit_code: int
    verdict: Verdict
    counts: tuple[int, int, int] | None = None
    violated: tuple[str, str | None] | None = None
    trace: Steps = ()
    back_to: int | None = None
    places: tuple[tuple[str | None, int | None], ...] = ()
    says: str = ""
    advises: str = ""


def write(case: Case, folder: Path) -> Path:
    """Put the case's modules into a folder; the path of its spec."""
    for name, body in {"Spec": case.body, **case.others}.items():
        (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{body}====\n", encoding="utf-8")
    return folder / "Spec.tla"


class Recording(Workspace):
    """A workspace that keeps what its programs print."""

    def follow(self, program: str, *arguments: str, on_line: Callable[[str], None], **options: Any) -> int:
        self.printed: list[str] = []

        def keep(line: str) -> None:
            self.printed.append(line)
            on_line(line)

        return super().follow(program, *arguments, on_line=keep, **options)


def run(case: Case, folder: Path) -> tuple[Result, str]:
    """Run a case for real: the Result, and what TLC printed."""
    with Recording(find_toolchain(), write(case, folder)) as workspace:
        if case.config is not None:
            (workspace.folder / "Spec.cfg").write_text(case.config, encoding="utf-8")
        result = run_tlc(workspace, "Spec", "Spec.cfg", *case.options)
        return result, _lasting("\n".join([*workspace.printed, ""]), workspace.folder)


def _lasting(printed: str, folder: Path) -> str:
    """What TLC prints in every run: no times, rates, paths or machine, and a stack of one."""
    printed = printed.replace(str(folder), "/run")
    for pattern, lasting in (
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2020-01-30 00:00:00"),
        (r" \([\d,]+ d?s/min\)", ""),
        (r"with 1 worker on .*", "with 1 worker."),
        (r"in (\d+ms|\d+s)\b", "in 1s"),
        (r"jar:file:\S*/tla2tools.jar", "jar:file:/tla2tools.jar"),
        (r"(?m)(?:^\tat .*\n)+", "\tat tlc2.TLC.main(TLC.java)\n"),
    ):
        printed = re.sub(pattern, lasting, printed)
    return printed


def main() -> None:
    """Record every case."""
    from tests.harness.tlc_cases import SEARCHED
    from tests.harness.tlc_errors import ERRORS

    for name, case in {**SEARCHED, **ERRORS}.items():
        with tempfile.TemporaryDirectory() as folder:
            _, printed = run(case, Path(folder))
        (TRANSCRIPTS / f"{name}.txt").write_text(printed, encoding="utf-8")


if __name__ == "__main__":
    main()
