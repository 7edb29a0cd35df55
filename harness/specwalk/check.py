"""The whole way from a spec to a verdict: TLC, pins, the graph, the model, the walk.

One check reports every finding: nothing that is found keeps the rest from being looked at, as far
as there is something to look at.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

from specwalk.config import Config, read_config
from specwalk.divergence import Origin
from specwalk.errors import ExitCode, SpecwalkError
from specwalk.gaps import Gaps, find_gaps
from specwalk.graph import StateGraph, explore
from specwalk.graph.symmetry import Orbits, orbits
from specwalk.pins import Pin, read_pin
from specwalk.progress import Progress
from specwalk.project import Binding, Instance, constants_of, new_model
from specwalk.replay import reproduces
from specwalk.tally import Tally
from specwalk.tlc import Result, Verdict
from specwalk.verify import verify
from specwalk.walk import walk_in_parallel

__all__ = ["CheckedInstance", "Settings", "check_instance", "exit_code"]

_VERDICT_CODES = {
    Verdict.OK: ExitCode.OK,
    Verdict.SPEC_ERROR: ExitCode.BAD_INPUT,
    Verdict.ENVIRONMENT: ExitCode.ENVIRONMENT,
    Verdict.VIOLATED: ExitCode.PROPERTY_VIOLATED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to check. ``verify`` False leaves TLC's check of properties and the pins out, ``walk`` False the
    walk."""

    verify: bool = True
    walk: bool = True
    workers: int = 1
    timeout: float | None = None


@dataclass(slots=True, kw_only=True)
class CheckedInstance:
    """Everything that was found out about one instance; None is what could not be looked at.

    ``failure`` is what kept the check from going on.
    """

    instance: Instance
    config: Config | None = None
    result: Result | None = None
    pin: Pin | None = None
    graph: StateGraph | None = None
    up_to_symmetry: Orbits | None = None
    gaps: Gaps | None = None
    tally: Tally | None = None
    walk_seconds: float | None = None
    failure: SpecwalkError | None = None

    @property
    def depth(self) -> int | None:
        """The number of states on the longest of all shortest paths, as TLC counts depth.

        With several workers TLC's own figure differs from run to run; that of the graph does not.
        """
        if self.graph is None:
            return None
        depths: list[int] = []
        for edge in self.graph.arrival:
            depths.append(1 if edge < 0 else depths[self.graph.source[edge]] + 1)
        return max(depths)

    @property
    def counts(self) -> Pin | None:
        """The counts that a pin of this spec would hold; None if TLC did not come to its end in peace."""
        if self.result is None or self.result.verdict is not Verdict.OK or self.depth is None:
            return None
        counts = self.result.counts
        return Pin(distinct=counts.distinct, generated=counts.generated, depth=self.depth)

    @property
    def drift(self) -> str | None:
        """How the counts differ from the pin, with the line to write; None if they do not."""
        if self.counts is None or self.counts == self.pin:
            return None
        name = self.instance.config.name
        if self.pin is None:
            return f"no counts are pinned yet. If these are right, write into {name}\n    {self.counts}"
        return (
            f"the counts have drifted from their pin. If the change is meant, replace in {name}\n"
            f"    {self.pin}\n  by\n    {self.counts}"
        )

    @property
    def never_taken(self) -> list[str]:
        """The actions of the spec that no transition of this instance uses."""
        if self.graph is None:
            return []
        counts = self.graph.leaf_counts()
        return [str(action) for action in self.graph.actions if not counts[str(action)]]

    @property
    def exit_code(self) -> ExitCode:
        """The code of the gravest finding here."""
        return _gravest(self._codes())

    def _codes(self) -> Iterator[ExitCode]:
        if self.failure:
            yield self.failure.exit_code
        if self.result:
            yield _VERDICT_CODES[self.result.verdict]
        if self.gaps:
            yield ExitCode.BAD_INPUT
        if self.tally and self.tally.findings:
            yield ExitCode.DIVERGENCE
        if self.drift:
            yield ExitCode.DRIFTED


def exit_code(checked: Sequence[CheckedInstance]) -> ExitCode:
    """The code of the gravest finding of several instances."""
    return _gravest(instance.exit_code for instance in checked)


def _gravest(codes: Iterable[ExitCode]) -> ExitCode:
    """Input before machine, property, walk and pin, which is the order of their codes."""
    return min((code for code in codes if code is not ExitCode.OK), default=ExitCode.OK)


def check_instance(
    binding: Binding, instance: Instance, settings: Settings, progress: Progress
) -> CheckedInstance:
    """Check one instance of a model's spec; what goes wrong is in the result."""
    checked = CheckedInstance(instance=instance)
    try:
        if settings.verify:
            _verify(checked, binding, settings, progress)
        if checked.exit_code not in (ExitCode.BAD_INPUT, ExitCode.ENVIRONMENT):
            _explore(checked, binding, settings, progress)
            if settings.walk:
                _walk(checked, binding, settings, progress)
    except SpecwalkError as failure:
        checked.failure = failure
    return checked


def _verify(checked: CheckedInstance, binding: Binding, settings: Settings, progress: Progress) -> None:
    progress.phase(f"{checked.instance.name}: TLC checks the spec")
    checked.config = read_config(checked.instance.config)
    checked.pin = read_pin(checked.instance.config)
    checked.result = verify(
        binding.spec,
        checked.instance.config,
        workers=settings.workers,
        timeout=settings.timeout,
        on_progress=progress.counted,
    )


def _explore(checked: CheckedInstance, binding: Binding, settings: Settings, progress: Progress) -> None:
    progress.phase(f"{checked.instance.name}: TLC lists every transition")
    config = checked.instance.config
    graph = explore(binding.spec, config, timeout=settings.timeout, on_progress=progress.counted)
    checked.graph = graph
    constants = constants_of(config)
    alike = [constants.get(name) for name in binding.model.interchangeable]
    if alike:
        checked.up_to_symmetry = orbits(graph, [some for some in alike if isinstance(some, frozenset)])
    checked.gaps = find_gaps(new_model(binding, config), graph)


def _walk(checked: CheckedInstance, binding: Binding, settings: Settings, progress: Progress) -> None:
    graph, config = checked.graph, checked.instance.config
    if graph is None or checked.gaps:
        return
    steps = len(graph.states) * len(graph.alphabet)
    progress.phase(f"{checked.instance.name}: walk the implementation", total=steps)
    make_model = partial(new_model, binding, config)
    origin = Origin(model=binding.name, config=config.name)
    begun = monotonic()
    checked.tally = walk_in_parallel(graph, make_model, origin, progress.stepped, settings.workers)
    checked.walk_seconds = monotonic() - begun
    for finding in checked.tally.findings.values():
        finding.from_start = reproduces(finding.divergence, make_model)
