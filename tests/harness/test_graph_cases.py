"""The four reference specs and the custody machine: figures that were found by other means."""

import io
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from specwalk.graph import Label, LabelLevel, StateGraph, explore
from specwalk.graph.output import summary
from specwalk.values import ModelValue

SPECS = Path(__file__).parent / "specs"
CUSTODY = Path(__file__).parents[2] / "spec" / "Custody.tla"


@dataclass(frozen=True)
class Figures:
    generated: int
    distinct: int
    initial: int
    edges: int
    actions: int
    events: int
    several: int


CASES = {
    "S0": Figures(34, 16, 2, 27, 3, 4, 0),
    "S": Figures(10_603, 1_013, 2, 9_765, 10, 43, 0),
    "Chz": Figures(4, 2, 1, 3, 3, 3, 0),
    "X": Figures(372, 17, 1, 371, 10, 17, 16),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[Figures, StateGraph]:
    name = request.param
    return CASES[name], explore(SPECS / f"{name}.tla", SPECS / f"{name}.cfg")


def test_the_graph_has_the_known_figures(case: tuple[Figures, StateGraph]) -> None:
    figures, graph = case
    measured = Figures(
        generated=graph.generated,
        distinct=graph.distinct,
        initial=len(graph.initial),
        edges=sum(graph.generated_counts().values()),
        actions=len(graph.action_counts()),
        events=len(graph.labels),
        several=len(list(graph.several_successors())),
    )
    assert measured == figures
    assert len(graph.states) == figures.distinct
    assert graph.level is LabelLevel.PAIRED


def test_the_summary_prints_the_known_figures(case: tuple[Figures, StateGraph]) -> None:
    figures, graph = case
    console = Console(file=io.StringIO(), width=100)
    console.print(summary(graph))
    rows = [line.strip("│ ").split("│") for line in console.file.getvalue().splitlines() if "│" in line]
    printed = {row[0].strip(): row[1].strip() for row in rows}
    assert printed["states generated"] == f"{figures.generated:,}"
    assert printed["distinct states"] == f"{figures.distinct:,}"
    assert printed["initial states"] == str(figures.initial)
    assert printed["labelled edges, as TLC generated them"] == f"{figures.edges:,}"
    assert printed["leaf actions"] == str(figures.actions)
    assert printed["distinct events (action and arguments)"] == str(figures.events)
    assert printed["of them with several successors"] == str(figures.several)


def test_the_arrays_agree_with_each_other(case: tuple[Figures, StateGraph]) -> None:
    _, graph = case
    assert list(graph.source) == sorted(graph.source)
    assert [graph.source[e] for s in range(len(graph.states)) for e in graph.out(s)] == list(graph.source)
    assert len(set(zip(graph.source, graph.label, graph.target, strict=True))) == len(graph)
    assert len(set(graph.states)) == len(graph.states)
    assert all(times > 1 for times in graph.repeated.values())


def test_paths_lead_from_an_initial_state_and_are_shortest(case: tuple[Figures, StateGraph]) -> None:
    _, graph = case
    distance = dict.fromkeys(graph.initial, 0)
    queue = list(graph.initial)
    for state in queue:
        for edge in graph.out(state):
            if graph.target[edge] not in distance:
                distance[graph.target[edge]] = distance[state] + 1
                queue.append(graph.target[edge])
    for state in range(len(graph.states)):
        path = graph.shortest_path(state)
        places = [graph.source[edge] for edge in path] + [state]
        assert len(path) == distance[state]
        assert places[0] in graph.initial
        assert [graph.target[edge] for edge in path] == places[1:]


def test_the_alphabet_of_every_action_holds_its_events(case: tuple[Figures, StateGraph]) -> None:
    _, graph = case
    assert set(graph.labels) <= set(graph.alphabet)
    assert len(set(graph.alphabet)) == len(graph.alphabet)


def texts(labels: list[Label]) -> set[str]:
    return {str(label) for label in labels}


def test_constructs_are_split_and_named() -> None:
    graph = explore(SPECS / "X.tla", SPECS / "X.cfg")
    split = {"Act(1, 2)", "G(1)", "G(2)", "R(2)", "Conj(1)", "Conj(2)", "Hi(4)"}
    # J(k)!Up(n): the parameters of the instance come first.
    instances = {"Up(1)", "Up(2)", "Up(2, 3)"}
    anonymous = {"Next@26", "Next@29", "Next@31"} | {
        f"Next@30({subset})" for subset in ("{}", "{1}", "{2}", "{1, 2}")
    }
    assert texts(graph.labels) == split | instances | anonymous
    # Act(1, 1) has a false guard wherever CASE reaches it, but Next speaks of it.
    assert texts(graph.alphabet) - texts(graph.labels) == {"Act(1, 1)"}
    up = next(label for label in graph.alphabet if str(label) == "Up(2, 3)")
    assert up.parameters == ("k", "n")
    assert up.location is not None
    assert (up.location.module, up.location.line) == ("Inner", 5)


def test_choose_takes_the_same_string_as_without_labels() -> None:
    graph = explore(SPECS / "Chz.tla", SPECS / "Chz.cfg")
    # TLC orders strings as it meets them, so what an unlabelled run takes is what has to be here.
    assert {state[0] for state in graph.states} == {"none", "alpha"}


def test_what_was_dropped_or_not_checked() -> None:
    graph = explore(SPECS / "S0.tla", SPECS / "S0.cfg")
    # x = 5 violates the invariant, and is in the graph; PROPERTY adds no dashed self-loops.
    assert any(graph.state_dict(n)["x"] == 5 for n in range(len(graph.states)))
    assert graph.notes == ()


def o(number: int) -> ModelValue:
    return ModelValue(f"o{number}")


def test_one_custody_obligation_has_its_golden_counts() -> None:
    graph = explore(CUSTODY, CUSTODY.with_name("Custody_single.cfg"))
    assert (graph.distinct, graph.generated) == (25, 52)
    counts = {"Apply": 11, "Decline": 6, "Lose": 9, "LoseAck": 9, "EscalateByBudget": 2, "Settled": 14}
    assert graph.action_counts() == graph.generated_counts() == counts


def test_the_published_custody_machine_has_its_golden_counts(published_graph: StateGraph) -> None:
    assert (published_graph.distinct, published_graph.generated) == (31_250, 157_120)
    assert published_graph.action_counts() == published_graph.generated_counts()
    assert published_graph.action_counts() == {
        "Apply": 41_250,
        "Decline": 22_500,
        "Lose": 33_750,
        "LoseAck": 33_750,
        "EscalateByBudget": 7_500,
        "SendBestEffort": 15_625,
        "Settled": 2_744,
    }
    assert not list(published_graph.several_successors())
    assert (published_graph.notes, published_graph.repeated) == ((), {})


def test_the_custody_alphabet_is_action_times_obligation() -> None:
    graph = explore(CUSTODY, CUSTODY.with_name("Custody_deadline.cfg"))
    assert (graph.distinct, len(graph)) == (15, 28)
    actions = ("Apply", "Decline", "Lose", "LoseAck", "EscalateByDeadline", "EscalateByBudget")
    expected = {Label(action=action, parameters=("o",), arguments=(o(1),)) for action in actions}
    # At these bounds the budget is never spent, yet the implementation may be asked to escalate by it.
    assert set(graph.alphabet) == expected | {Label(action="Settled")}
    assert "EscalateByBudget" not in graph.action_counts()
