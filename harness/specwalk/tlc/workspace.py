"""One private folder and its Java processes.

Rule 1: whatever Java writes lands in the folder: sources, states, dumps, unpacked standard modules
        (two TLC runs that share a temporary folder fail at random), and its notion of a home.
Rule 2: leaving the ``with`` block, however that happens, kills what still runs and removes the folder.
"""

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.tlc.toolchain import Toolchain

__all__ = ["Completed", "Tick", "Workspace"]

Tick = Callable[[], None]

TICK_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A Java process that has ended by itself."""

    exit_code: int
    stdout: str
    stderr: str


class Workspace:
    """Copies of a spec's modules in a folder of its own, to run Java programs in.

    Raises:
        BadInput: there is no such spec.
    """

    def __init__(self, toolchain: Toolchain, spec: Path) -> None:
        if not spec.is_file():
            raise BadInput(f"No spec at {spec}. Give the path of a TLA+ module, such as spec/Custody.tla.")
        self.toolchain = toolchain
        self.spec = spec
        self.root = spec.stem
        self._running: set[subprocess.Popen[bytes]] = set()

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="specwalk-"))
        try:
            # Newer versions report usage statistics unless this file forbids it.
            (self.folder / "home" / ".tlaplus").mkdir(parents=True)
            (self.folder / "home" / ".tlaplus" / "esc.txt").write_text("NO_STATISTICS\n")
            (self.folder / "tmp").mkdir()
            for module in self.spec.parent.glob("*.tla"):
                shutil.copyfile(module, self.folder / module.name)
        except BaseException as problem:
            self._remove()
            if isinstance(problem, OSError):
                raise EnvironmentProblem(f"Cannot prepare {self.folder}: {problem}.") from problem
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        for process in list(self._running):
            self._kill(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def java(self, program: str, *arguments: str, timeout: float | None = None) -> Completed:
        """Run a Java program of the jar to its end, its output decoded with the toolchain's encoding."""
        encoding = self.toolchain.encoding
        with tempfile.TemporaryFile(dir=self.folder) as stderr:
            process = self._start([program, *arguments], stderr=stderr)
            stdout = b"".join(self._chunks(process, timeout))
            stderr.seek(0)
            return Completed(
                exit_code=process.returncode,
                stdout=stdout.decode(encoding),
                stderr=stderr.read().decode(encoding),
            )

    def lines(
        self, program: str, *arguments: str, timeout: float | None = None, tick: Tick | None = None
    ) -> Generator[str, None, int]:
        """Run a Java program and yield its output, errors included, line by line as it comes.

        ``tick`` is called several times a second while the program runs. The generator's return
        value is the exit code.

        Raises:
            EnvironmentProblem: the program outlived ``timeout`` (seconds), and was killed.
        """
        process = self._start([program, *arguments], stderr=subprocess.STDOUT)
        rest = b""
        for chunk in self._chunks(process, timeout, tick):
            *complete, rest = (rest + chunk).split(b"\n")
            # TLC passes the bytes of the sources through, whichever encoding it runs with.
            yield from (line.decode("utf-8", "replace") for line in complete)
        if rest:
            yield rest.decode("utf-8", "replace")
        return process.returncode

    def _start(self, command: list[str], stderr: IO[bytes] | int) -> subprocess.Popen[bytes]:
        toolchain = self.toolchain
        try:
            process = subprocess.Popen(
                [
                    str(toolchain.java),
                    "-XX:+UseParallelGC",
                    f"-Duser.home={self.folder / 'home'}",
                    f"-Djava.io.tmpdir={self.folder / 'tmp'}",
                    f"-Dfile.encoding={toolchain.encoding}",
                    f"-Dstdout.encoding={toolchain.encoding}",
                    f"-Dstderr.encoding={toolchain.encoding}",
                    "-cp",
                    str(toolchain.jar),
                    *command,
                ],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
            )
        except OSError as problem:
            raise EnvironmentProblem(
                f"Cannot start {toolchain.java}: {problem}. Set JAVA_HOME to a working Java runtime."
            ) from problem
        self._running.add(process)
        return process

    def _chunks(
        self, process: subprocess.Popen[bytes], timeout: float | None, tick: Tick | None = None
    ) -> Iterator[bytes]:
        assert process.stdout is not None
        ends = time.monotonic() + timeout if timeout else None
        try:
            with process.stdout, selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                while True:
                    if selector.select(TICK_SECONDS):
                        chunk = os.read(process.stdout.fileno(), 1 << 16)
                        if not chunk:
                            break
                        yield chunk
                    if tick:
                        tick()
                    if ends and time.monotonic() > ends:
                        raise EnvironmentProblem(
                            f"Java was stopped after {timeout:.0f} seconds. "
                            "Allow more time, or give the spec smaller bounds."
                        )
            process.wait()
        finally:
            self._kill(process)

    def _kill(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self._running.discard(process)
