"""Let TLC check a spec at the bounds of one configuration, as the user wrote both.

A violation is looked at twice: with several workers TLC's counterexample need not be a shortest one,
and TLC 2.15 does not name a property, or names it by a place inside of what it refines. So the check
is repeated with one worker, and for a property with one property at a time.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from specwalk.config import Config, read_config
from specwalk.tlc import OnProgress, Result, Violation, Workspace, find_toolchain, run_tlc

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
        if result.violation is None:
            return result
        for name, narrowed in _repeats(wanted, result.violation):
            again = check(config.name, narrowed, 1)
            if again.violation:
                return replace(again, counts=result.counts, violation=replace(again.violation, name=name))
        return result


def _repeats(config: Config, violation: Violation) -> Iterator[tuple[str | None, Config]]:
    """What to check again, and the name of what that violates: everything, or each property alone."""
    if violation.kind not in ("temporal property", "action property"):
        yield violation.name, config
        return
    for name in config.properties:
        yield name, replace(config, properties=(name,), invariants=())


def _text(config: Config, legacy: bool) -> str:
    """The configuration without the keywords that TLC 2.15 does not know."""
    if legacy:
        config = replace(config, check_deadlock=True, alias=None, postcondition=None)
    return str(config)
