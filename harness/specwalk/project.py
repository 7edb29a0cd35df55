"""Find models, specs and configurations in the user's project, and load a model's class."""

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from specwalk.config import read_config
from specwalk.errors import BadInput, SpecwalkError
from specwalk.model import Model
from specwalk.values import Value

__all__ = ["Binding", "Instance", "constants_of", "load_binding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A spec at the bounds of one configuration."""

    name: str
    config: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A model's class with the files that it stands between."""

    name: str
    model: type[Model]
    file: Path
    spec: Path
    instances: tuple[Instance, ...]


def load_binding(name: str) -> Binding:
    """The model that a user names: ``custody`` (model/custody.py here or in a folder above), a path,
    or a dotted module name.

    Raises:
        BadInput: there is no such model, or it cannot be used as it stands; the message says why.
    """
    file, module = _load_module(name)
    model = _only_model(module, file)
    if not hasattr(model, "spec"):
        raise BadInput(f'{model.__name__} in {file} names no spec: add `spec = "../spec/Name.tla"`.')
    spec = (file.parent / model.spec).resolve()
    if not spec.is_file():
        raise BadInput(f"{model.__name__}.spec is {model.spec!r}, but there is no file {spec}.")
    instances = tuple(Instance(name=n or spec.stem, config=_config(spec, n)) for n in model.instances)
    return Binding(name=file.stem, model=model, file=file, spec=spec, instances=instances)


def constants_of(config: Path) -> dict[str, Value]:
    """The constants that a configuration assigns, as a model is given them."""
    return {name: value for name, value in read_config(config).constants.items() if isinstance(name, str)}


def _config(spec: Path, instance: str) -> Path:
    config = spec.with_name(f"{spec.stem}_{instance}.cfg" if instance else f"{spec.stem}.cfg")
    if not config.is_file():
        raise BadInput(f"There is no configuration {config} for the instance {instance!r} of {spec.name}.")
    return config


def _load_module(name: str) -> tuple[Path, ModuleType]:
    if name.endswith(".py") or "/" in name:
        return _load_file(Path(name))
    if "." not in name:
        for folder in (Path.cwd(), *Path.cwd().parents):
            if (file := folder / "model" / f"{name}.py").is_file():
                return _load_file(file)
        raise BadInput(
            f"No model named {name!r}: there is no model/{name}.py here or in a folder above. "
            "Give its path, or run in the project's folder."
        )
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(name)
    except ImportError as problem:
        raise BadInput(f"Cannot import the model {name}: {problem}.") from problem
    return Path(str(module.__file__)), module


def _load_file(file: Path) -> tuple[Path, ModuleType]:
    file = file.resolve()
    if not file.is_file():
        raise BadInput(f"There is no model at {file}.")
    # A model imports its neighbours by the name of its folder, as its tests do.
    sys.path.insert(0, str(file.parent.parent))
    spec = importlib.util.spec_from_file_location(f"{file.parent.name}.{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SpecwalkError:
        raise
    except Exception as problem:
        problem.add_note(f"while importing the model {file}")
        raise BadInput(
            f"The model {file} cannot be imported: {type(problem).__name__}: {problem}."
        ) from problem
    return file, module


def _only_model(module: ModuleType, file: Path) -> type[Model]:
    found = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Model) and thing.__module__ == module.__name__
    ]
    if len(found) != 1:
        names = ", ".join(model.__name__ for model in found) or "none"
        raise BadInput(f"{file} must define one subclass of specwalk.Model; it defines {names}.")
    return found[0]
