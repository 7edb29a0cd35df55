"""Walks of one instance from its initial states: what was asked for, what was done, what was left."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from specwalk.errors import BadInput
from specwalk.follow import Follower
from specwalk.goal import find_goal
from specwalk.graph import StateGraph
from specwalk.ground import Ground
from specwalk.guided import take_rest, take_tours, walk_randomly, walk_to
from specwalk.itf import model_values, read_trace
from specwalk.journal import Journal
from specwalk.progress import Progress
from specwalk.replay import Driver
from specwalk.tours import lower_bound, plan_tours
from specwalk.tours.routes import Routes
from specwalk.traces import replay_trace

__all__ = ["Outing", "Randomly", "go_along", "go_randomly", "go_to", "go_touring"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outing:
    """What some walks of one instance came to.

    Attributes:
        plan: what was asked for, as names and figures.
        remarks: what else to know, one sentence each.
        complete: whether a goal was reached, if there was one.
    """

    ground: Ground
    journal: Journal
    plan: Mapping[str, int]
    remarks: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Randomly:
    """How to walk at random. ``rest``: take what was left out too, afterwards."""

    walks: int
    length: int
    seed: int
    rest: bool = False


def go_touring(ground: Ground, progress: Progress, workers: int) -> Outing:
    """Take every transition in the fewest steps, and prove that they are."""
    graph, name = ground.graph, ground.instance.name
    progress.phase(f"{name}: plan the tours")
    tours = plan_tours(graph)
    plan = {
        "steps planned": tours.steps,
        "least possible, as proved": lower_bound(graph, tours.potentials),
        "by a shortest way for each": _shortest_ways(graph),
    }
    progress.phase(f"{name}: walk {len(tours.walks):,} tours", total=tours.steps)
    journal = take_tours(graph, tours, ground.new_model, ground.origin, progress.stepped, workers)
    return Outing(
        ground=ground,
        journal=journal,
        plan=plan,
        remarks=tuple(_left(graph, journal)),
    )


def go_randomly(ground: Ground, progress: Progress, how: Randomly) -> Outing:
    """Walk at random from a seed."""
    graph, follower = ground.graph, _follower(ground, progress)
    progress.phase(f"{ground.instance.name}: walk at random", total=how.walks * how.length)
    walk_randomly(graph, follower, seed=how.seed, walks=how.walks, length=how.length)
    plan = {"seed": how.seed, "random walks": how.walks, "of at most so many steps": how.length}
    if how.rest:
        plan["transitions taken by them"] = len(follower.journal.taken)
        take_rest(graph, follower)
    remarks = tuple(_left(graph, follower.journal)) if how.rest else ()
    return Outing(ground=ground, journal=follower.journal, plan=plan, remarks=remarks)


def go_to(ground: Ground, progress: Progress, text: str) -> Outing:
    """Walk by a shortest way to a goal.

    Raises:
        BadInput: the text is no goal.
    """
    graph, follower = ground.graph, _follower(ground, progress)
    goal = find_goal(text, graph, ground.constants)
    if goal.at_start or not goal.edges:
        told = "holds in an initial state" if goal.at_start else "is out of reach at these bounds"
        return Outing(
            ground=ground, journal=Journal(), plan={}, remarks=(f"{text} {told}.",), complete=goal.at_start
        )
    progress.phase(f"{ground.instance.name}: walk to {text}")
    reached = walk_to(graph, follower, goal.edges.__contains__)
    steps = ", ".join(str(graph.labels[graph.label[edge]]) for edge in follower.way)
    told = f"{text} is reached by {steps}." if reached else f"The implementation was not led to {text}."
    return Outing(
        ground=ground,
        journal=follower.journal,
        plan={"transitions wanted": len(goal.edges)},
        remarks=(told,),
        complete=reached,
    )


def go_along(ground: Ground, progress: Progress, traces: Mapping[str, str]) -> Outing:
    """Take the steps of recorded behaviours, given by names with their texts.

    Raises:
        BadInput: one of them is no trace, or no behaviour of the spec.
    """
    graph, journal, recorded, remarks = ground.graph, Journal(), 0, []
    progress.phase(f"{ground.instance.name}: walk along {len(traces):,} traces")
    atoms = model_values(ground.constants.values())
    for name, text in traces.items():
        try:
            trace = read_trace(text, atoms)
            replayed = replay_trace(trace, graph, Driver(ground.new_model(), graph.variables), ground.origin)
        except BadInput as problem:
            raise BadInput(f"{name} at {ground.instance.config.name}: {problem}") from problem
        recorded += replayed.length
        journal.walks += 1
        journal.steps += len(replayed.taken)
        journal.taken.update(replayed.taken)
        if replayed.divergence:
            journal.findings.add(replayed.divergence)
        elif len(replayed.taken) < replayed.length:
            remarks.append(
                f"{name}: after {len(replayed.taken)} steps the implementation took another branch"
            )
    plan = {"traces": len(traces), "steps recorded": recorded}
    return Outing(ground=ground, journal=journal, plan=plan, remarks=tuple(remarks))


def _follower(ground: Ground, progress: Progress) -> Follower:
    return Follower(ground.graph, ground.new_model(), ground.origin, progress.stepped)


def _shortest_ways(graph: StateGraph) -> int:
    """The steps of a walk of its own for each transition."""
    routes = Routes(graph, graph.initial)
    return sum(len(routes.to(edge)) for edge in list(routes.edges()))


def _left(graph: StateGraph, journal: Journal) -> Iterator[str]:
    """What was not taken, and why."""
    left = set(range(len(graph))) - journal.taken
    diverged = left & journal.diverged
    chosen = {(graph.source[edge], graph.label[edge]) for edge in journal.taken}
    never = {edge for edge in left - diverged if (graph.source[edge], graph.label[edge]) in chosen}
    if diverged:
        yield f"transitions that diverged: {len(diverged):,}"
    if never:
        yield f"transitions never chosen, others of the same event were: {len(never):,}"
    if behind := left - diverged - never:
        yield f"transitions not reached, behind those or behind a choice that was rare: {len(behind):,}"
