"""`python -m tests.crash.receiver FOLDER [POINT]`: answers as is planned, until SIGTERM."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

from abhyasa import Decision, Obligation, ReceiverStore, StoreError
from abhyasa.runtime import Address, EventLog, ReceiverHost, SystemClock, until_signalled
from tests.crash.death import die, doomed, read_point
from tests.crash.plan import KINDS, TARGET, Plan, read_plan

STORE = "ledger.db"


def main(arguments: list[str]) -> None:
    folder, *points = arguments
    try:
        _run(Path(folder), *points)
    except StoreError as error:
        sys.exit(f"receiver: {error}")


def _run(folder: Path, point: str | None = None) -> None:
    host: ReceiverHost

    def unsent() -> None:
        host.receiver._reply = die

    make = doomed(ReceiverStore, point and read_point(point), unsent)
    plan = read_plan(folder)
    with make(folder / STORE) as store, EventLog(folder / "receiver.jsonl", "receiver", TARGET) as log:
        address = Address(host="127.0.0.1", port=plan.port)
        host = ReceiverHost(TARGET, store, KINDS, _decide, address, log=log)
        asyncio.run(_work(host, plan))


def _decide(obligation: Obligation) -> Decision:
    return Decision(status=obligation.payload.get("answer", "applied"), reason="as planned")


async def _work(host: ReceiverHost, plan: Plan) -> None:
    answering = asyncio.create_task(_answer_later(host, plan))
    await until_signalled(host)
    answering.cancel()


async def _answer_later(host: ReceiverHost, plan: Plan) -> None:
    """Resolve what was deferred when its time has come, also after a restart."""
    clock = SystemClock()
    while True:
        for entry in host.receiver.deferred():
            later, after = entry.obligation.payload["later"], entry.obligation.payload["after"]
            if later and clock.now() >= entry.acked_at + timedelta(seconds=after * plan.tick):
                host.resolve(entry.obligation.id, Decision(status=later, reason="later"))
        await asyncio.sleep(plan.tick / 10)


if __name__ == "__main__":
    main(sys.argv[1:])
