"""How the tests are shared out over processes; `pytest -n auto` asks here, through `conftest.py`.

Rule 1: a file stays together, for its tests share what is dear to make.
Rule 2: files that need the same large graph stay together too: none waits for it or explores it again.
Rule 3: there is one process more than there are cores, for the tests of crashes mostly wait.
"""

import os

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

#: The files that share a graph, by what their paths begin with.
_TOGETHER = {
    "what is logged": (
        "tests/crash/",
        "tests/model/test_custody_log.py",
        "tests/model/test_supersession_log.py",
    ),
    "published": (
        "tests/harness/test_graph_cases",
        "tests/harness/test_symmetry",
        "tests/harness/test_tours",
    ),
}

PROCESSES = (os.cpu_count() or 1) + 1


class ByGraph(LoadScopeScheduling):
    """Hands out what stays together, in the order of the paths."""

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((name for name, begins in _TOGETHER.items() if file.startswith(begins)), file)
