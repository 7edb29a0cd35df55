"""A run: a folder, its plan, and the processes that are started in it, killed, and started again.

Processes come from a server that has everything imported and forks, so that one is up in a few
milliseconds: a restart is short beside a wait. All calls of a test are made in one thread.
"""

import asyncio
import importlib
import itertools
import logging
import os
import random
import signal
import socket
from collections.abc import Coroutine, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.crash import audit, authority
from tests.crash.death import Point
from tests.crash.plan import Plan
from tests.forks import forks, load
from tests.model.durable_logs import assert_explained

CUSTODIAN = "tests.crash.custodian"
RECEIVER = "tests.crash.receiver"
KILLED = -signal.SIGKILL

# Seconds between two looks at a process: each costs the cores that the processes need.
_POLL = 0.01

load(__name__, CUSTODIAN, RECEIVER)

# Below those that systems give out by themselves: else a custodian that tries to reach a dead
# receiver may be given the very port, and talk to itself.
_PORTS = range(20000, 32000)
_SHARES = 16


#: What was started here and has not been seen to end.
_started: set[BaseProcess] = set()


def kill_started() -> None:
    """Kill what is still running: a case that fails waits for nothing that it has started."""
    while _started:
        process = _started.pop()
        if process.exitcode is None:
            process.kill()
            process.join()


def free_port() -> int:
    """Return a port on which nobody listens, nor will another run of these tests."""
    while True:
        port = next(_ports)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def _own_ports() -> Iterator[int]:
    """Return this process's share of the ports, in turn: the workers of one test run have shares apart."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    share = list(_PORTS[worker % _SHARES :: _SHARES])
    random.SystemRandom().shuffle(share)
    return itertools.cycle(share)


_ports = _own_ports()


def logs_of(run: Path) -> list[Path]:
    """Return the event logs of a run, one for each side that was ever started."""
    return sorted(run.glob("*.jsonl"))


def together(*runs: Coroutine[object, object, None], patience: float = 120) -> None:
    """Run coroutines at the same time, for they mostly wait; what takes so many seconds hangs."""

    async def all_of_them() -> None:
        async with asyncio.timeout(patience):
            await asyncio.gather(*runs)

    asyncio.run(all_of_them())


class Run:
    """The processes of one run. What they print is in the folder, beside stores and event logs."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        folder.mkdir(parents=True)
        plan.write(folder)
        self.folder, self.plan = folder, plan
        self.seen = audit.Principal(custody={}, safe={}, escalations={})
        self.running: dict[str, BaseProcess] = {}
        self._logged: dict[str, int] = {}

    def start(self, program: str, point: Point | None = None) -> None:
        """Start a program; it dies at a point."""
        arguments = [str(self.folder), *([str(point)] if point else [])]
        log, output = self._file(program, "jsonl"), self._file(program, "out")
        self._logged[program] = log.stat().st_size if log.exists() else 0
        process = forks.Process(target=_child, args=(program, arguments, output), daemon=True)
        process.start()
        _started.add(process)
        self.running[program] = process

    async def ended(self, program: str) -> int:
        """Wait for the end of a program, and return its exit code; look at what it left."""
        process = self.running[program]
        while process.exitcode is None:
            await asyncio.sleep(_POLL)
        del self.running[program]
        _started.discard(process)
        if program == CUSTODIAN:
            left = audit.principal(self.folder)
            audit.require_grown(self.seen, left)
            self.seen = left
        return process.exitcode

    async def died(self, program: str) -> bool:
        """Wait until a program is killed, or the custodian has come to its end without that."""
        process, custodian = self.running[program], self.running.get(CUSTODIAN)
        while process.exitcode is None and (custodian is None or custodian.exitcode is None):
            await asyncio.sleep(_POLL)
        return process.exitcode is not None and await self._was_killed(program)

    async def kill(self, program: str) -> bool:
        """Kill a program; tell whether that was its end."""
        if self.running[program].exitcode is None:
            self.running[program].kill()
        return await self._was_killed(program)

    async def logged(self, program: str, event: str) -> None:
        """Wait until a program has logged an event since it was last started."""
        while f'"event":"{event}"' not in self._news(program):
            await asyncio.sleep(_POLL)

    def jump(self, seconds: float) -> None:
        """Put the custodian's wall clock forward or back."""
        (self.folder / "jump").write_text(str(seconds))
        (self.folder / "jump").rename(self.folder / "offset")

    def said(self, program: str) -> str:
        """Return what a program has printed so far."""
        return self._file(program, "out").read_text()

    async def listening(self) -> None:
        """Wait until the receiver listens."""
        while True:
            assert self.running[RECEIVER].exitcode is None, f"the receiver is gone: see {self.folder}"
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", self.plan.port)
            except ConnectionError:
                await asyncio.sleep(_POLL)
            else:
                writer.close()
                return

    async def finish(self) -> None:
        """Let the custodian come to its end, and end the receiver in order; audit the files and the logs."""
        if CUSTODIAN in self.running:
            assert await self.ended(CUSTODIAN) == 0, f"see {self.folder}"
        if RECEIVER in self.running:
            await self.listening()
            self.running[RECEIVER].terminate()
            code = await self.ended(RECEIVER)
            assert code == 0, f"the receiver ended with {code}: see {self.folder}"
        audit.require_sound(self.plan, self.seen, audit.agent(self.folder))
        authority.require_newest(self.plan, self.folder)
        assert_explained(logs_of(self.folder))
        assert_explained(logs_of(self.folder), "supersession")

    async def _was_killed(self, program: str) -> bool:
        code = await self.ended(program)
        assert code in (0, KILLED), f"{program} ended with {code}: see {self.folder}"
        return code == KILLED

    def _file(self, program: str, kind: str) -> Path:
        return self.folder / f"{program.rpartition('.')[2]}.{kind}"

    def _news(self, program: str) -> str:
        log = self._file(program, "jsonl")
        return log.read_bytes()[self._logged[program] :].decode() if log.exists() else ""


def _child(program: str, arguments: list[str], output: Path) -> None:
    """What a started process does, with its output in a file."""
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    importlib.import_module(program).main(arguments)
