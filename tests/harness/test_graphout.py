"""A graph given to others: what is counted, and texts that need escaping."""

import io
import json
import re

from rich.console import Console

from specwalk.graph.output import as_dot, as_json, summary
from tests.harness.toy import build


def test_what_is_counted() -> None:
    # Up from 0 has two outcomes; TLC would have generated three edges and two initial states.
    graph = build([(0, "Up", 1), (0, "Up", 2), (2, "Stay", 2)], initial=(0, 2), alphabet=("Down",))
    output = io.StringIO()
    Console(file=output, width=100).print(summary(graph))
    figures = dict(re.findall(r"│\s+(\S.*?)\s+│\s+(\d+) │", output.getvalue()))
    assert figures == {
        "distinct states": "3",
        "initial states": "2",
        "states generated": "5",
        "labelled edges, as TLC generated them": "3",
        "of them distinct": "3",
        "leaf actions": "3",
        "distinct events (action and arguments)": "2",
        "action instances in the alphabet": "3",
        "pairs of state and event": "2",
        "of them with several successors": "1",
        "Up": "2",
        "Stay": "1",
        "Down": "0",
    }


def test_texts_are_escaped() -> None:
    odd = 'a "b" \\ c'
    graph = build([(0, 'Say("x \\" y")', 0)], alphabet=(), variables=("text", "n"), values=lambda n: (odd, n))
    _, node, edge, _ = as_dot(graph)
    label = json.dumps('text = "a \\"b\\" \\\\ c"\nn = 0')
    assert node == f"  0 [label={label}, style=filled];\n"
    say = json.dumps('Say("x \\" y")')
    assert edge == f"  0 -> 0 [label={say}];\n"
    exported = json.loads(json.dumps(as_json(graph)))
    assert exported["states"] == [['"a \\"b\\" \\\\ c"', "0"]]
    assert exported["edges"] == [[0, 'Say("x \\" y")', 0]]
    assert (exported["variables"], exported["initial"], exported["actions"]) == (
        ["text", "n"],
        [0],
        {"Say": 1},
    )
