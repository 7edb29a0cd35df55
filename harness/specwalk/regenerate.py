"""From the models' specs to the traces and tests that a project keeps.

Rule 1: nothing is written unless TLC finds every spec right and every count is as pinned; or accepted.
Rule 2: pins are rewritten only where the user accepts the counts, and then for all instances of a model.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from specwalk.check import CheckedInstance, Settings, check_instance, exit_code
from specwalk.errors import BadInput, ExitCode
from specwalk.generate.files import Changes, owners, put
from specwalk.generate.suite import suite
from specwalk.graph.canonical import shuffled
from specwalk.pins import Pin, write_pin
from specwalk.progress import Progress
from specwalk.project import Binding, Instance

__all__ = ["How", "Regenerated", "regenerate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How to regenerate.

    Attributes:
        accept: take what TLC counts for right.
        sweep: remove also files that were written for models that are gone.
        shuffle: a seed, to put every graph in another order; the files must not depend on it.
    """

    settings: Settings
    accept: bool = False
    sweep: bool = False
    shuffle: int | None = None


@dataclass(slots=True, kw_only=True)
class Regenerated:
    """What a regeneration found and did; ``changes`` is None where what was found kept it from writing."""

    checked: list[CheckedInstance] = field(default_factory=list)
    pins: list[tuple[Path, Pin]] = field(default_factory=list)
    changes: Changes | None = None

    @property
    def exit_code(self) -> ExitCode:
        """The code of the gravest finding; accepted drift is none."""
        return ExitCode.OK if self.changes else exit_code(self.checked)


def regenerate(bindings: Sequence[Binding], how: How, progress: Progress) -> Regenerated:
    """Write the traces and tests of some models.

    Raises:
        BadInput: a model names an instance that it does not have, or a file is in the way.
        OSError: a file cannot be written.
    """
    surveys = [(binding, _survey(binding, how, progress)) for binding in bindings]
    done = Regenerated(checked=[checked for _, survey in surveys for checked in survey])
    found = exit_code(done.checked)
    # Drift is the least grave finding: where it is the gravest there is nothing else.
    if found is not ExitCode.OK and not (how.accept and found is ExitCode.DRIFTED):
        return done
    files = [(binding, _files(binding, survey, how.shuffle)) for binding, survey in surveys]
    done.pins = list(_accepted(done.checked))
    done.changes = Changes()
    for binding, texts in files:
        put(_project(binding), texts, binding.file.stem, done.changes)
    if how.sweep:
        _sweep(bindings, done.changes)
    return done


def _survey(binding: Binding, how: How, progress: Progress) -> list[CheckedInstance]:
    """Check the instances whose files are wanted; where pins are accepted, all of them."""
    committed = _committed(binding)
    instances = binding.instances if how.accept else committed
    return [check_instance(binding, instance, how.settings, progress) for instance in instances]


def _files(binding: Binding, survey: Sequence[CheckedInstance], seed: int | None) -> dict[Path, str]:
    committed = _committed(binding)
    files: dict[Path, str] = {}
    for checked in survey:
        if checked.graph and checked.instance in committed:
            graph = checked.graph if seed is None else shuffled(checked.graph, seed)
            files |= suite(binding, checked.instance, graph)
    return files


def _accepted(survey: Sequence[CheckedInstance]) -> Iterator[tuple[Path, Pin]]:
    """Write the pins that have drifted."""
    for checked in survey:
        if checked.drift and checked.counts:
            write_pin(checked.instance.config, checked.counts)
            yield checked.instance.config, checked.counts


def _sweep(bindings: Sequence[Binding], changes: Changes) -> None:
    """Remove the files of models that are gone."""
    models = {binding.file.stem for binding in bindings}
    for project in {_project(binding) for binding in bindings}:
        for gone in owners(project) - models:
            put(project, {}, gone, changes)


def _project(binding: Binding) -> Path:
    return binding.file.parent.parent


def _committed(binding: Binding) -> list[Instance]:
    """The instances whose files a project keeps."""
    wanted: Any = binding.model.committed
    if isinstance(wanted, str):
        raise BadInput(f"{binding.model.__name__}.committed is a text: write it as a tuple, ({wanted!r},).")
    by_name = dict(zip(binding.model.instances, binding.instances, strict=True))
    by_name |= {instance.name: instance for instance in binding.instances}
    if unknown := [name for name in wanted if name not in by_name]:
        raise BadInput(
            f"{binding.model.__name__}.committed names {', '.join(map(repr, unknown))}, which its instances "
            f"{', '.join(map(repr, by_name))} lack: add it there, or leave it out here."
        )
    return [by_name[name] for name in wanted]
