"""The snapshot walk: every labelled edge of the graph, and everything the spec forbids.

In every state that the implementation reaches, breadth first,

Rule 1: each action instance that the spec enables there is performed once and must land in one of
        its successors. Of several successors the walk follows the one that the implementation chose,
        and lists the others as never produced.
Rule 2: each other action instance of the alphabet is attempted: the implementation offers no such
        step, or does instead what the spec allows in that state (or nothing that a variable shows).
Rule 3: a step that lands in a state seen before must also find the same durable content there.

A state's snapshot is dropped when its last step has been taken, so memory is that of the frontier.

The work is shared out by states: of ``count`` sharers each walks the tree of first arrivals, which
is a small part of all steps, and does everything else in its own states alone. So nothing but the
results need travel between processes.
"""

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from specwalk.divergence import Divergence, Kind, Origin
from specwalk.errors import SpecwalkError
from specwalk.graph import StateGraph
from specwalk.model import Model
from specwalk.replay import Driver
from specwalk.values import Value

__all__ = ["Finding", "Share", "Tally", "walk"]


@dataclass(frozen=True, slots=True)
class Share:
    """Sharer ``index`` of ``count``."""

    index: int = 0
    count: int = 1


@dataclass(slots=True)
class Finding:
    """The first divergence of its kind, and how many there were like it."""

    divergence: Divergence
    count: int = 1


@dataclass(slots=True)
class Tally:
    """What a walk did and found.

    Attributes:
        states: states in which every action instance was tried.
        edges: distinct labelled edges that were taken.
        refusals: attempts at what the spec does not enable.
        did_instead: those attempts in which the implementation did something that the spec allows.
        never_produced: successors that the spec allows and the implementation did not choose.
        findings: divergences by signature.
        hidden_compared: landings whose durable content was compared.
    """

    states: int = 0
    edges: int = 0
    refusals: int = 0
    did_instead: int = 0
    hidden_compared: int = 0
    never_produced: dict[str, int] = field(default_factory=dict)
    findings: dict[tuple[str, ...], Finding] = field(default_factory=dict)

    @property
    def divergences(self) -> int:
        """How many steps and refusals diverged."""
        return sum(finding.count for finding in self.findings.values())

    def add(self, divergence: Divergence) -> None:
        """Count a divergence, and keep the one with the shortest path."""
        self._merge(divergence.signature, Finding(divergence))

    def merge(self, other: "Tally") -> None:
        """Take another sharer's results in."""
        self.states += other.states
        self.edges += other.edges
        self.refusals += other.refusals
        self.did_instead += other.did_instead
        self.hidden_compared += other.hidden_compared
        for step, count in other.never_produced.items():
            self.never_produced[step] = self.never_produced.get(step, 0) + count
        for signature, finding in other.findings.items():
            self._merge(signature, finding)

    def _merge(self, signature: tuple[str, ...], finding: Finding) -> None:
        known = self.findings.get(signature)
        if known is None:
            self.findings[signature] = finding
            return
        known.count += finding.count
        if len(finding.divergence.path) < len(known.divergence.path):
            known.divergence = finding.divergence


OnSteps = Callable[[int], None]


def walk(
    graph: StateGraph,
    model: Model,
    origin: Origin,
    share: Share = Share(),
    on_steps: OnSteps | None = None,
) -> Tally:
    """Walk the whole graph, or a share of it, on one model.

    ``on_steps`` is called now and then with the number of steps taken since the last call.
    """
    walker = _Walker(graph, model, origin, share, on_steps or (lambda _: None))
    return walker.run()


