"""What is kept of a cell, as a file: written whole or not at all, and read with distrust.

Rule 1: a file says which cell it is of, and its history must be of that cell's contract and of the
        study's instance: one file cannot stand for another.
Rule 2: a study's host must have been told what the application made durable last.
Rule 3: the files of an earlier run go before the first cell is played, so a folder holds one run.
"""

import json
import os
from dataclasses import asdict

from abhyasa.recovery.checker import regrade
from tests.recovery.corpus import INSTANCE
from tests.recovery.hosts import NATIVE
from tests.recovery.providers import CONTRACTS
from tests.recovery.stage import declared


class DamagedError(Exception):
    """A kept file is not what it should be."""


def clear(cells, folder):
    """Remove what an earlier run has kept of cells."""
    for cell in cells:
        (folder / cell.file).unlink(missing_ok=True)


def write(cell, kept, folder):
    """Keep something of a cell."""
    part = folder / f"{cell.file}.part"
    part.write_text(json.dumps({"cell": asdict(cell), **kept}, indent=1))
    os.replace(part, folder / cell.file)


def missing(cells, folder):
    """Return the names of the files that are not there."""
    return [cell.file for cell in cells if not (folder / cell.file).exists()]


def verdict(cell, folder):
    """Grade what is kept of a cell, from its file alone. Raises DamagedError, naming the file."""
    try:
        kept = json.loads((folder / cell.file).read_text())
        if not isinstance(kept, dict):
            raise ValueError("this is no JSON object")
        graded = regrade(kept["history"])
        _require_same(cell, kept)
    except KeyError as error:
        raise DamagedError(f"{cell.file}: {error} is missing") from error
    except OSError as error:
        raise DamagedError(f"{cell.file}: {error.strerror}") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedError(f"{cell.file}: {error}") from error
    return graded


def last_report(history):
    """Return what the application has last made durable for its host."""
    report = history["reports"][-1] if history["reports"] else {"outcome": None, "reason": None}
    return {"outcome": report["outcome"], "reason": report["reason"]}


def _require_same(cell, kept):
    """Raise ValueError for what was kept of another cell, or told otherwise to its host."""
    history = kept["history"]
    _require_equal("the cell", asdict(cell), kept["cell"])
    _require_equal("the history's contract", declared(CONTRACTS[cell.contract]), history["contract"])
    _require_equal("the history's instance", INSTANCE.id, history["instance"]["id"])
    if cell.host in NATIVE:
        _require_equal("what the host was told", last_report(history), kept["host"]["acknowledged"])


def _require_equal(what, wanted, found):
    if found != wanted:
        raise ValueError(f"{what} is {found}, and should be {wanted}")
