"""Run TLC on a module and a configuration that stand in a workspace."""

import time
from collections.abc import Callable

from specwalk.tlc.messages import MessageReader
from specwalk.tlc.output import Transcript
from specwalk.tlc.problems import Sources
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
        on_progress: called several times a second with the latest counts; TLC itself renews them after
            three seconds and then once a minute.

    Raises:
        EnvironmentProblem: Java does not start, or ``timeout`` has passed.
    """
    started = time.monotonic()
    transcript = Transcript(Sources(config=workspace.folder / config, modules=workspace.modules))
    messages = MessageReader(transcript.add)
    # A states folder is named by the second in which it was made, so each run has its own parent.
    states = f"states-{time.monotonic_ns()}"
    exit_code = workspace.follow(
        "tlc2.TLC",
        *("-tool", "-fp", "0", "-seed", "0", "-metadir", states),
        *workspace.toolchain.quiet_options,
        *options,
        *("-config", config, root),
        on_line=messages.line,
        timeout=timeout,
        tick=(lambda: on_progress(transcript.counts)) if on_progress else None,
    )
    messages.end()
    return transcript.result(exit_code, time.monotonic() - started)
