"""The entry point, also where the harness's dependencies are not installed."""

import sys
from importlib.util import find_spec

from specwalk.errors import INSTALL, ExitCode
from specwalk.interrupts import raise_on_signals


def main() -> None:
    """Run the command line, or say what to install."""
    missing = [name for name in ("click", "rich", "networkx", "jinja2") if find_spec(name) is None]
    if missing:
        print(
            f"specwalk: {', '.join(missing)} not installed. Install the harness with: {INSTALL}",
            file=sys.stderr,
        )
        sys.exit(ExitCode.ENVIRONMENT)
    raise_on_signals()
    try:
        # Only now, for it takes a while, in which a signal is to find its handler.
        from specwalk.cli import run
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
