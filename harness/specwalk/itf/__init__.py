"""Informal Trace Format (Apalache's ADR 015): reads and writes behaviours as JSON.

Rule 1: one trace has one text, however its values were made: sets and functions have a fixed order there.
Rule 2: what is written reads back as the same trace, or it is not written. Model values are written as
their names, and read back where the caller names them, also as Apalache writes them (`o1_OF_T`).
Rule 3: `#meta`, parameters and what else the format leaves open may hold anything; values may not.

The action of a step stands in the `#meta` of the state that it leads to, as "action": "Lose(o1)". Quint's
traces (`--mbt`) tell it in two variables of their own.
"""

from specwalk.itf.reader import read_trace
from specwalk.itf.trace import Step, Trace, model_values
from specwalk.itf.writer import write_trace

__all__ = ["Step", "Trace", "model_values", "read_trace", "write_trace"]
