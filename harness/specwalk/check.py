"""The whole way from a spec to a verdict: TLC, pins, the graph, the model, the walk.

One check reports every finding: nothing that is found keeps the rest from being looked at, as far
as there is something to look at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from specwalk.divergence import Origin
from specwalk.errors import ExitCode
from specwalk.graph import StateGraph, explore
from specwalk.model import missing_parts
from specwalk.parallel import walk_in_parallel
from specwalk.pins import Pin, read_pin
from specwalk.project import Binding, Instance, constants_of
from specwalk.symmetry import Orbits, orbits
from specwalk.tlc import Counts, Result, Verdict
from specwalk.values import Value
from specwalk.verify import verify
from specwalk.walk import Tally

__all__ = ["CheckedInstance", "Progress", "Settings", "check_instance", "exit_code"]


class Progress(Protocol):
    """Where a check tells how far it is."""

    def phase(self, name: str, total: int | None = None) -> None:
        """A new part of the work has begun; ``total`` is its number of steps, if known."""

    def counted(self, counts: Counts) -> None:
        """TLC has come this far."""

    def stepped(self, steps: int) -> None:
        """So many more steps were walked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to check. ``verify`` False leaves TLC's check of properties and the pins out."""

    verify: bool = True
    workers: int = 1
    timeout: float | None = None


@dataclass(slots=True, kw_only=True)
class CheckedInstance:
    """Everything that was found out about one instance; None is what could not be looked at."""

    instance: Instance
    result: Result | None = None
    pin: Pin | None = None
    graph: StateGraph | None = None
    up_to_symmetry: Orbits | None = None
    model_problems: Sequence[str] = field(default_factory=tuple)
    tally: Tally | None = None

    @property
    def drift(self) -> str | None:
        """How the counts differ from the pin, with the line to write; None if they do not."""
        if self.result is None or self.result.verdict is not Verdict.OK:
            return None
        found = Pin.of(self.result.counts)
        if found == self.pin:
            return None
        was = f"instead of\n    {self.pin}" if self.pin else "which has no such line yet"
        return f"If the change is meant, write this line into {self.instance.config.name}, {was}\n    {found}"

    @property
    def never_taken(self) -> list[str]:
        """The actions of the spec that no transition of this instance uses."""
        if self.graph is None:
            return []
        counts = self.graph.action_counts()
        return [name for name, _ in leaves(self.graph) if not counts.get(name)]

    @property
    def exit_code(self) -> ExitCode:
        """The code of the gravest finding here."""
        if self.result is not None:
            if self.result.verdict is Verdict.ENVIRONMENT:
                return ExitCode.ENVIRONMENT
            if self.result.verdict is Verdict.SPEC_ERROR:
                return ExitCode.BAD_INPUT
        if self.model_problems:
            return ExitCode.BAD_INPUT
        if self.result is not None and self.result.verdict is Verdict.VIOLATED:
            return ExitCode.PROPERTY_VIOLATED
        if self.tally is not None and self.tally.findings:
            return ExitCode.DIVERGENCE
        return ExitCode.DRIFTED if self.drift else ExitCode.OK


def exit_code(checked: Sequence[CheckedInstance]) -> ExitCode:
    """The code of the gravest finding of several instances: input, machine, property, walk, pin."""
    codes = {instance.exit_code for instance in checked} - {ExitCode.OK}
    return min(codes, default=ExitCode.OK)


def check_instance(
    binding: Binding, instance: Instance, settings: Settings, progress: Progress
) -> CheckedInstance:
    """Check one instance of a model's spec.

    Raises:
        SpecwalkError: the check cannot go on for this model at all.
    """
    checked = CheckedInstance(instance=instance)
    if settings.verify:
        checked.pin = read_pin(instance.config)
        progress.phase(f"{instance.name}: TLC checks the spec")
        checked.result = verify(
            binding.spec,
            instance.config,
            workers=settings.workers,
            timeout=settings.timeout,
            on_progress=progress.counted,
        )
        if checked.result.verdict in (Verdict.SPEC_ERROR, Verdict.ENVIRONMENT):
            return checked
    progress.phase(f"{instance.name}: TLC lists every transition")
    graph = explore(binding.spec, instance.config, on_progress=progress.counted)
    checked.graph = graph
    constants = constants_of(instance.config)
    checked.up_to_symmetry = _orbits(graph, binding, constants)
    checked.model_problems = missing_parts(binding.model, leaves(graph))
    if not checked.model_problems:
        steps = len(graph.states) * len(graph.alphabet)
        progress.phase(f"{instance.name}: walk the implementation", total=steps)
        origin = Origin(model=binding.name, model_file=binding.file, config_file=instance.config)
        checked.tally = walk_in_parallel(
            graph, binding.model, constants, origin, progress.stepped, settings.workers
        )
    return checked


def leaves(graph: StateGraph) -> list[tuple[str, tuple[str, ...]]]:
    """The leaf actions of the spec with their parameters, in the order of the alphabet."""
    return list(dict.fromkeys((label.action, label.parameters) for label in graph.alphabet))


def _orbits(graph: StateGraph, binding: Binding, constants: Mapping[str, Value]) -> Orbits | None:
    alike = [constants.get(name) for name in binding.model.interchangeable]
    return orbits(graph, [elements for elements in alike if isinstance(elements, frozenset)])
