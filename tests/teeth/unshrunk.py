"""A pytest plugin: Hypothesis draws the same on each run, and stops at the first failure.

Here only matters that there is one; and what was caught once is caught again.
"""

from contextlib import suppress

from hypothesis import Phase, settings
from hypothesis.errors import InvalidArgument

_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.target)


def pytest_configure() -> None:
    """Bind the profiles that the tests use, and leave shrinking out; "quick" is that of the stateful ones."""
    for name in ("default", "quick"):
        with suppress(InvalidArgument):
            settings.register_profile(
                name, parent=settings.get_profile(name), derandomize=True, database=None, phases=_PHASES
            )
    settings.load_profile("default")
