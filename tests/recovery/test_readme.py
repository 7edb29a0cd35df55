"""What the README says of recovery is so."""

import re
from pathlib import Path

from rich.console import Console

from tests.recovery.__main__ import count_table
from tests.recovery.rig import cells
from tests.recovery.table import by_policy

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_the_example_runs_as_it_stands_there():
    (code,) = re.findall(r"```python\n(from itertools.*?)```", README, re.DOTALL)
    exec(code, {})


def test_the_counts_are_those_that_it_shows():
    (shown,) = re.findall(r"<!-- transcript: recovery -->\n```text\n(.*?)```", README, re.DOTALL)
    console = Console(width=80)
    with console.capture() as printed:
        console.print(count_table(by_policy(cells())))
    assert printed.get() == shown
