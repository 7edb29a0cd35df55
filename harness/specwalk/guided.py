"""Walks from the initial states: tours of everything, random ones, and to a goal.

Unlike the snapshot walk these are behaviours as they happen in real life, from a start on. They try nothing
that the spec forbids.
"""

from collections.abc import Callable
from random import Random

from specwalk.divergence import Origin
from specwalk.follow import Follower
from specwalk.graph import StateGraph
from specwalk.journal import Journal
from specwalk.model import Model
from specwalk.parallel import OnSteps, Share, share_out
from specwalk.tours import Tours
from specwalk.tours.routes import Routes, nearest

__all__ = ["take_rest", "take_tours", "walk_randomly", "walk_to"]

# Below this many walks, starting processes costs more than it saves.
WORTH_SHARING = 500


def take_tours(
    graph: StateGraph,
    tours: Tours,
    make_model: Callable[[], Model],
    origin: Origin,
    on_steps: OnSteps,
    workers: int,
) -> Journal:
    """Walk tours with up to ``workers`` processes, then what branch points and divergences kept them from.

    Initial states in which no tour begins are started in, too.

    Raises:
        EnvironmentProblem: a worker died.
        BadInput: the model does not do what a model has to.
    """

    def job(share: Share, report: OnSteps) -> Journal:
        follower = Follower(graph, make_model(), origin, report)
        if share.index == 0:
            for state in set(graph.initial).difference(graph.source[walk[0]] for walk in tours.walks):
                follower.begin(state)
        for walk in tours.walks[share.index :: share.count]:
            follower.follow(walk, lambda state: _to_untaken(graph, follower, state))
        return follower.journal

    journal = share_out(job, on_steps, workers if len(tours.walks) >= WORTH_SHARING else 1)
    if len(journal.taken) < len(graph):
        take_rest(graph, Follower(graph, make_model(), origin, on_steps, journal))
    return journal


def take_rest(graph: StateGraph, follower: Follower) -> None:
    """Take every transition that was not taken yet, as far as the implementation leads there."""
    taken, avoided = follower.journal.taken, follower.avoided
    while True:
        routes = Routes(graph, graph.initial, frozenset(avoided))
        missing = [edge for edge in routes.edges() if edge not in taken]
        if not missing:
            return
        for edge in missing:
            route = routes.to(edge)
            if edge not in taken and avoided.isdisjoint(route):
                follower.follow(route, lambda state: _to_untaken(graph, follower, state))


def walk_randomly(graph: StateGraph, follower: Follower, *, seed: int, walks: int, length: int) -> None:
    """Take so many walks of at most ``length`` steps, each step one of the enabled action instances.

    A walk ends sooner where nothing but stutters is left.
    """
    random = Random(seed)
    for _ in range(walks):
        begun = random.choice(graph.initial)
        state = begun if follower.begin(begun) else None
        for _ in range(length):
            if state is None or not (ways := _ways_on(graph, state, follower)):
                break
            state = follower.take(random.choice(ways))


def _ways_on(graph: StateGraph, state: int, follower: Follower) -> list[int]:
    """An edge for each action instance that may be taken here; none where only stutters are left."""
    ways = {graph.label[edge]: edge for edge in graph.out(state) if edge not in follower.avoided}
    return [] if all(graph.target[edge] == state for edge in ways.values()) else list(ways.values())


def walk_to(graph: StateGraph, follower: Follower, wanted: Callable[[int], bool]) -> bool:
    """Walk by a shortest way to a wanted transition; whether it was taken.

    Where the implementation leads elsewhere, the walk goes on from there, or begins again.
    """
    avoided = follower.avoided
    while route := nearest(graph, graph.initial, wanted, avoided):
        follower.follow(route, lambda state: nearest(graph, [state], wanted, avoided))
        if follower.journal.findings:
            return False
        if follower.way and wanted(follower.way[-1]):
            return True
    return False


def _to_untaken(graph: StateGraph, follower: Follower, state: int) -> list[int] | None:
    taken = follower.journal.taken
    return nearest(graph, [state], lambda edge: edge not in taken, follower.avoided)
