"""The tours of the published custody instance, taken by the real endpoints."""

import pytest

from specwalk.graph import StateGraph
from specwalk.ground import Ground
from specwalk.guided import take_tours
from specwalk.project import load_binding
from specwalk.tours import plan_tours


@pytest.mark.deep
def test_every_transition_is_taken_from_the_start_in_527240_steps(published_graph: StateGraph) -> None:
    binding = load_binding("custody")
    ground = Ground(binding=binding, instance=binding.instance("published"), graph=published_graph)
    tours = plan_tours(published_graph)
    journal = take_tours(published_graph, tours, ground.new_model, ground.origin, lambda _: None, workers=1)
    assert not journal.findings
    assert len(journal.taken) == len(published_graph) == 157_119
    assert (journal.steps, journal.walks, journal.replans) == (527_240, 43_362, 0)
