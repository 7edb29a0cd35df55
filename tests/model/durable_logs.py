"""Logs for the tests: written as hosts write them, and validated against the specs of the runtime's models.

A line of a test is its side, when it was written (in seconds), its event, and the other fields, of which
those that are a float are times too.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from specwalk.project import load_binding, new_model
from specwalk.validate import Machine, Possible, Validation, validate
from tests.explored import explored
from tests.harness.logs import Silent

SECOND = 1_000_000
Line: TypeAlias = tuple[str, float, str, Mapping[str, Any]]


def validated(logs: Sequence[Path], model: str = "durable") -> Validation:
    """Validate logs that hosts wrote; TLC explores the spec once in each process that tests."""
    return validate(possible(model), logs, Silent())


def assert_explained(logs: Sequence[Path], model: str = "durable") -> None:
    """Fail with the explanations, if the logs are no behaviour of the spec or have flaws."""
    found = validated(logs, model)
    assert not found.rejections, "\n\n".join(map(str, found.rejections))
    assert not found.flaws.told, "\n".join(map(str, found.flaws.told))


@cache
def possible(model: str = "durable") -> Possible:
    """What TLC explores of a model's spec for logs; ask for it before time matters."""
    binding = load_binding(model)
    return Possible(
        [
            Machine(graph=explored(binding.spec, one.config), model=new_model(binding, one.config))
            for one in map(binding.instance, binding.model.logged)
        ]
    )


def written(lines: Sequence[Line], folder: Path) -> list[Path]:
    """Write a log for each side; a start begins another run."""
    files = [folder / f"{side}.jsonl" for side in ("custodian", "receiver")]
    for file in files:
        run, count, texts = 0, 0, []
        for side, at, event, fields in lines:
            if side != file.stem:
                continue
            run, count = (run + 1, 0) if event == "start" else (run, count + 1)
            line = {"run": run, "n": count, "side": side, "at": at, "event": event, **fields}
            texts.append(
                json.dumps({k: round(v * SECOND) if type(v) is float else v for k, v in line.items()})
            )
        file.write_text("".join(f"{text}\n" for text in texts))
    return files
