"""How hard the state machines try: "quick" in `make test`, "deep" in `make deep`.

A test that takes the fixture `effort` runs once with each, and hands it on:

    run_state_machine_as_test(Machine, settings=effort)

Quick runs are the same each time. Deep ones draw a new seed; a failure prints what repeats it.
"""

import pytest
from hypothesis import HealthCheck, settings

# Endpoints on SQLite are slower than Hypothesis expects of a test, and nothing here is timed.
_COMMON = {
    "deadline": None,
    "database": None,
    "print_blob": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
}

settings.register_profile("quick", derandomize=True, max_examples=60, stateful_step_count=30, **_COMMON)
settings.register_profile("deep", derandomize=False, max_examples=1000, stateful_step_count=60, **_COMMON)


@pytest.fixture(params=["quick", pytest.param("deep", marks=pytest.mark.deep)])
def effort(request: pytest.FixtureRequest) -> settings:
    """The settings under which to run a state machine: quick and repeatable, or deep and random."""
    profile: settings = settings.get_profile(request.param)
    return profile
