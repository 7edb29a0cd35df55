"""The snapshot walk of a copy of the project, as a process of its own: `python -m tests.teeth.walks`.

It walks the small instances of Custody.tla, and prints as JSON what diverged first, by kind of check.
"""

import json
from pathlib import Path

import abhyasa
from specwalk.divergence import Divergence, Kind, Origin
from specwalk.errors import SpecwalkError
from specwalk.project import load_binding, new_model
from specwalk.tally import Tally
from specwalk.walk import walk
from tests.explored import explored

#: By budget, by deadline, and beside an inadmissible obligation.
INSTANCES = ("single", "deadline", "mixed")

EDGE, REFUSAL, HIDDEN = "edge", "refusal", "hidden state"


def main() -> None:
    """Walk every instance on the implementation in the current folder."""
    assert Path(abhyasa.__file__).is_relative_to(Path.cwd()), "this is not the copy's implementation"
    binding = load_binding("custody")
    caught: dict[str, str] = {}
    for name in INSTANCES:
        config = binding.spec.with_name(f"Custody_{name}.cfg")
        graph = explored(binding.spec, config)
        origin = Origin(model=binding.name, config=name)
        try:
            tally = walk(graph, new_model(binding, config), origin)
        except SpecwalkError as problem:
            caught.setdefault(EDGE, f"{name}: {problem}")
        else:
            caught = {**_caught(name, tally), **caught}
    print(json.dumps(caught))


def _caught(name: str, tally: Tally) -> dict[str, str]:
    found: dict[str, str] = {}
    for finding in tally.findings.values():
        step = finding.divergence.step or "the start"
        found.setdefault(_kind(finding.divergence), f"{step} {finding.divergence.kind.value}, at {name}")
    return found


def _kind(divergence: Divergence) -> str:
    if divergence.kind is Kind.HIDDEN_STATE:
        return HIDDEN
    return EDGE if divergence.enabled else REFUSAL


if __name__ == "__main__":
    main()
