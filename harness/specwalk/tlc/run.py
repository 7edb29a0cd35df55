"""Run TLC on a module and a configuration that stand in a workspace."""

import time
from collections.abc import Callable, Generator

from specwalk.tlc.messages import read_messages
from specwalk.tlc.output import Transcript
from specwalk.tlc.result import Counts, Result
from specwalk.tlc.workspace import Workspace

__all__ = ["OnProgress", "run_tlc"]

OnProgress = Callable[[Counts], None]


def run_tlc(
    workspace: Workspace,
    root: str,
    config: str,
    *options: str,
    timeout: float | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Run TLC to its end.

    Args:
        workspace: where module and configuration stand.
        root: the module's name, without ``.tla``.
        config: the configuration's file name.
        options: further options of TLC, such as ``-workers 2``.
        timeout: seconds after which TLC is killed.
        on_progress: called several times a second with the latest counts.

    Raises:
        EnvironmentProblem: Java does not start, or ``timeout`` has passed.
    """
    started = time.monotonic()
    transcript = Transcript(config=config)
    # A states folder is named by the second in which it was made, so each run has its own parent.
    states = f"states-{time.monotonic_ns()}"
    lines = _Returning(
        workspace.lines(
            "tlc2.TLC",
            *("-tool", "-fp", "0", "-seed", "0", "-metadir", states),
            *workspace.toolchain.quiet_options,
            *options,
            *("-config", config, root),
            timeout=timeout,
            tick=(lambda: on_progress(transcript.counts)) if on_progress else None,
        )
    )
    for message in read_messages(lines):
        transcript.add(message)
    return transcript.result(lines.value, time.monotonic() - started)


class _Returning:
    """Iterates a generator and keeps what it returned."""

    def __init__(self, generator: Generator[str, None, int]) -> None:
        self._generator = generator

    def __iter__(self) -> Generator[str, None, None]:
        self.value = yield from self._generator
