"""Names for files and functions, made of what a spec and a project call things.

Rule 1: a name has letters, digits and _ of ASCII alone, so that every file system and Python take it.
Rule 2: it has at most LONGEST characters: of a longer one the beginning is kept, and a checksum of the whole.
"""

import re
from hashlib import sha256

__all__ = ["safe"]

# File systems allow 255 for a name with its suffix; a number may follow.
LONGEST = 120


def safe(text: str) -> str:
    """``my-tank`` as ``my_tank``; two texts may have one name."""
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "_"
    if len(name) <= LONGEST:
        return name
    checksum = sha256(text.encode(errors="replace")).hexdigest()[:8]
    return f"{name[: LONGEST - len(checksum) - 1]}_{checksum}"
