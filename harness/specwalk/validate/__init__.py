"""Are the logs of a real run a behaviour of the spec?

``lines`` reads a log, ``meaning`` holds what its lines mean on the graph, ``possible`` the states that the
spec can be in. ``track`` follows all logs in the order of their times, ``orders`` searches all other orders
for what that rejects, ``nearest`` finds the legal reading closest to a log that no order explains.
``validation`` puts them together.
"""

from specwalk.validate.meaning import Machine
from specwalk.validate.possible import Possible
from specwalk.validate.validation import Validation, validate

__all__ = ["Machine", "Possible", "Validation", "validate"]
