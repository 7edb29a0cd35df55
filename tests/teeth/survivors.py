"""Tables of mutants that no check can tell from the original, one by one with the reason."""

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path


def read_survivors(table: Path) -> dict[str, str]:
    """The reasons, by the name of the mutant."""
    rows: list[dict[str, str]] = tomllib.loads(table.read_text()).get("survivor", [])
    return {row["mutant"]: row["reason"] for row in rows}


def problems(survivors: Collection[str], listed: Mapping[str, str], table: str) -> list[str]:
    """What keeps a run from being a success: survivors that are not listed, rows that are out of date."""
    new = [f"nothing notices this mutant: {name}" for name in sorted(set(survivors) - set(listed))]
    old = [f"{table} lists what does not survive: {name}" for name in sorted(set(listed) - set(survivors))]
    return [*new, *old]
