"""Replays recorded behaviours, ours or another tool's, against a model.

Rule 1: a trace is a behaviour of the spec, or it is bad input: it begins in an initial state, and each
        step is a transition of the spec, or a stutter for which the spec has no action.
Rule 2: where the trace names a step by an action of the spec, it is that one. Elsewhere it is any
        transition between the two states, whichever the implementation follows.
Rule 3: where the implementation does something else that the spec allows, the trace is left there, and
        that is no divergence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from specwalk.divergence import Divergence, Origin, Way, state_text
from specwalk.errors import BadInput
from specwalk.graph import Label, StateGraph
from specwalk.itf import Step, Trace
from specwalk.judge import Diverged, Judge
from specwalk.replay import Driver
from specwalk.values import Value, is_typed_as

__all__ = ["Replayed", "replay_trace", "transitions_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """How far the implementation followed a trace.

    Attributes:
        taken: the edges that it took.
        length: how many steps the trace has, without stutters that the spec has no action for.
        divergence: where it parted from the spec. If there is none, and steps are left, the
            implementation took another branch that the spec allows.
    """

    taken: tuple[int, ...]
    length: int
    divergence: Divergence | None = None


def replay_trace(trace: Trace, graph: StateGraph, driver: Driver, origin: Origin) -> Replayed:
    """Take the steps of a trace; of a lasso, also the one that closes it.

    Raises:
        BadInput: the trace is no behaviour of the spec; the message says at which step, and what the
            spec allows there.
    """
    start, route = transitions_of(trace, graph)
    return _Replay(graph, driver, origin, start).run(route)


def transitions_of(trace: Trace, graph: StateGraph) -> tuple[int, list[list[int]]]:
    """The initial state of a trace, and for each of its steps the edges that may be meant.

    Raises:
        BadInput: the trace is no behaviour of the spec.
    """
    return _Matcher(trace, graph).match()


class _Matcher:
    def __init__(self, trace: Trace, graph: StateGraph) -> None:
        if set(trace.variables) != set(graph.variables):
            raise BadInput(
                f"The trace has the variables {', '.join(trace.variables)}; the spec has "
                f"{', '.join(graph.variables)}. Replay it against the spec that it was made from."
            )
        self.trace = trace
        self.graph = graph
        self.actions = {label.action for label in graph.alphabet}
        self.numbers = {values: state for state, values in enumerate(graph.states)}

    def match(self) -> tuple[int, list[list[int]]]:
        states = [self.number(index) for index in range(len(self.trace.states))]
        if states[0] not in self.graph.initial:
            raise BadInput("The trace begins in a state in which the spec does not. Begin it at Init.")
        steps = [*self.trace.steps]
        if self.trace.loop is not None:
            states.append(states[self.trace.loop])
            steps.append(None)
        edges = [
            self.edges(*step) for step in zip(range(len(steps)), steps, states, states[1:], strict=False)
        ]
        return states[0], list(filter(None, edges))

    def number(self, index: int) -> int:
        values = self.trace.state_dict(index)
        sought = tuple(values[name] for name in self.graph.variables)
        state = self.numbers.get(sought)
        if state is None or not is_typed_as(sought, self.graph.states[state]):
            raise BadInput(
                f"At these bounds the spec does not reach state {index} of the trace, {state_text(values)}. "
                "Take the instance that it was made from (--instance), or raise the bounds."
            )
        return state

    def edges(self, index: int, step: Step | None, source: int, target: int) -> list[int]:
        """The transitions that step ``index`` may be; none for a stutter."""
        leaving = self.graph.out(source)
        known = step if step and step.action in self.actions else None
        meant = [edge for edge in leaving if known is None or _is_meant(known, self.label(edge))]
        found = [edge for edge in meant if self.graph.target[edge] == target]
        if found or (known is None and source == target):
            return found
        allowed = "".join(
            f"\n  {self.label(edge)}, to {state_text(self.graph.state_dict(self.graph.target[edge]))}"
            for edge in leaving
        )
        raise BadInput(
            f"The trace is no behaviour of the spec: {step or 'no action'} leads from state {index} "
            f"to {state_text(self.graph.state_dict(target))}. The spec allows there{allowed or ' nothing'}"
        )

    def label(self, edge: int) -> Label:
        return self.graph.labels[self.graph.label[edge]]


def _is_meant(step: Step, label: Label) -> bool:
    """Whether a step may be this action instance."""
    if step.action != label.action:
        return False
    if step.picks is None:
        return _is(step.arguments, label.arguments)
    named = zip(label.parameters, label.arguments, strict=True)
    return all(_is(step.picks[name], value) for name, value in named if name in step.picks)


def _is(recorded: Value, value: Value) -> bool:
    return recorded == value and is_typed_as(recorded, value)


class _Replay:
    """``taken`` are the edges so far; ``left`` says that the implementation took another branch."""

    def __init__(self, graph: StateGraph, driver: Driver, origin: Origin, start: int) -> None:
        self.graph = graph
        self.driver = driver
        self.judge = Judge(graph, driver, origin)
        self.start = start
        self.taken: list[int] = []
        self.left = False

    def run(self, route: Sequence[Sequence[int]]) -> Replayed:
        divergence = self.begin()
        while divergence is None and not self.left and len(self.taken) < len(route):
            divergence = self.step(route[len(self.taken)])
        return Replayed(taken=tuple(self.taken), length=len(route), divergence=divergence)

    def begin(self) -> Divergence | None:
        try:
            self.judge.start(self.start)
        except Diverged as diverged:
            return self.report(diverged, self.start, None, [self.start])
        return None

    def step(self, edges: Sequence[int]) -> Divergence | None:
        """Take the one of some transitions that the implementation follows, or say how it follows none."""
        divergence = None
        for number, edge in enumerate(edges):
            state, label = self.graph.source[edge], self.graph.labels[self.graph.label[edge]]
            allowed = self.graph.successors(state, label)
            try:
                if number:
                    self.again()
                target = self.judge.take(self.driver.bind(label.action, label.arguments), allowed)
            except Diverged as diverged:
                divergence = divergence or self.report(diverged, state, str(label), allowed)
                continue
            if target == self.graph.target[edge]:
                self.taken.append(edge)
                self.left = False
                return None
            self.left = True
        return None if self.left else divergence

    def again(self) -> None:
        """Come back to where the trace was left off, on a fresh implementation."""
        self.judge.start(self.start)
        for edge in self.taken:
            label = self.graph.labels[self.graph.label[edge]]
            self.judge.take(self.driver.bind(label.action, label.arguments), [self.graph.target[edge]])

    def report(self, diverged: Diverged, state: int, step: str | None, allowed: Sequence[int]) -> Divergence:
        labels = (self.graph.labels[self.graph.label[edge]] for edge in self.taken)
        return self.judge.report(
            diverged,
            state=state,
            step=step,
            enabled=True,
            allowed=allowed,
            way=Way(start=self.graph.state_dict(self.start), steps=tuple(map(str, labels))),
        )
