"""One private folder and its Java processes.

Rule 1: whatever Java writes lands in the folder: sources, states, dumps, unpacked standard modules
        (two TLC runs that share a temporary folder fail at random), and its notion of a home.
Rule 2: leaving the ``with`` block, however that happens, kills what still runs and removes the folder.
Rule 3: the user's own folder is only read.
"""

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import IO, Self

from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.interrupts import held
from specwalk.tlc.toolchain import Toolchain

__all__ = ["Completed", "Workspace"]

TICK_SECONDS = 0.2
# Most runs end within seconds and gain nothing from the compiler that optimises: let it begin ten times
# later than it does by itself, so that it takes no processor from them. Long runs still have it.
_JVM = (
    "-XX:+UseParallelGC",
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """A Java process that has ended by itself."""

    exit_code: int
    stdout: str
    stderr: str


class Workspace:
    """Copies of a spec's modules in a folder of its own, to run Java programs in.

    ``folder`` exists inside the ``with`` block; ``modules`` are the user's files, by module name.

    Raises:
        BadInput: there is no such spec.
        EnvironmentProblem: on entry, when the folder cannot be made or filled.
    """

    def __init__(self, toolchain: Toolchain, spec: Path) -> None:
        if not spec.is_file():
            raise BadInput(f"No spec at {spec}. Give the path of a TLA+ module, such as spec/Custody.tla.")
        self.toolchain = toolchain
        self.spec = spec
        self.root = spec.stem
        # An editor's lock file may be a dangling link, and a folder may have any name.
        files = (path for path in spec.parent.glob("*.tla") if path.is_file())
        self.modules = {module.stem: module for module in files}
        self._running: set[subprocess.Popen[bytes]] = set()
        self._read: set[subprocess.Popen[bytes]] = set()
        self._starting = Lock()
        self._left = False

    def __enter__(self) -> Self:
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="specwalk-"))
        except OSError as problem:
            raise _unprepared(problem) from problem
        try:
            self._fill()
        except BaseException as problem:
            self._remove()
            if isinstance(problem, OSError):
                raise _unprepared(problem) from problem
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._remove()

    def _fill(self) -> None:
        # Newer versions report usage statistics unless this file forbids it.
        settings = self.folder / "home" / ".tlaplus"
        settings.mkdir(parents=True)
        (settings / "esc.txt").write_text("NO_STATISTICS\n")
        (self.folder / "tmp").mkdir()
        for module in self.modules.values():
            shutil.copyfile(module, self.folder / module.name)

    def _remove(self) -> None:
        with self._starting:
            self._left = True
        for process in list(self._running):
            _kill(process)
            # A pipe that another thread reads is that thread's to close: without it, it would wait for
            # the end of it for ever.
            if process not in self._read and process.stdout:
                process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def java(self, program: str, *arguments: str, timeout: float | None = None) -> Completed:
        """Run a Java program of the jar to its end, its output decoded with the toolchain's encoding.

        Raises:
            EnvironmentProblem: Java does not start, or ``timeout`` (seconds) has passed.
        """
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

    def follow(
        self,
        program: str,
        *arguments: str,
        on_line: Callable[[str], None],
        timeout: float | None = None,
        tick: Callable[[], None] | None = None,
    ) -> int:
        """Run a Java program, hand over each line of its output, errors included, and return the exit code.

        ``tick`` is called several times a second while the program runs.

        Raises:
            EnvironmentProblem: Java does not start, or ``timeout`` (seconds) has passed.
        """
        process = self._start([program, *arguments], stderr=subprocess.STDOUT)
        rest = b""
        for chunk in self._chunks(process, timeout, tick):
            *complete, rest = (rest + chunk).split(b"\n")
            for line in complete:
                on_line(_text(line))
        if rest:
            on_line(_text(rest))
        return process.returncode

    def _start(self, command: list[str], stderr: IO[bytes] | int) -> subprocess.Popen[bytes]:
        toolchain = self.toolchain
        try:
            with held(), self._starting:
                if self._left:
                    raise EnvironmentProblem("Java was not started, for its folder is gone already.")
                process = subprocess.Popen(
                    [
                        str(toolchain.java),
                        *_JVM,
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
                self._running.add(process)
        except OSError as problem:
            raise EnvironmentProblem(
                f"Cannot start {toolchain.java}: {problem}. Set JAVA_HOME to a working Java runtime."
            ) from problem
        return process

    def _chunks(
        self,
        process: subprocess.Popen[bytes],
        timeout: float | None,
        tick: Callable[[], None] | None = None,
    ) -> Iterator[bytes]:
        assert process.stdout is not None
        self._read.add(process)
        ends = None if timeout is None else time.monotonic() + timeout
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                while True:
                    if selector.select(TICK_SECONDS):
                        chunk = os.read(process.stdout.fileno(), 1 << 16)
                        if not chunk:
                            break
                        yield chunk
                    if tick:
                        tick()
                    if ends is not None and time.monotonic() > ends:
                        raise EnvironmentProblem(
                            f"Java was stopped after {timeout:g} seconds. "
                            "Allow more time, or give the spec smaller bounds."
                        )
            process.wait()
        finally:
            _kill(process)
            process.stdout.close()
            self._running.discard(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _text(line: bytes) -> str:
    # TLC passes the bytes of the sources through, whichever encoding it runs with.
    return line.decode("utf-8", "replace").removesuffix("\r")


def _unprepared(problem: OSError) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"Cannot prepare a folder to run TLC in: {problem}. "
        "Free some disk space, or let TMPDIR name a folder that can be written to."
    )
