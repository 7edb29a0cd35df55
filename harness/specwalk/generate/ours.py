"""Marks the files that `specwalk regenerate` writes: each says for which model it was written.

A file of tests says it in its first line, a trace in its metadata. Copies and edited files say it too: what
may be replaced is known by its signature.
"""

import json
import re
from pathlib import Path

__all__ = ["TRACE_MARK", "mark_of_tests", "written_for"]

TRACE_MARK = "written by specwalk regenerate for"
_TEST_MARK = re.compile(r"# Written by `specwalk regenerate ([^`]+)`: ")


def mark_of_tests(model: str, spec: str) -> str:
    """The first line of a file of tests."""
    return f"# Written by `specwalk regenerate {model}`: change {spec} or the model, and regenerate."


def written_for(file: Path) -> str | None:
    """The model for which a file says that it was written; None if it does not, or is no file."""
    if not file.is_file():
        return None
    text = file.read_bytes().decode(errors="replace")
    if file.suffix == ".py":
        found = _TEST_MARK.match(text)
        return found[1] if found else None
    return _traced_for(text)


def _traced_for(text: str) -> str | None:
    try:
        model = json.loads(text)["#meta"][TRACE_MARK]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return model if isinstance(model, str) else None