class _Walker:
    REPORT_EVERY = 1000

    def __init__(
        self, graph: StateGraph, model: Model, origin: Origin, share: Share, on_steps: OnSteps
    ) -> None:
        self.graph = graph
        self.model = model
        self.driver = Driver(model, graph.variables)
        self.origin = origin
        self.share = share
        self.on_steps = on_steps
        self.tally = Tally()
        # Numbers stand for labels: those of the graph, then those that no edge uses.
        used = set(graph.labels)
        self.labels = [*graph.labels, *(label for label in graph.alphabet if label not in used)]
        self.calls = [self.driver.bind(label.action, label.arguments) for label in self.labels]
        self.rewinds = type(model).has_snapshots()
        # State -> how the walk first came there; None for an initial state.
        self.arrivals: dict[int, tuple[int, int] | None] = {}
        self.snapshots: dict[int, Any] = {}
        self.contents: dict[int, int] = {}
        self.queue: deque[int] = deque()
        self.unreported = 0

    def run(self) -> Tally:
        for state in self.graph.initial:
            self._start(state)
        position = 0
        while self.queue:
            state = self.queue.popleft()
            owned = position % self.share.count == self.share.index
            position += 1
            self._walk_edges(state, owned)
            if owned:
                self._try_refusals(state)
                self.tally.states += 1
            self.snapshots.pop(state, None)
        self.on_steps(self.unreported)
        return self.tally

    # Starting

    def _start(self, state: int) -> None:
        try:
            self.model.start(self.graph.state_dict(state))
            observed = self.model.observe()
        except Exception as error:
            self._diverge(Kind.RAISED, state, None, [state], None, _explain(error))
            return
        if self._lands_in(state, observed):
            self._arrive(state, None)
        else:
            self._diverge(Kind.WRONG_START, state, None, [state], observed)

    # Edges

    def _walk_edges(self, state: int, owned: bool) -> None:
        for label, targets in self._events(state).items():
            if owned or not all(target in self.arrivals for target in targets):
                self._take(state, label, targets, owned)

    def _events(self, state: int) -> dict[int, list[int]]:
        """The successors of each action instance that the spec enables in a state."""
        events: dict[int, list[int]] = {}
        for edge in self.graph.out(state):
            events.setdefault(self.graph.label[edge], []).append(self.graph.target[edge])
        return events

    def _take(self, state: int, label: int, targets: list[int], owned: bool) -> None:
        """Perform an enabled action instance. What diverges is counted by the state's owner alone."""
        self._rewind(state)
        self._count_step()
        report = self._diverge if owned else (lambda *_: None)
        try:
            refusal = self.driver.perform(self.calls[label])
        except Exception as error:
            report(Kind.RAISED, state, label, targets, None, _explain(error))
            return
        if refusal is not None:
            report(Kind.NOT_OFFERED, state, label, targets, None, refusal)
            return
        observed = self._observe(state, label, targets, report)
        if observed is None:
            return
        target = next((target for target in targets if self._lands_in(target, observed)), None)
        if target is None:
            report(Kind.WRONG_STATE, state, label, targets, observed)
            return
        if target not in self.arrivals:
            self._arrive(target, (state, label))
        elif owned:
            self._compare_content(state, label, target)
        if owned:
            self.tally.edges += 1
            if len(targets) > 1:
                never = self.tally.never_produced
                step = str(self.labels[label])
                never[step] = never.get(step, 0) + len(targets) - 1

    def _arrive(self, state: int, arrival: tuple[int, int] | None) -> None:
        self.arrivals[state] = arrival
        self.snapshots[state] = self.model.snapshot()
        self.contents[state] = hash(self.model.content())
        self.queue.append(state)

    def _compare_content(self, state: int, label: int, target: int) -> None:
        content = self.model.content()
        if content is None:
            return
        self.tally.hidden_compared += 1
        if hash(content) != self.contents[target]:
            detail = self._describe_hidden(content, target)
            self._diverge(Kind.HIDDEN_STATE, state, label, [target], self.graph.state_dict(target), detail)

    def _describe_hidden(self, content: Hashable, target: int) -> str:
        """Replay the first way to the target and name what differs between the two contents."""
        self._replay(target)
        other = self.model.content()
        steps = ", ".join(self._path(target)) or "(the start)"
        if not (isinstance(content, tuple) and isinstance(other, tuple)):
            return f"after {steps}: {other!r}, now: {content!r}"
        missing = [part for part in other if part not in content]
        extra = [part for part in content if part not in other]
        return f"after {steps}: {missing!r}; now: {extra!r}"

    # Refusals

    def _try_refusals(self, state: int) -> None:
        enabled = self._events(state)
        allowed = sorted({target for targets in enabled.values() for target in targets} - {state})
        for label in range(len(self.labels)):
            if label not in enabled:
                self.tally.refusals += 1
                self._attempt(state, label, allowed)

    def _attempt(self, state: int, label: int, allowed: list[int]) -> None:
        before = self._rewind(state)
        self._count_step()
        try:
            self.driver.perform(self.calls[label])
        except Exception as error:
            self._diverge(Kind.RAISED, state, label, [state, *allowed], None, _explain(error))
            return
        if self.rewinds and self.model.snapshot() == before:
            return
        observed = self._observe(state, label, allowed, self._diverge)
        if observed is None or self._lands_in(state, observed):
            return
        if any(self._lands_in(target, observed) for target in allowed):
            self.tally.did_instead += 1
        else:
            self._diverge(Kind.NOT_REFUSED, state, label, [state, *allowed], observed)

    # Where the model stands

    def _rewind(self, state: int) -> Any:
        """Put the model into a state that was reached before; returns the snapshot it now equals."""
        if not self.rewinds:
            self._replay(state)
            return None
        snapshot = self.snapshots[state]
        self.model.restore(snapshot)
        return snapshot

    def _replay(self, state: int) -> None:
        steps: list[int] = []
        place = state
        while (arrival := self.arrivals[place]) is not None:
            place, label = arrival
            steps.append(label)
        self.model.start(self.graph.state_dict(place))
        for label in reversed(steps):
            self.driver.perform(self.calls[label])

    def _observe(
        self, state: int, label: int, targets: list[int], report: Callable[..., None]
    ) -> Mapping[str, object] | None:
        try:
            return self.model.observe()
        except Exception as error:
            report(Kind.UNOBSERVABLE, state, label, targets, None, _explain(error))
            return None

    def _lands_in(self, state: int, observed: Mapping[str, object]) -> bool:
        values = self.graph.states[state]
        if self.driver.is_at(values, observed):
            return True
        read = self.driver.read(observed)
        return len(read) == len(values) and tuple(read.values()) == values

    # Reports

    def _diverge(
        self,
        kind: Kind,
        state: int,
        label: int | None,
        targets: list[int],
        observed: Mapping[str, object] | None,
        detail: str = "",
    ) -> None:
        initial, path = self._origin_of(state)
        self.tally.add(
            Divergence(
                kind=kind,
                origin=self.origin,
                step="start" if label is None else str(self.labels[label]),
                path=path,
                initial=self.graph.state_dict(initial),
                before=self.graph.state_dict(state),
                allowed=tuple(self.graph.state_dict(target) for target in targets),
                observed=self._readable(observed),
                detail=str(detail),
            )
        )

    def _readable(self, observed: Mapping[str, object] | None) -> dict[str, Value] | None:
        return None if observed is None else self.driver.read(observed)

    def _path(self, state: int) -> tuple[str, ...]:
        return self._origin_of(state)[1]

    def _origin_of(self, state: int) -> tuple[int, tuple[str, ...]]:
        steps: list[str] = []
        while (arrival := self.arrivals.get(state)) is not None:
            state, label = arrival
            steps.append(str(self.labels[label]))
        return state, tuple(reversed(steps))

    def _count_step(self) -> None:
        self.unreported += 1
        if self.unreported == self.REPORT_EVERY:
            self.on_steps(self.unreported)
            self.unreported = 0


def _explain(error: Exception) -> str:
    """The text of an error of the implementation; an error of the model itself is not one."""
    if isinstance(error, SpecwalkError):
        raise error
    return f"{type(error).__name__}: {error}"
