"""The logs of real runs against DurableCustody, for every test that has some."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from specwalk.graph import explore
from specwalk.project import load_binding, new_model
from specwalk.validate import Machine, Possible, Validation, validate
from tests.harness.logs import Silent


def validated(logs: Sequence[Path]) -> Validation:
    """Validate logs that hosts wrote; TLC explores the spec once in each process that tests."""
    return validate(_possible(), logs, Silent())


def assert_explained(logs: Sequence[Path]) -> None:
    """Fail with the explanations, if the logs are no behaviour of the spec or have flaws."""
    found = validated(logs)
    assert not found.rejections, "\n\n".join(map(str, found.rejections))
    assert not found.flaws.told, "\n".join(map(str, found.flaws.told))


def explore_first() -> None:
    """Let TLC explore the spec now, rather than when the first logs are there."""
    _possible()


@cache
def _possible() -> Possible:
    binding = load_binding("durable")
    return Possible(
        [
            Machine(graph=explore(binding.spec, one.config), model=new_model(binding, one.config))
            for one in map(binding.instance, binding.model.logged)
        ]
    )
