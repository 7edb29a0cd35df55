"""Writes out what a model lacks, or a whole model, for a person to fill in.

Rule 1: it is valid, typed Python. A part that is left as it is says so when it is walked: an action
        is not offered, a variable has a text in the place of its value.
Rule 2: above each method stands the action's definition with its comment.
Rule 3: no file that a person wrote is touched. What a model lacks goes to a file of its own, which
        the next check may replace as long as it is, to the letter, what specwalk wrote.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from keyword import iskeyword
from pathlib import Path

from specwalk import tlc
from specwalk.config import read_config
from specwalk.errors import BadInput
from specwalk.gaps import Gaps
from specwalk.generate.quote import quoted
from specwalk.generate.signed import is_ours, signed
from specwalk.generate.template import render
from specwalk.label.actions import Action, find_actions
from specwalk.label.export import read_spec
from specwalk.model import Model
from specwalk.project import Binding, constants_of
from specwalk.replacing import replace

__all__ = ["write_missing", "write_model"]

_TEMPLATE = "skeleton.py.jinja"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Method:
    """A method to write: its name, its parameters as Python has them, the lines quoted above it."""

    action: str
    name: str
    parameters: tuple[str, ...]
    definition: tuple[str, ...]


def write_missing(binding: Binding, gaps: Sequence[Gaps]) -> Path | None:
    """Write what a model lacks to a new file beside it: that file, or None if nothing is missing.

    Raises:
        OSError: the file cannot be written.
    """
    actions = tuple(dict.fromkeys(action for gap in gaps for action in gap.actions))
    variables = tuple(dict.fromkeys(name for gap in gaps for name in gap.variables))
    if not actions and not variables:
        return None
    text = render(
        _TEMPLATE,
        whole=False,
        name=f"Missing{binding.model.__name__}",
        model=binding.model.__name__,
        file=binding.file.name,
        spec=binding.spec.name,
        methods=tuple(_methods(binding.spec.parent, actions, dir(binding.model))),
        variables=variables,
    )
    return _write_beside(binding.file, text)


def write_model(spec: Path) -> Path:
    """Write a model to fill in for a spec: ``model/tank.py`` for ``spec/Tank.tla``.

    Raises:
        BadInput: there is such a model, there is no configuration, or SANY rejects the spec.
        OSError: the file cannot be written.
    """
    spec = spec.resolve()
    project = spec.parent.parent if spec.parent.name == "spec" else spec.parent
    file = project / "model" / f"{spec.stem.lower()}.py"
    if os.path.lexists(file):
        raise BadInput(f"There is a model {file} already: `specwalk check {file.stem}` says what it lacks.")
    text = _model_text(spec, file)
    file.parent.mkdir(exist_ok=True)
    replace(file, text)
    return file


def _model_text(spec: Path, file: Path) -> str:
    instances = _instances(spec)
    config = next(iter(instances.values()))
    with tlc.Workspace(tlc.find_toolchain(), spec) as workspace:
        read = read_spec(workspace, read_config(config))
        actions = find_actions(read).leaves
    return render(
        _TEMPLATE,
        whole=True,
        name=f"{_python_name(spec.stem)}Model",
        model=file.stem,
        spec=spec.name,
        path=Path(os.path.relpath(spec, file.parent)).as_posix(),
        instances=tuple(instances),
        constants=tuple(constants_of(config)),
        methods=tuple(_methods(spec.parent, actions, dir(Model))),
        variables=read.tree.root.variables,
    )


def _instances(spec: Path) -> Mapping[str, Path]:
    """The configurations beside a spec, by the names of instances: ``Tank_big.cfg`` is ``big``."""
    plain = spec.with_suffix(".cfg")
    named = sorted(spec.parent.glob(f"{spec.stem}_*.cfg"))
    found = {config.stem.removeprefix(spec.stem).removeprefix("_"): config for config in (plain, *named)}
    if not plain.is_file():
        del found[""]
    if not found:
        raise BadInput(f"There is no configuration for {spec.name}: write {plain.name} beside it first.")
    return found


def _write_beside(file: Path, text: str) -> Path:
    """Write to a new file beside a model, or to one that we wrote there."""
    for number in count(1):
        new = file.with_name(f"{file.stem}_missing{'' if number == 1 else f'_{number}'}.py")
        if is_ours(new.parent, Path(new.name)) or not os.path.lexists(new):
            break
    replace(new, signed(text, Path(new.name)))
    return new


def _methods(folder: Path, actions: Sequence[Action], taken: Sequence[str]) -> Iterator[_Method]:
    """One method for each name of an action, under names that are not taken."""
    names = {*taken}
    for action_name in dict.fromkeys(action.name for action in actions):
        same = [action for action in actions if action.name == action_name]
        name = _free(_method_name(action_name), names)
        names.add(name)
        yield _Method(
            action=action_name,
            name=name,
            parameters=tuple(_parameters(same)),
            definition=tuple(line for action in same for line in quoted(folder, action.location)),
        )


def _parameters(same: Sequence[Action]) -> Iterator[str]:
    """The parameters of the one method for actions of one name."""
    if len({len(action.parameters) for action in same}) > 1:
        yield "*arguments"
        return
    names = {"self"}
    for parameter in same[0].parameters:
        name = _free(_python_name(parameter), names)
        names.add(name)
        yield name


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _method_name(action: str) -> str:
    """``EscalateByBudget`` as ``escalate_by_budget``."""
    words = re.findall(r"[A-Z]+(?![^\W_A-Z\d])|[A-Z]?[^\W_A-Z]+", action)
    return _python_name("_".join(words).lower())


def _python_name(name: str) -> str:
    """A name of TLA+, which may be a keyword of Python or begin with a digit."""
    if iskeyword(name):
        return f"{name}_"
    return name if name.isidentifier() else f"_{name}"
