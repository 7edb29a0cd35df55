"""Messages on a stream: one canonical JSON text a line, in ASCII.

Rule 1: a canonical text has no newline inside, so a line is a message.
Rule 2: a line that is too long, or no ASCII, is a lost message. The next line is read as if it had
        not been: what is left of it is no JSON object, since its beginning is gone.
"""

import asyncio
import logging
from collections.abc import AsyncIterator

#: The longest line, in bytes.
LIMIT = 2**20

_log = logging.getLogger(__name__)


def frame(text: str) -> bytes:
    """Return the line of a canonical text. Raises ValueError if it is too long."""
    line = text.encode("ascii") + b"\n"
    if len(line) > LIMIT:
        raise ValueError(f"a message of {len(line)} bytes is longer than {LIMIT}: make its payload smaller")
    return line


async def texts(reader: asyncio.StreamReader, peer: object) -> AsyncIterator[str]:
    """Yield the texts that arrive, to the end of the stream.

    `reader` was made with `limit=LIMIT`. Raises OSError when the connection breaks.
    """
    while True:
        try:
            line = await reader.readline()
            if not line.endswith(b"\n"):
                return  # the stream has ended, perhaps in the middle of a message
            yield line.decode("ascii")
        except ValueError as error:
            _log.warning("lost a message from %s: %s", peer, error)
