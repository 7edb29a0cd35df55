"""Specs with something unusual: each must come out labelled, or say what was given up and why."""

from pathlib import Path

import pytest

from specwalk.errors import BadInput, EnvironmentProblem
from specwalk.graph import LabelLevel, explore
from specwalk.values import ModelValue
from tests.harness.exploring import Explored, events, letters


def test_local_operators_and_instances_are_seen(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Low
LOCAL INSTANCE Naturals
LOCAL Up(n) == x + n < 4 /\ x' = x + n
Init == x = 0
Next == (\E n \in {1, 2} : Up(n)) \/ Down
""",
        Low=r"""
VARIABLE x
LOCAL Zero == 0
Down == x = 3 /\ x' = Zero
""",
    )
    assert events(graph) == {"Up(1)", "Up(2)", "Down"}
    assert graph.level is LabelLevel.PAIRED


def test_a_bound_name_that_is_defined_later_costs_only_the_inner_parameter(explored: Explored) -> None:
    # Legal where it stands, a clash in any module that extends this one.
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Step(n) == \E later \in {1, 2} : x + later < n /\ x' = x + later
Back(later) == x = later /\ x' = 0
Init == x = 0
Next == Step(4) \/ Back(3)
later == 7
"""
    )
    assert events(graph) == {"Step(4)", "Back(3)"}
    assert len(list(graph.several_successors())) == 2
    assert graph.level is LabelLevel.PAIRED
    assert graph.notes == ("Taken as a whole, without the choices inside: Step.",)


def test_a_clash_in_next_itself_leaves_next_whole(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \E later \in {1, 2} : x' = later
later == 7
"""
    )
    assert events(graph) == {"Next"}
    assert graph.level is LabelLevel.PAIRED


def test_overrides_of_the_configuration_are_followed(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
CONSTANTS Node, Limit
VARIABLE x
Act(n) == x' = x
Small(n) == \E k \in 1..2 : x + k <= Limit /\ x' = x + k
Both == {1, 2}
Init == x = 0
Next == \E n \in Node : Act(n)
Spec == Init /\ [][Next]_x /\ WF_x(Next)
""",
        "SPECIFICATION Spec\nCONSTANTS Node <- Both Limit = 2 Act <- Small",
    )
    assert events(graph) == {f"Act({n}, {k})" for n in (1, 2) for k in (1, 2)}
    assert graph.distinct == 3


def test_parameters_of_an_instance_are_parameters_of_its_actions(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Cell(i) == INSTANCE Cell WITH low <- i,
                              high <- i + 1
Init == x = 0
Next == \E i \in {0, 1} : Cell(i)!Next
""",
        Cell=r"""
EXTENDS Naturals
CONSTANTS low, high
VARIABLE x
Deep(j) == INSTANCE Deep
Next == \/ /\ x = low
           /\ x' = high
        \/ \E j \in {5} : Deep(j)!Reset(low)
""",
        Deep=r"""
EXTENDS Naturals
CONSTANT j
VARIABLE x
Reset(k) == x > k /\ x' = 0
""",
    )
    assert events(graph) == {"Next(0)", "Next(1)", "Reset(0, 5, 0)", "Reset(1, 5, 1)"}
    assert next(label.parameters for label in graph.labels if label.action == "Reset") == ("i", "j", "k")


def test_an_instance_without_a_name_brings_its_actions_in(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE v
top == 3
INSTANCE Counter WITH u <- v, Limit <- top
P == INSTANCE Counter WITH u <- v, Limit <- 1
Labelled == here:: (v = 3 /\ v' = 0)
Within == LET Q == INSTANCE Counter WITH u <- v, Limit <- 2 IN Q!Next0
Init == v = 0
Next == Next0 \/ P!Next0 \/ Labelled \/ Within
""",
        Counter=r"""
EXTENDS Naturals
VARIABLE u
CONSTANT Limit
Add(n) == u + n <= Limit /\ u' = u + n
LOCAL Same == u = Limit /\ u' = u
Next0 == \E n \in {1, 2} : Add(n) \/ Same
""",
    )
    # An INSTANCE inside a LET is not looked into.
    assert events(graph) == {"Add(1)", "Add(2)", "Same", "Labelled", "Within"}
    assert graph.level is LabelLevel.PAIRED


