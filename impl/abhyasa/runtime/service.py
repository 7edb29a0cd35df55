"""Running a host as a process: until it ends, or until SIGINT (Ctrl-C) or SIGTERM ends it in order."""

import asyncio
import signal
from typing import Protocol


class Host(Protocol):
    """What a process runs."""

    async def run(self) -> None:
        """Work until `stop`."""

    def stop(self) -> None:
        """Let `run` end."""


async def until_signalled(host: Host) -> None:
    """Run a host, and stop it in order when the process is asked to end. POSIX, in the main thread."""
    loop = asyncio.get_running_loop()
    for asked in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(asked, host.stop)
    try:
        await host.run()
    finally:
        for asked in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(asked)
