"""Logs are rejected exactly when no behaviour explains them, as a brute-force search decides.

The graphs, the meanings of sights, the messages and the times are drawn at random. Logs begin as the lines of
random behaviours, and are corrupted: lines are dropped, doubled, swapped, changed, and moved between
processes. What is left is numbered anew, so that no counter gives anything away.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from specwalk.graph import Label
from specwalk.model import LogFields, Model, Reading
from specwalk.validate import Machine, Possible, validate
from specwalk.values import Value
from tests.harness.logs import Line, Oracle, Silent
from tests.harness.toy import build

STATES = 5
LABELS = "ABCDE"
SIGHTS = ("a", "b", "c", "d", "e", "start")


class RandomModel(Model):
    """Sights and steps that go together as a random table says."""

    log_fields = LogFields(time="at", run="run", count="n")

    def __init__(self, random: Random) -> None:
        super().__init__({})
        label, state = random.choice(LABELS), random.randrange(STATES)
        self.hidden = {(label, other) for other in range(STATES) if other != state}
        self.table = {
            (sight, step, state): random.random() < (0.05 if step is None else 0.2)
            for sight in SIGHTS
            for step in (None, *LABELS)
            for state in range(STATES)
        }

    def read_event(self, line: Mapping[str, Any], kept: dict[str, Any]) -> Reading | None:
        begins = line["sight"] == "start"
        messages = {name: line[name] for name in ("sends", "receives", "surely")}
        return Reading(line["who"], line["sight"], begins=begins, **messages)

    def explains(
        self, sight: Any, step: Label | None, before: Mapping[str, Value], after: Mapping[str, Value]
    ) -> bool:
        return self.table[sight, step and step.action, before["x"]]

    def unobserved(self, step: Label, before: Mapping[str, Value], after: Mapping[str, Value]) -> bool:
        return (step.action, before["x"]) in self.hidden


class Case:
    """A graph, a model, and what a behaviour writes to logs."""

    def __init__(self, seed: int) -> None:
        self.random = random = Random(seed)
        self.surely = seed % 2 == 1
        edges = {
            (random.randrange(STATES), random.choice(LABELS), random.randrange(STATES))
            for _ in range(random.randint(6, 14))
        }
        self.graph = build(
            [*sorted(edges), (STATES - 1, "A", 0)], initial=(0,), alphabet=LABELS, variables=("x", "y")
        )
        self.model = RandomModel(random)
        self.oracle = Oracle(
            graph=self.graph,
            shows=lambda line, step, state, _: self.model.table[line["sight"], step and step.action, state],
            unobserved=lambda label, state: (label.action, state) in self.model.hidden,
        )

    def logs(self) -> list[list[Line]]:
        logs: list[list[Line]] = [[] for _ in range(self.random.randint(1, 3))]
        for subject in ("s", "t")[: self.random.randint(1, 2)]:
            for at, line in enumerate(self.lines(subject)):
                lines = self.random.choice(logs)
                place = self.random.choice([len(lines), *range(len(lines))]) if subject == "t" else len(lines)
                lines.insert(place, {**line, "at": at + self.random.choice([0, 0, 0, 2, -2])})
        for _ in range(self.random.choice([0, 0, 0, 1, 2])):
            everybody = {"who": None, "at": 0, "sends": None, "receives": None, "surely": False}
            log = self.random.choice(logs)
            sight = self.random.choice(["start", "start", "a"])
            log.insert(self.random.randint(0, len(log)), {**everybody, "sight": sight})
        return logs

    def lines(self, subject: str) -> Iterator[Line]:
        """The lines of a random behaviour, with messages of which each is received after it was sent."""
        state, sent = 0, 0
        for _ in range(self.random.randint(1, 4)):
            leaving = [
                (sight, self.graph.target[edge])
                for edge in self.graph.out(state)
                for sight in SIGHTS[:-1]
                if self.model.table[sight, self.graph.labels[self.graph.label[edge]].action, state]
            ]
            if not leaving:
                return
            sight, state = self.random.choice(leaving)
            sends = receives = None
            if self.random.random() < 0.4:
                sends = sent = sent + 1
            elif sent and self.random.random() < 0.6:
                receives = self.random.randint(1, sent)
            message = {"sends": sends, "receives": receives, "surely": self.surely and receives is not None}
            yield {"who": subject, "sight": sight, **message}

    def corrupt(self, logs: list[list[Line]]) -> None:
        """Change one thing."""
        random, log = self.random, self.random.choice(logs)
        if not log:
            return
        n = random.randrange(len(log))
        match random.choice(["drop", "double", "swap", "change", "move"]):
            case "drop":
                log.pop(n)
            case "double":
                log.insert(random.randint(0, len(log)), log[n])
            case "swap":
                log[n], log[n - 1] = log[n - 1], log[n]
            case "change":
                log[n] = {**log[n], "sight": random.choice(SIGHTS[:-1])}
            case "move":
                other = random.choice(logs)
                line = log.pop(n)
                other.insert(random.randint(0, len(other)), line)


def write(logs: list[list[Line]], folder: Path) -> list[Path]:
    """The logs as files, the lines of each run numbered from 0."""
    files = [folder / f"{n}.log" for n in range(len(logs))]
    for file, log in zip(files, logs, strict=True):
        run, count, lines = 0, 0, []
        for line in log:
            if line["sight"] == "start":
                run, count = run + 1, 0
            lines.append(json.dumps({**line, "run": run, "n": count}) + "\n")
            count += 1
        file.write_text("".join(lines))
    return files


@pytest.mark.parametrize("seed", range(4))
def test_rejected_exactly_when_no_behaviour_explains_it(seed: int, tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for number in range(120):
        case = Case(seed * 1000 + number)
        logs, possible = case.logs(), Possible([Machine(graph=case.graph, model=case.model)])
        for corruptions in range(4):
            if corruptions:
                case.corrupt(logs)
            if sum(map(len, logs)) > 9:
                break
            subjects = {line["who"] for log in logs for line in log} - {None}
            legal = {subject for subject in subjects if case.oracle.legal(logs, subject)}
            validated = validate(possible, write(logs, tmp_path), Silent())
            assert validated.events == sum(map(len, logs))
            assert validated.subjects == len(subjects)
            assert set(validated.rejected) == subjects - legal, logs
            assert set(validated.reordered) <= legal
            found.update(legal=len(legal), rejected=len(subjects - legal), reordered=len(validated.reordered))
    assert min(found["legal"], found["rejected"]) > 80, found
    assert found["reordered"] > 8, found
