"""Find Java and the jar, run TLC in a private folder, turn its output into a typed result.

``toolchain`` finds, ``workspace`` isolates and cleans up, ``messages`` frames, ``output`` interprets,
``problems`` explains failures, ``result`` is what comes out, ``run`` puts them together, ``written``
reads what TLC writes meanwhile.
"""

from specwalk.tlc.result import Counts, Problem, Result, Trace, TraceStep, Verdict, Violation
from specwalk.tlc.run import OnProgress, run_tlc
from specwalk.tlc.toolchain import Toolchain, find_toolchain
from specwalk.tlc.workspace import Completed, Workspace
from specwalk.tlc.written import Lines, Written

__all__ = [
    "Completed",
    "Counts",
    "Lines",
    "OnProgress",
    "Problem",
    "Result",
    "Toolchain",
    "Trace",
    "TraceStep",
    "Verdict",
    "Violation",
    "Workspace",
    "Written",
    "find_toolchain",
    "run_tlc",
]