def test_processes_of_pluscal_are_parameters(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLES pc, got
ProcSet == 1..2
Init == pc = [self \in ProcSet |-> "ask"] /\ got = 0
ask(self) == /\ pc[self] = "ask"
             /\ \E k \in 1..2:
                  got' = k
             /\ pc' = [pc EXCEPT ![self] = "end"]
end(self) == /\ pc[self] = "end"
             /\ pc' = [pc EXCEPT ![self] = "Done"]
             /\ UNCHANGED got
client(self) == ask(self) \/ end(self)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED <<pc, got>>
Next == (\E self \in 1..2: client(self))
           \/ Terminating
""",
    )
    asks = {f"ask({self}, {k})" for self in (1, 2) for k in (1, 2)}
    assert events(graph) == asks | {"end(1)", "end(2)", "Terminating"}
    assert not list(graph.several_successors())


def test_names_captured_by_a_local_operator_are_parameters(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \E m \in {1, 2} :
          LET next == (x + m) % 3
              Jump(k) == next = k /\ x' = k
              Stay == next = 0 /\ x' = x
          IN Jump(1) \/ Stay
"""
    )
    # From 0, m = 1 jumps to 1; from there m = 2 reaches 0, and stays.
    assert events(graph) == {"Jump(1, 1)", "Stay(2)"}
    assert letters(graph) == {"Jump(1, 1)", "Jump(2, 1)", "Stay(1)", "Stay(2)"}


def test_symmetry_and_view_are_dropped_and_named(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS TLC, FiniteSets
CONSTANT Procs
VARIABLES held, noise
Acquire(p) == held = {} /\ held' = {p} /\ noise' = ~noise
Init == held = {} /\ noise = FALSE
Next == \E p \in Procs : Acquire(p)
Perms == Permutations(Procs)
Shown == held
""",
        "INIT Init\nNEXT Next\nCONSTANT Procs = {a, b}\nSYMMETRY Perms\nVIEW Shown\n",
    )
    assert {graph.state_dict(n)["held"] for n in range(graph.distinct)} == {
        frozenset(),
        frozenset({ModelValue("a")}),
        frozenset({ModelValue("b")}),
    }
    assert [note.split(" was dropped")[0] for note in graph.notes] == ["SYMMETRY Perms", "VIEW Shown"]


def test_text_beyond_ascii_passes_through(explored: Explored) -> None:
    graph = explored(
        r"""
VARIABLE x
Say(w) == x' = w (* 日本 *)
Init == x = "é"
Next == \E w \in {"日本", "🎉"} : (* é *) Say(w)
"""
    )
    assert events(graph) == {'Say("日本")', 'Say("🎉")'}
    assert {state[0] for state in graph.states} == {"é", "日本", "🎉"}


def test_duplicates_and_self_loops_count_as_tlc_counts_them(explored: Explored) -> None:
    graph = explored(
        r"""
EXTENDS Integers
VARIABLE x
Flip(k) == x' = 1 - x
Stay == x' = x
Init == x \in {0, 1}
Next == Flip(1) \/ Flip(1) \/ (\E k \in {1, 2} : Flip(k)) \/ Stay
"""
    )
    assert (graph.generated, graph.distinct) == (12, 2)
    assert graph.generated_counts() == {"Flip": 8, "Stay": 2}
    assert graph.action_counts() == {"Flip": 4, "Stay": 2}
    repeated = {str(graph.labels[graph.label[edge]]): times for edge, times in graph.repeated.items()}
    assert repeated == {"Flip(1)": 3}
    assert len(graph.repeated) == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("INIT Init\nNEXT Nxt\n", "Nxt"),
        ("INIT Init\n", "next state"),
        ("SPECIFICATION Spek\n", "Spek"),
    ],
)
def test_a_behaviour_that_is_not_there_is_named(explored: Explored, config: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        explored("VARIABLE x\nInit == x = 0\nNext == x' = x", config)


def test_a_missing_spec_is_named(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(BadInput, match=r"M\.tla"):
        explore(tmp_path / "M.tla", tmp_path / "M.cfg")


def test_a_broken_spec_is_reported_with_its_own_line(explored: Explored) -> None:
    with pytest.raises(BadInput, match=r"M\.tla:4"):
        explored("VARIABLE x\nInit == x = 0\nNext == x' = = 1")


def test_an_infinite_graph_ends_at_the_timeout(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(
        "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n====\n"
    )
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\n")
    with pytest.raises(EnvironmentProblem, match="smaller bounds"):
        explore(tmp_path / "M.tla", tmp_path / "M.cfg", timeout=3)
