"""State machines of Hypothesis out of a Model and a StateGraph.

`machine_for` makes one by the model's name, `machine_of` one for a graph at hand. What they make is used
as every machine of ``hypothesis.stateful`` is: its ``TestCase``, settings, ``run_state_machine_as_test``.

``steps`` says what there is to choose from, ``behaviour`` judges what the implementation does,
``shortest`` finds the walk to show, ``subject`` is graph and model, ``machine`` what Hypothesis sees.
"""

from specwalk.stateful.machine import machine_for, machine_of
from specwalk.stateful.subject import Subject

__all__ = ["Subject", "machine_for", "machine_of"]
