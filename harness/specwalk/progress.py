"""Progress on the terminal: a bar for what can be counted, a clock for what cannot.

Nothing is drawn in the first second, nor where the output is no terminal. No thread draws, since the
walk forks processes.
"""

import time
from types import TracebackType
from typing import Protocol, Self

from rich import progress
from rich.console import Console

from specwalk.tlc import Counts

__all__ = ["Bar", "Progress"]


class Progress(Protocol):
    """Where a check tells how far it is."""

    def phase(self, name: str, total: int | None = None) -> None:
        """A new part of the work has begun; ``total`` is its number of steps, if known."""

    def counted(self, counts: Counts) -> None:
        """TLC has come this far."""

    def stepped(self, steps: int) -> None:
        """So many more steps were walked."""


class Bar:
    """One line that says which part of the work runs and how far it is."""

    PATIENCE = 1.0

    def __init__(self, console: Console) -> None:
        self._progress = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.fields[detail]}"),
            progress.TimeElapsedColumn(),
            console=console,
            transient=True,
            auto_refresh=False,
            disable=not console.is_terminal,
        )
        self._began = time.monotonic()
        self._task: progress.TaskID | None = None
        self._drawn = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def phase(self, name: str, total: int | None = None) -> None:
        """Begin a new part of the work, of ``total`` steps if they can be counted."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(name, total=total, detail="")
        self._draw()

    def counted(self, counts: Counts) -> None:
        """Show TLC's counts."""
        self._show(f"{counts.distinct:,} states" if counts.distinct else "", 0)

    def stepped(self, steps: int) -> None:
        """Advance by so many steps."""
        self._show("", steps)

    def _show(self, detail: str, steps: int) -> None:
        if self._task is not None:
            self._progress.update(self._task, detail=detail, advance=steps)
            self._draw()

    def _draw(self) -> None:
        now = time.monotonic()
        if now - self._began > self.PATIENCE and now - self._drawn > 0.1:
            self._drawn = now
            self._progress.start()
            self._progress.refresh()
