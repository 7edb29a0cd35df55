"""The ordinary checks of a spec at the bounds of one configuration, and the suites of its faults.

Rule 1: a fault of a spec stands in the folder of the configuration where it shows: all that this
        configuration checks is on, one kind at a time, so that none hides another.
Rule 2: the walk leads the unchanged implementation along the changed spec.
Rule 3: the head's `Rule:` begins with the claim that the fault violates when that is checked alone.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from specwalk.config import read_config
from specwalk.divergence import Origin
from specwalk.errors import BadInput
from specwalk.gaps import find_gaps
from specwalk.graph import explore
from specwalk.pins import Pin, read_pin
from specwalk.project import load_binding, new_model
from specwalk.tlc import Result
from specwalk.verify import verify
from specwalk.walk import walk
from tests.teeth.fault import PROJECT
from tests.teeth.suite import Check, Suite

SPECS = PROJECT / "spec"
FAULTS = PROJECT / "tests/teeth/faults/spec"
DEADLOCK, INVARIANT = "deadlock", "invariant"
ACTION, LIVENESS, REFINEMENT = "action property", "liveness", "refinement"
WALK, PINS = "walk", "pins"

# A change can make a spec endless; unchanged, none takes ten seconds at the bounds used here.
PATIENCE_SECONDS = 60

#: The model that ties a spec to the implementation, if one does.
MODELS = {
    "Custody": "custody",
    "DurableCustody": "durable",
    "Supersession": "supersession",
    "Recovery": "recovery",
}

#: The configurations with faults of their own.
INSTANCES = tuple(sorted(folder.name for folder in FAULTS.iterdir()))

# Where the kinds prove themselves that a fault must be caught by alone.
_PROVING = {"Custody_single": (LIVENESS, REFINEMENT, WALK)}


def spec_suite(name: str) -> Suite:
    """The faults that show in a configuration, and the checks that must catch them there."""
    kinds = tuple(claims_by_kind(name))
    checks = [Check(kinds=kinds, run=partial(_claims, name)), Check(kinds=(PINS,), run=partial(_pins, name))]
    if root_of(name) in MODELS:
        checks.append(Check(kinds=(WALK,), run=partial(_walk, name)))
    return Suite(name=f"spec, at {name}", folder=FAULTS / name, checks=checks, alone=_PROVING.get(name, ()))


def claims_by_kind(name: str) -> dict[str, tuple[str, ...]]:
    """Every claim of a configuration: the deadlock that TLC looks for, invariants, properties."""
    config = read_config(SPECS / f"{name}.cfg")
    found: dict[str, tuple[str, ...]] = {DEADLOCK: (DEADLOCK,) if config.check_deadlock else ()}
    found[INVARIANT] = config.invariants
    for claim in config.properties:
        kind = _kind_of_property(root_of(name), claim)
        found[kind] = (*found.get(kind, ()), claim)
    return {kind: claims for kind, claims in found.items() if claims}


def _kind_of_property(root: str, claim: str) -> str:
    """What a property says: that one spec refines another, that something happens, how steps are."""
    text = (SPECS / f"{root}.tla").read_text()
    defined = re.search(rf"^{claim} ==(.*?)(?:^$|\Z)", text, flags=re.MULTILINE | re.DOTALL)
    assert defined, f"{root} has no {claim} of its own"
    if re.search(r"\w!\w", defined[1]):
        return REFINEMENT
    return LIVENESS if re.search(r"<>|~>|[WS]F_", defined[1]) else ACTION


def check(specs: Path, name: str, *claims: str) -> Result:
    """Check some claims of a configuration, and nothing else that it asks for.

    Raises BadInput if TLC does not get as far as a verdict.
    """
    config = read_config(specs / f"{name}.cfg")
    narrowed = specs / "narrowed.cfg"
    narrowed.write_text(
        str(
            replace(
                config,
                check_deadlock=DEADLOCK in claims,
                invariants=tuple(claim for claim in config.invariants if claim in claims),
                properties=tuple(claim for claim in config.properties if claim in claims),
            )
        )
    )
    result = verify(specs / f"{root_of(name)}.tla", narrowed, timeout=PATIENCE_SECONDS)
    if result.problems:
        raise BadInput(f"At {name} this is no spec, so nothing is caught: {result.problems[0]}")
    return result


def root_of(name: str) -> str:
    """The module that a configuration is of."""
    return name.partition("_")[0]


def drift(config: Path, result: Result) -> str:
    """How the counts of a full search differ from those pinned; nothing if they do not."""
    counts = result.counts
    found = Pin(distinct=counts.distinct, generated=counts.generated, depth=counts.depth)
    return "" if found == read_pin(config) else f"{config.stem}: {found}"


def divergence(specs: Path, name: str) -> str:
    """The first place where model or implementation part from a spec; nothing if they do not."""
    binding = load_binding(MODELS[root_of(name)])
    config = specs / f"{name}.cfg"
    graph = explore(specs / f"{root_of(name)}.tla", config, timeout=PATIENCE_SECONDS)
    model = new_model(binding, config)
    if gaps := find_gaps(model, graph):
        return f"{name}: {gaps.problems[0]}"
    tally = walk(graph, model, Origin(model=binding.name, config=name))
    first = next((finding.divergence for finding in tally.findings.values()), None)
    return f"{name}: {first.step or 'the start'} {first.kind.value}" if first else ""


def _claims(name: str, copy: Path) -> Mapping[str, str]:
    specs = copy / "spec"
    found = {kind: check(specs, name, *claims).violation for kind, claims in claims_by_kind(name).items()}
    return {kind: violation.name or kind for kind, violation in found.items() if violation}


def _pins(name: str, copy: Path) -> Mapping[str, str]:
    specs = copy / "spec"
    found = drift(specs / f"{name}.cfg", check(specs, name))
    return {PINS: found} if found else {}


def _walk(name: str, copy: Path) -> Mapping[str, str]:
    found = divergence(copy / "spec", name)
    return {WALK: found} if found else {}
