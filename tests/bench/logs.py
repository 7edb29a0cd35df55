"""How fast logs are validated: two logs of many obligations that overlap, as hosts of abhyasa write them."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from specwalk.errors import EnvironmentProblem
from specwalk.graph import explore
from specwalk.progress import Progress
from specwalk.project import Binding, new_model
from specwalk.validate import Machine, Possible, validate
from tests.bench.timing import Timing, timed

OBLIGATIONS = 20_000
#: Events per second of processor time, JSON included, once the graph is there.
LEAST = 100_000

_SECOND = 1_000_000
#: What is written of one obligation: after how many seconds, by whom, what, and its further fields.
_LINES: tuple[tuple[float, str, str, Mapping[str, Any]], ...] = (
    (0.0, "custodian", "accept", {"deliveries": 2, "under_custody": True, "status": "pending", "due": 0.0}),
    (0.0, "custodian", "attempt", {"number": 1, "due": 1.0}),
    (0.0, "custodian", "send", {"number": 1}),
    (0.2, "receiver", "receive", {"number": 1}),
    (0.2, "receiver", "apply", {"sequence": None}),
    (0.2, "receiver", "reply", {"status": "applied", "reason": "", "acked_at": 0.2}),
    (1.0, "custodian", "attempt", {"number": 2, "due": 2.0}),
    (1.0, "custodian", "send", {"number": 2}),
    (1.2, "receiver", "receive", {"number": 2}),
    (1.2, "receiver", "reply", {"status": "applied", "reason": "", "acked_at": 0.2}),
    (1.4, "custodian", "receive_ack", {"status": "applied", "acked_at": 0.2}),
    (1.4, "custodian", "discharge", {"status": "applied", "reason": "", "protected": False}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What validating came to."""

    events: int
    subjects: int
    timing: Timing

    @property
    def rate(self) -> float:
        """Events per second of processor time."""
        return self.events / self.timing.processor

    @property
    def met(self) -> bool:
        return self.rate >= LEAST


class _Unwatched(Progress):
    def phase(self, name: str, total: int | None = None) -> None:
        pass

    def stepped(self, steps: int) -> None:
        pass


def follow(binding: Binding, obligations: int = OBLIGATIONS) -> Followed:
    """Validate logs of so many obligations at the model's first instance for logs.

    Raises:
        EnvironmentProblem: they are rejected, so that there is nothing to measure.
    """
    config = binding.instance(binding.model.logged[0]).config
    machine = Machine(graph=explore(binding.spec, config), model=new_model(binding, config))
    with TemporaryDirectory(prefix="bench-") as name:
        logs = [Path(name) / f"{side}.jsonl" for side in ("custodian", "receiver")]
        for log in logs:
            log.write_text("".join(_lines(log.stem, obligations)))
        found, timing = timed(lambda: validate(Possible([machine]), logs, _Unwatched()))
    if found.exit_code:
        raise EnvironmentProblem(f"the bench's logs are rejected:\n{[*found.rejections, *found.flaws.told]}")
    return Followed(events=found.events, subjects=found.subjects, timing=timing)


def _lines(side: str, obligations: int) -> Iterator[str]:
    """The log of a side: an obligation begins every millisecond."""
    steps = [
        (number * _SECOND // 1000, number, line)
        for number in range(obligations)
        for line in _LINES
        if line[1] == side
    ]
    steps.sort(key=lambda step: step[0] + step[2][0] * _SECOND)
    yield _line(side, 0, 0, "start", {})
    for count, (begun, number, (after, _, event, fields)) in enumerate(steps, 1):
        times = {
            name: begun + round(value * _SECOND) for name, value in fields.items() if isinstance(value, float)
        }
        about = {
            "obligation": f"obligation-{number:08}",
            "digest": "5d" * 32,
            "target": "agent-b",
            "deadline": begun + 3 * _SECOND,
        }
        at = begun + round(after * _SECOND)
        yield _line(side, count, at, event, {**about, **fields, **times})


def _line(side: str, count: int, at: int, event: str, fields: Mapping[str, Any]) -> str:
    common = {"run": "0" * 32, "n": count, "side": side, "name": "agent-b", "at": at, "event": event}
    return json.dumps({**common, **fields}, separators=(",", ":")) + "\n"
