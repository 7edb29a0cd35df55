"""What the machine draws: bounds, weather, times, and what an application makes of an obligation.

The first choice of each is the plain one, which is what failures shrink to.
"""

from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st

from abhyasa import AckStatus, Decision, OnDecline, Terms
from abhyasa.channel import Faults
from tests.stateful.process import Doom
from tests.unit.rig import APPLIED, DECLINED

#: What an application does with an obligation; one that fails raises.
WILL = {
    "applies": APPLIED,
    "defers": Decision(status=AckStatus.DEFERRED, reason="awaiting a human"),
    "declines": DECLINED,
    "fails": None,
}

wills = st.sampled_from(["applies", *WILL])
answers = st.sampled_from(["applies", "declines"])
# Sums of these are exact; the last is corrective, though any rounding would lose it.
deltas = st.sampled_from([-0.25, -0.0625, 0.25, -1.0, 0.0, -(2.0**-30), 1.0, -0.5])
sequences = st.sampled_from([None, 2, 1, 3, 0])
seconds = st.sampled_from([0, 0.25, 0.5, 1, 2, 3, 6, 10, 60])
picks = st.integers(0, 7)
_odds = st.sampled_from([0.0, 0.3, 1.0])
weather = st.builds(
    Faults,
    lose=_odds,
    duplicate=_odds,
    delay=_odds,
    reorder=_odds,
    longest=st.sampled_from([timedelta(0), timedelta(seconds=2), timedelta(seconds=20)]),
)


deaths = st.builds(Doom, nth=st.just(1), counting=st.just("COMMIT"), before=st.booleans()) | st.builds(
    Doom, nth=st.integers(1, 8), before=st.booleans()
)
# An escalation and an issue commit most, so that they are where a death tears most.
_occasions = "escalated escalated pending pending attempt best_effort applied declined deferred noted"
custodians_deaths = st.builds(
    replace,
    deaths,
    occasion=st.sampled_from(_occasions.split()),
    outage=seconds.map(lambda number: timedelta(seconds=number)),
)


@st.composite
def bounds(draw):
    """Terms such as admission accepts: short and long windows, budgets that span them or do not."""
    initial = timedelta(seconds=draw(st.sampled_from([1, 0.25, 3])))
    cap = draw(st.sampled_from([None, 1, 2, 8]))
    return Terms(
        window=timedelta(seconds=draw(st.sampled_from([6, 1, 2, 10, 40, 600]))),
        max_retries=draw(st.sampled_from([4, 0, 1, 2, 16])),
        initial=initial,
        cap=None if cap is None else cap * initial,
        jitter=draw(st.none() | st.integers(0, 3)),
        on_decline=draw(st.sampled_from(OnDecline)),
    )
