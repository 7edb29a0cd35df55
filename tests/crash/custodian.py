"""`python -m tests.crash.custodian FOLDER [POINT]`: submits what is planned, and ends when all is settled.

Its wall clock is that of the machine plus the seconds in the file `offset`, if there is one.
"""

import asyncio
import sys
import time
from contextlib import suppress
from pathlib import Path

from abhyasa import CustodianStore, StoreError
from abhyasa.runtime import Address, CustodianHost, EventLog, SystemClock, until_signalled
from tests.crash.death import die, doomed, read_point
from tests.crash.plan import KINDS, TARGET, Consenting, Item, Plan, read_plan

STORE = "custody.db"


def main(arguments: list[str]) -> None:
    folder, *points = arguments
    with suppress(KeyboardInterrupt):
        try:
            _run(Path(folder), *points)
        except StoreError as error:
            sys.exit(f"custodian: {error}")


def _run(folder: Path, point: str | None = None) -> None:
    host: CustodianHost

    def unsent() -> None:
        host.custodian._send = die

    make = doomed(CustodianStore, point and read_point(point), unsent)
    plan = read_plan(folder)
    with make(folder / STORE) as store, EventLog(folder / "custodian.jsonl", "custodian", "custodian") as log:
        address = Address(host="127.0.0.1", port=plan.port)
        host = CustodianHost(store, KINDS, {TARGET: address}, clock=clock(folder), log=log, patience=1.0)
        asyncio.run(_work(host, plan))


def clock(folder: Path) -> SystemClock:
    """Return a clock that can be put forward and back from outside."""
    offset = folder / "offset"

    def wall() -> int:
        shift = float(offset.read_text() or 0) if offset.exists() else 0.0
        return time.time_ns() + int(shift * 1e9)

    return SystemClock(wall=wall)


async def _work(host: CustodianHost, plan: Plan) -> None:
    feeding = asyncio.create_task(_feed(host, plan))
    await until_signalled(host)
    feeding.cancel()


async def _feed(host: CustodianHost, plan: Plan) -> None:
    for item in plan.items:
        new = not _holds(host, item)
        host.submit(item.obligation(), plan.terms)
        await asyncio.sleep(plan.gap if new else 0)
    while host.custodian.next_due() is not None:
        await asyncio.sleep(min(plan.tick / 10, 0.1))
    await asyncio.sleep(plan.linger * plan.tick)
    host.stop()


def _holds(host: CustodianHost, item: Item | Consenting) -> bool:
    try:
        return host.custodian.record(item.id).obligation.id == item.id
    except KeyError:
        return False


if __name__ == "__main__":
    main(sys.argv[1:])
