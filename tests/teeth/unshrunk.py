"""A pytest plugin: Hypothesis stops at the first failure, for here only matters that there is one."""

from contextlib import suppress

from hypothesis import Phase, settings
from hypothesis.errors import InvalidArgument

_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.target)


def pytest_configure() -> None:
    """Leave shrinking out of the profiles that the tests use; "quick" is that of the stateful ones."""
    for name in ("default", "quick"):
        with suppress(InvalidArgument):
            settings.register_profile(name, parent=settings.get_profile(name), phases=_PHASES)
    settings.load_profile("default")
