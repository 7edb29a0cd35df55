"""Let TLC check a spec at the bounds of one configuration, as the user wrote both.

A violation is looked at twice: with several workers TLC's counterexample need not be a shortest one,
and TLC 2.15 does not name a temporal property. So the check is repeated with one worker, and for an
unnamed property with one property at a time.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from specwalk.config import Config, read_config
from specwalk.tlc import OnProgress, Result, Verdict, Workspace, find_toolchain, run_tlc

__all__ = ["verify"]


def verify(
    spec: Path,
    config: Path,
    *,
    workers: int = 1,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Check everything that a configuration asks for.

    Raises:
        BadInput: spec or configuration are missing or unreadable.
        EnvironmentProblem: TLC cannot run here.
    """
    wanted = read_config(config)
    with Workspace(find_toolchain(), spec) as workspace:

        def check(name: str, config: Config, workers: int) -> Result:
            (workspace.folder / name).write_text(_text(config, workspace.toolchain.legacy), encoding="utf-8")
            options = ["-workers", str(workers), *([] if config.check_deadlock else ["-deadlock"])]
            return run_tlc(workspace, spec.stem, name, *options, timeout=timeout, on_progress=on_progress)

        result = check(config.name, wanted, workers)
        if result.violation is None or (workers == 1 and result.violation.name):
            return result
        for property_name, narrowed in _narrowed(wanted, result):
            again = check(config.name, narrowed, 1)
            if again.verdict is Verdict.VIOLATED and again.violation:
                name = again.violation.name or property_name
                return replace(again, counts=result.counts, violation=replace(again.violation, name=name))
        return result


def _narrowed(config: Config, result: Result) -> Iterator[tuple[str | None, Config]]:
    """What to repeat: one property at a time if the violated one is unnamed, else everything."""
    assert result.violation is not None
    if result.violation.kind != "temporal property" or result.violation.name:
        yield None, config
        return
    for name in config.properties:
        yield name, replace(config, properties=(name,), invariants=())


def _text(config: Config, legacy: bool) -> str:
    """The configuration without the keywords that TLC 2.15 does not know."""
    if legacy:
        config = replace(config, check_deadlock=True, alias=None, postcondition=None)
    return str(config)
