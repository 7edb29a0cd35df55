"""Marks the files that `specwalk regenerate` writes, so that it replaces and removes those alone.

A file of tests says in its first line for which model it was written, a trace in its metadata.
"""

import json
import re
from pathlib import Path

__all__ = ["TRACE_MARK", "mark_of_tests", "written_for"]

TRACE_MARK = "written by specwalk regenerate for"
_TEST_MARK = re.compile(r"# Written by `specwalk regenerate (\w+)`: ")


def mark_of_tests(model: str, spec: str) -> str:
    """The first line of a file of tests."""
    return f"# Written by `specwalk regenerate {model}`: change {spec} or the model, and regenerate."


def written_for(file: Path) -> str | None:
    """The model for which a file was written; None if it is not ours."""
    if not file.is_file() or file.is_symlink():
        return None
    text = file.read_bytes().decode(errors="replace")
    if file.suffix == ".py":
        found = _TEST_MARK.match(text)
        return found[1] if found else None
    return _traced_for(text)


def _traced_for(text: str) -> str | None:
    try:
        model = json.loads(text)["#meta"][TRACE_MARK]
    except (ValueError, TypeError, KeyError):
        return None
    return model if isinstance(model, str) else None
