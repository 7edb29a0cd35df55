"""The snapshot walk: every labelled edge of the graph, and everything the spec forbids.

In every state that the implementation reaches, breadth first,

Rule 1: each action instance that the spec enables there is performed once and must land in one of
        its successors. Of several successors the walk follows the one that the implementation chose,
        and lists the others as never produced.
Rule 2: each other action instance of the alphabet is attempted: the implementation offers no such
        step and nothing durable changes, or it does instead what the spec allows in that state.
Rule 3: what lands in a state seen before must also find the same durable content there.

The work is shared out by states: of ``count`` sharers each walks the tree of first arrivals, which
is a small part of all steps, and does everything else in its own states alone. So nothing but the
results need travel between processes.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from specwalk.divergence import Divergence, Kind, Origin, Way
from specwalk.graph import StateGraph
from specwalk.judge import Diverged, Judge, allowed_instead
from specwalk.model import Model
from specwalk.parallel import WHOLE, OnSteps, Share, peak_memory, share_out
from specwalk.reached import Reached
from specwalk.replay import Driver
from specwalk.tally import Tally

__all__ = ["WORTH_SHARING", "walk", "walk_in_parallel"]

# Below this many states, starting processes costs more than it saves.
WORTH_SHARING = 500


def walk_in_parallel(
    graph: StateGraph, make_model: Callable[[], Model], origin: Origin, on_steps: OnSteps, workers: int
) -> Tally:
    """Walk the whole graph with up to ``workers`` processes, each with a model of its own.

    Raises:
        EnvironmentProblem: a worker died.
        BadInput: the model does not do what a model has to.
    """

    def job(share: Share, report: OnSteps) -> Tally:
        return walk(graph, make_model(), origin, share, report)

    return share_out(job, on_steps, workers if len(graph.states) >= WORTH_SHARING else 1)


def walk(
    graph: StateGraph,
    model: Model,
    origin: Origin,
    share: Share = WHOLE,
    on_steps: OnSteps = lambda _: None,
) -> Tally:
    """Walk the whole graph, or a share of it, on one model.

    ``on_steps`` is called after each state with the number of action instances tried there.

    Raises:
        BadInput: the model does not do what a model has to.
    """
    return _Walker(graph, Driver(model, graph.variables), origin, share, on_steps).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What the spec says of an action instance in a state; without a label, of the start there."""

    state: int
    label: int | None = None
    allowed: list[int]
    enabled: bool = True


class _Walker:
    def __init__(
        self, graph: StateGraph, driver: Driver, origin: Origin, share: Share, on_steps: OnSteps
    ) -> None:
        self.graph = graph
        self.driver = driver
        self.judge = Judge(graph, driver, origin)
        self.share = share
        self.on_steps = on_steps
        self.tally = Tally()
        # Numbers stand for labels: those of the graph, then those that no edge uses.
        self.labels = list(dict.fromkeys((*graph.labels, *graph.alphabet)))
        self.calls = [driver.bind(label.action, label.arguments) for label in self.labels]
        self.reached = Reached(graph, driver, self.labels, self.calls)
        self.queue: deque[int] = deque()

    def run(self) -> Tally:
        for state in self.graph.initial:
            self._do(self._start, _Step(state=state, allowed=[state]), owned=self.share.index == 0)
        position = 0
        while self.queue:
            state = self.queue.popleft()
            if position % self.share.count == self.share.index:
                self._try_everything(state)
            else:
                self._explore(state)
            self.reached.drop(state)
            position += 1
        self.tally.peak_memory = peak_memory()
        return self.tally

    def _explore(self, state: int) -> None:
        """Take the steps of another's state, as far as they may lead to states not reached yet."""
        for label, targets in self._events(state).items():
            if any(target not in self.reached for target in targets):
                self._do(self._take, _Step(state=state, label=label, allowed=targets), owned=False)

    def _try_everything(self, state: int) -> None:
        self.reached.check(state)
        events = self._events(state)
        self.tally.states += 1
        self.tally.enabled += len(events)
        for label, targets in events.items():
            self._do(self._take_and_compare, _Step(state=state, label=label, allowed=targets))
        # What the implementation may do instead of a step that the spec does not have here.
        allowed = allowed_instead(state, events)
        for label in range(len(self.labels)):
            if label not in events:
                self.tally.refusals += 1
                step = _Step(state=state, label=label, allowed=allowed, enabled=False)
                self._do(self._attempt, step)
        self.on_steps(len(self.labels))

    def _events(self, state: int) -> dict[int, list[int]]:
        """The successors of each action instance that the spec enables in a state."""
        events: dict[int, list[int]] = {}
        for edge in self.graph.out(state):
            events.setdefault(self.graph.label[edge], []).append(self.graph.target[edge])
        return events

    # Steps; each raises Diverged where spec and implementation part

    def _start(self, step: _Step) -> None:
        self.judge.start(step.state)
        self._arrive(step, step.state)

    def _take_and_compare(self, step: _Step) -> None:
        known = [target in self.reached for target in step.allowed]
        target = self._take(step)
        self.tally.edges += 1
        if others := [other for other in step.allowed if other != target]:
            pairs = self.tally.never_produced.setdefault(self._name(step), [])
            pairs.extend((step.state, other) for other in others)
        if known[step.allowed.index(target)]:
            self._compare_content(target)

    def _take(self, step: _Step) -> int:
        """Perform what the spec enables: the state in which that ends."""
        self.reached.rewind(step.state)
        target = self.judge.take(self._call(step), step.allowed)
        if target not in self.reached:
            self._arrive(step, target)
        return target

    def _attempt(self, step: _Step) -> None:
        """Try what the spec does not enable."""
        self.reached.rewind(step.state)
        self.judge.perform(self._call(step))
        if self.reached.is_untouched(step.state):
            return
        target = self.judge.land(step.allowed, Kind.NOT_REFUSED)
        if target in self.reached:
            self._compare_content(target)
        if target != step.state:
            self.tally.did_instead += 1

    def _call(self, step: _Step) -> Callable[[], None]:
        assert step.label is not None
        return self.calls[step.label]

    def _arrive(self, step: _Step, target: int) -> None:
        self.reached.arrive(target, None if step.label is None else (step.state, step.label))
        self.queue.append(target)

    def _compare_content(self, state: int) -> None:
        content = self.driver.content()
        if content is None:
            return
        self.tally.hidden_compared += 1
        if difference := self.reached.content_differs(state, content):
            raise Diverged(
                Kind.HIDDEN_STATE,
                difference,
                observed=self.graph.state_dict(state),
                same_as=self.reached.way(state),
            )

    # Reports

    def _do(self, perform: Callable[[_Step], object], step: _Step, owned: bool = True) -> None:
        """Perform a step; its owner reports it if it diverged."""
        try:
            perform(step)
        except Diverged as diverged:
            if owned:
                self.tally.findings.add(self._divergence(step, diverged))

    def _divergence(self, step: _Step, diverged: Diverged) -> Divergence:
        started = step.label is not None
        return self.judge.report(
            diverged,
            state=step.state,
            step=self._name(step) if started else None,
            enabled=step.enabled,
            allowed=step.allowed,
            way=self.reached.way(step.state)
            if started
            else Way(start=self.graph.state_dict(step.state), steps=()),
        )

    def _name(self, step: _Step) -> str:
        assert step.label is not None
        return str(self.labels[step.label])
