"""The output of TLC versions after 2.15, written down from what distinguishes it.

The framing is the same. A violated temporal property is named, actions carry their parameters, a failed
Assert has a code of its own and a trace, and so has a stack overflow; a line about a trace spec may follow.
"""

import pytest

from specwalk.tlc import Result, Verdict
from tests.harness.test_tlc_results import read

PREAMBLE = """\
@!@!@STARTMSG 2262:0 @!@!@
TLC2 Version 2026.04.29 (rev: 0000000)
@!@!@ENDMSG 2262 @!@!@
@!@!@STARTMSG 2220:0 @!@!@
Starting SANY...
@!@!@ENDMSG 2220 @!@!@
Parsing file /run/Spec.tla
Parsing file /run/tmp/tlc-1/Naturals.tla (jar:file:/tla2tools.jar!/tla2sany/StandardModules/Naturals.tla)
Semantic processing of module Naturals
Semantic processing of module Spec
Linting of module Spec
@!@!@STARTMSG 2219:0 @!@!@
SANY finished.
@!@!@ENDMSG 2219 @!@!@
"""
COUNTS = """\
@!@!@STARTMSG 2199:0 @!@!@
4 states generated, 3 distinct states found, 0 states left on queue.
@!@!@ENDMSG 2199 @!@!@
"""
STATES = """\
@!@!@STARTMSG 2217:4 @!@!@
1: <Initial predicate>
/\\ x = 0
/\\ y = m1

@!@!@ENDMSG 2217 @!@!@
@!@!@STARTMSG 2217:4 @!@!@
2: <Step(1,m1) line 7, col 3 to line 7, col 24 of module Spec>
/\\ x = 1
/\\ y = m1

@!@!@ENDMSG 2217 @!@!@
"""
LIVENESS = """\
@!@!@STARTMSG 2116:1 @!@!@
Temporal property Live was violated.
@!@!@ENDMSG 2116 @!@!@
@!@!@STARTMSG 2264:1 @!@!@
The following behavior constitutes a counter-example:
@!@!@ENDMSG 2264 @!@!@
"""
BACK = """\
@!@!@STARTMSG 2122:4 @!@!@
1: Back to state: <Step(2,m1) line 7, col 3 to line 7, col 24 of module Spec>

@!@!@ENDMSG 2122 @!@!@
"""
STUTTERING = "@!@!@STARTMSG 2218:4 @!@!@\n3: Stuttering\n@!@!@ENDMSG 2218 @!@!@\n"
TRACE_SPEC = "Trace exploration spec path: ./Spec_TTrace_1700000000.tla\n"
NO_ERROR = """\
@!@!@STARTMSG 2193:0 @!@!@
Model checking completed. No error has been found.
@!@!@ENDMSG 2193 @!@!@
"""
ASSERTION = """\
@!@!@STARTMSG 2132:1 @!@!@
The first argument of Assert evaluated to FALSE; the second argument was:
"too far"
@!@!@ENDMSG 2132 @!@!@
@!@!@STARTMSG 2121:1 @!@!@
The behavior up to this point is:
@!@!@ENDMSG 2121 @!@!@
"""
STACK_OVERFLOW = """\
@!@!@STARTMSG 1005:1 @!@!@
This was a Java StackOverflowError. It was probably the result
of an incorrect recursive function definition.
@!@!@ENDMSG 1005 @!@!@
"""


@pytest.fixture
def result_of(tmp_path):
    def result_of(output: str, exit_code: int) -> Result:
        (tmp_path / "Spec.tla").touch()
        return read((PREAMBLE + output).splitlines(), exit_code, tmp_path / "Spec.tla")

    return result_of


def test_success_without_an_outdegree_or_with_what_follows(result_of):
    assert result_of(NO_ERROR + COUNTS, 0).verdict is Verdict.OK
    assert result_of(NO_ERROR + COUNTS + TRACE_SPEC, 0).verdict is Verdict.OK


@pytest.mark.parametrize(("ending", "back_to"), [(BACK, 0), (STUTTERING, 1)])
def test_a_temporal_property_has_its_name(result_of, ending, back_to):
    violation = result_of(LIVENESS + STATES + ending + COUNTS + TRACE_SPEC, 13).violation
    assert violation is not None
    assert (violation.kind, violation.name) == ("temporal property", "Live")
    assert violation.trace.back_to == back_to
    assert [step.action for step in violation.trace.steps] == ["Initial predicate", "Step(1,m1)"]
    assert violation.trace.steps[1].location == "line 7, col 3 to line 7, col 24 of module Spec"


def test_a_failed_assertion_has_a_trace(result_of):
    result = result_of(ASSERTION + STATES + COUNTS + TRACE_SPEC, 14)
    violation = result.violation
    assert violation is not None
    assert (violation.kind, violation.name) == ("assertion", '"too far"')
    assert len(violation.trace.steps) == 2


def test_a_stack_overflow_is_the_specs(result_of):
    result = result_of(STACK_OVERFLOW, 255)
    assert result.verdict is Verdict.SPEC_ERROR
    assert "-Xss" in result.problems[0].advice
