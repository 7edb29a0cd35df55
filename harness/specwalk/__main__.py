"""The entry point, also where the harness's dependencies are not installed."""

import sys
from importlib.util import find_spec

MISSING_DEPENDENCY = 3


def main() -> None:
    """Run the command line, or say what to install."""
    missing = [name for name in ("click", "rich", "networkx") if find_spec(name) is None]
    if missing:
        print(
            f"specwalk: {', '.join(missing)} not installed. "
            "Install the harness with: pip install 'abhyasa[harness]'",
            file=sys.stderr,
        )
        sys.exit(MISSING_DEPENDENCY)
    from specwalk.cli import run

    run()


if __name__ == "__main__":
    main()
