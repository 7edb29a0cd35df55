"""From the models' specs to the traces and tests that a project keeps.

Rule 1: nothing is written unless TLC finds every spec right and every count is as pinned; or accepted.
Rule 2: nothing is written where anything is in the way of any file, or two files would have one place.
Rule 3: pins are rewritten only where the user accepts the counts, and then for all instances of a model;
        last, so that a pin stands only beside the files that belong to it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from specwalk.check import CheckedInstance, Settings, check_instance, exit_code
from specwalk.errors import BadInput, ExitCode
from specwalk.generate.files import Changes, Wanted, owners, put
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
    done.changes = put(_wanted(surveys, how))
    done.pins = list(_accepted(done.checked))
    return done


def _survey(binding: Binding, how: How, progress: Progress) -> list[CheckedInstance]:
    """Check the instances whose files are wanted; where pins are accepted, all of them."""
    committed = _committed(binding)
    instances = binding.instances if how.accept else committed
    return [check_instance(binding, instance, how.settings, progress) for instance in instances]


def _wanted(surveys: Sequence[tuple[Binding, list[CheckedInstance]]], how: How) -> list[Wanted]:
    """The files of all models; of those that are gone, if that is wanted, none."""
    owned: dict[str, str] = {}
    wanted = []
    for binding, survey in surveys:
        if not _committed(binding) and binding.file.parent.name != "model":
            continue
        files: dict[Path, str] = {}
        for checked in survey:
            new = _files(binding, checked, how.shuffle)
            _claim(_project(binding), new, f"{binding.file.name} at {checked.instance.config.name}", owned)
            files |= new
        wanted.append(Wanted(project=_project(binding), model=binding.file.stem, files=files))
    if how.sweep:
        models = {one.model for one in wanted}
        for project in {one.project for one in wanted}:
            gone = sorted(owners(project) - models)
            wanted += (Wanted(project=project, model=model, files={}) for model in gone)
    return wanted


def _files(binding: Binding, checked: CheckedInstance, seed: int | None) -> dict[Path, str]:
    if not checked.graph or checked.instance not in _committed(binding):
        return {}
    graph = checked.graph if seed is None else shuffled(checked.graph, seed)
    return suite(binding, checked.instance, graph)


def _claim(project: Path, files: Iterable[Path], instance: str, owned: dict[str, str]) -> None:
    """Note in ``owned`` whose the places of some files are; where capitals make no difference, too."""
    for path in files:
        other = owned.setdefault(str(project / path).casefold(), instance)
        if other != instance:
            raise BadInput(
                f"The files of {other} and of {instance} would both be written to {path}: rename one of the "
                "instances or models."
            )


def _accepted(survey: Sequence[CheckedInstance]) -> Iterator[tuple[Path, Pin]]:
    """Write the pins that have drifted."""
    for checked in survey:
        if checked.drift and checked.counts:
            write_pin(checked.instance.config, checked.counts)
            yield checked.instance.config, checked.counts


def _project(binding: Binding) -> Path:
    """The folder that has the model's folder, and gets the files."""
    if binding.file.parent.name != "model":
        raise BadInput(
            f"{binding.file} is not in a folder model/, beside which traces/ and tests/ are written: move it "
            f"to one, or take `committed` out of {binding.model.__name__}."
        )
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
    return list(dict.fromkeys(by_name[name] for name in wanted))
