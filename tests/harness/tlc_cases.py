"""Tiny specs that TLC can search: nothing found, and each kind of violation.

The expectations are worked out by hand from the specs.
"""

from specwalk.tlc import Verdict
from tests.harness.tlc_recording import Case

COUNT = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n"
LIVE = COUNT + "Spec == Init /\\ [][Next]_x\n"
CONST = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x\n"
X0 = ("Initial predicate", {"x": 0})
X1, X2 = ("Next", {"x": 1}), ("Next", {"x": 2})
INVARIANT = "INIT Init\nNEXT Next\nINVARIANT Inv\n"
PROPERTY = "SPECIFICATION Spec\nPROPERTY Live\n"

OK = {"verdict": Verdict.OK, "exit_code": 0}
VIOLATED = {"verdict": Verdict.VIOLATED}

SEARCHED: dict[str, Case] = {
    "success": Case(body=COUNT, counts=(4, 3, 3), **OK),
    "invariant_initial": Case(
        body=COUNT + "Inv == x > 0\n",
        config=INVARIANT,
        exit_code=12,
        violated=("invariant", "Inv"),
        trace=(X0,),
        **VIOLATED,
    ),
    "invariant_later": Case(
        body=COUNT + "Inv == x < 2\n",
        config=INVARIANT,
        exit_code=12,
        counts=(3, 3, 3),
        violated=("invariant", "Inv"),
        trace=(X0, X1, X2),
        **VIOLATED,
    ),
    "deadlock": Case(
        body="EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 2 /\\ x' = x + 1\n",
        exit_code=11,
        violated=("deadlock", None),
        trace=(X0, X1, X2),
        **VIOLATED,
    ),
    # Nothing in Spec is fair, so the shortest answer is to stop before the goal.
    "stuttering": Case(
        body=LIVE + "Live == x = 0 ~> x = 2\n",
        config=PROPERTY,
        exit_code=13,
        violated=("temporal property", None),
        trace=(X0, X1),
        back_to=1,
        **VIOLATED,
    ),
    "lasso": Case(
        body="EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nUp == x < 3 /\\ x' = x + 1\n"
        "Down == x = 3 /\\ x' = 1\nNext == Up \\/ Down\n"
        "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nLive == <>[](x = 3)\n",
        config=PROPERTY,
        exit_code=13,
        counts=(5, 4, 4),
        violated=("temporal property", None),
        trace=(X0, ("Up", {"x": 1}), ("Up", {"x": 2}), ("Up", {"x": 3})),
        back_to=1,
        **VIOLATED,
    ),
    "action_property": Case(
        body=LIVE + "Live == [][x' > x]_x\n",
        config=PROPERTY,
        exit_code=13,
        violated=("action property", "Live"),
        trace=(X0, X1, X2, ("Next", {"x": 0})),
        **VIOLATED,
    ),
    "initial_property": Case(
        body=LIVE + "Live == x = 1\n",
        config=PROPERTY,
        exit_code=13,
        violated=("initial property", "Live"),
        trace=(X0,),
        **VIOLATED,
    ),
    "assumption": Case(
        body="ASSUME 1 = 2\n" + CONST.replace("EXTENDS Naturals\n", ""),
        exit_code=10,
        violated=("assumption", "line 2, col 8 to line 2, col 12 of module Spec"),
        **VIOLATED,
    ),
    # TLC 2.15 prints no trace here.
    "assertion": Case(
        body='EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext ==\n  /\\ Assert(x < 2, "too far")\n'
        "  /\\ x' = x + 1\n",
        exit_code=75,
        violated=("assertion", '"too far"'),
        **VIOLATED,
    ),
    "instance": Case(
        body="EXTENDS Naturals\nVARIABLE x\nO == INSTANCE Other WITH v <- x\nInit == x = 0\n"
        "Next == O!Step \\/ (x = 9 /\\ x' = 0)\nInv == x < 1\n",
        others={"Other": "EXTENDS Naturals\nVARIABLE v\nStep == v' = v + 1\n"},
        config=INVARIANT,
        exit_code=12,
        violated=("invariant", "Inv"),
        trace=(X0, ("O!Step", {"x": 1})),
        **VIOLATED,
    ),
    "strings": Case(
        body='VARIABLES s, r\nInit == s = "日本 ü 🎈" /\\ r = <<"a\\\\b", "c\\"d\\n">>\n'
        'Next == s\' = "ok" /\\ UNCHANGED r\nInv == s # "ok"\n',
        config=INVARIANT,
        exit_code=12,
        violated=("invariant", "Inv"),
        trace=(
            ("Initial predicate", {"s": "日本 ü 🎈", "r": ("a\\b", 'c"d\n')}),
            ("Next", {"s": "ok", "r": ("a\\b", 'c"d\n')}),
        ),
        **VIOLATED,
    ),
    # TLC breaks such values over several lines.
    "long_values": Case(
        body='EXTENDS Naturals\nVARIABLES s, r\nInit == s = [i \\in 1..30 |-> "element"]\n'
        "  /\\ r = [n \\in 0..30 |-> {n, 1000}]\nNext == UNCHANGED <<s, r>>\nInv == s = <<>>\n",
        config=INVARIANT,
        exit_code=12,
        violated=("invariant", "Inv"),
        trace=(
            (
                "Initial predicate",
                {"s": ("element",) * 30, "r": {n: frozenset({n, 1000}) for n in range(31)}},
            ),
        ),
        **VIOLATED,
    ),
    # States 2, 3 and 4 violate it; the search goes on and TLC says in the end that there is no error.
    "continue": Case(
        body=COUNT.replace("3", "5") + "Inv == x < 2\n",
        config=INVARIANT,
        options=("-continue",),
        exit_code=0,
        counts=(6, 5, 5),
        violated=("invariant", "Inv"),
        trace=(X0, X1, X2),
        **VIOLATED,
    ),
    "print_frames": Case(
        body="EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n"
        'Next == x\' = (x + 1) % 3 /\\ PrintT("@!@!@STARTMSG 2110:1 @!@!@")\n',
        counts=(4, 3, 3),
        **OK,
    ),
    # TLC checks what was asked for; the assignment that nothing uses changes no state.
    "surplus_constant": Case(body=COUNT, config="INIT Init\nNEXT Next\nCONSTANT N = 3\n", **OK),
}
