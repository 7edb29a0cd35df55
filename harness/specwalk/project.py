"""Find models, specs and configurations in the user's project, and load a model's class."""

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from specwalk.config import read_config
from specwalk.errors import BadInput, SpecwalkError
from specwalk.model import Model
from specwalk.values import Value

__all__ = ["Binding", "Instance", "constants_of", "load_all_bindings", "load_binding", "new_model"]

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A spec at the bounds of one configuration; a large one is checked only when it is named."""

    name: str
    config: Path
    large: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A model's class with the files that it stands between.

    ``name`` loads it again from any folder of the project.
    """

    name: str
    model: type[Model]
    file: Path
    spec: Path
    instances: tuple[Instance, ...]

    def instance(self, name: str | None) -> Instance:
        """The instance of this name; without a name, the only one that there is.

        Raises:
            BadInput: the model has no such instance, or several.
        """
        known = {instance.name: instance for instance in self.instances}
        if name is None and len(known) == 1:
            return self.instances[0]
        if name is None or name not in known:
            raise BadInput(f"{self.name} has no instance {name}: name one of {', '.join(known)}.")
        return known[name]


def load_binding(name: str) -> Binding:
    """The model that a user names: ``custody`` (model/custody.py here or in a folder above), a path,
    or a dotted module name.

    Raises:
        BadInput: there is no such model, or it cannot be used as it stands; the message says why.
    """
    return _bind(*_load_module(name))


def load_all_bindings() -> list[Binding]:
    """Every model in the folder model/ here or in a folder above.

    Raises:
        BadInput: there is no such folder, or one of the models cannot be used as it stands.
    """
    here = Path.cwd()
    folder = next((found for found in (f / "model" for f in (here, *here.parents)) if found.is_dir()), None)
    if folder is None:
        raise BadInput("There is no folder model/ here or in a folder above. Run in the project's folder.")
    modules = [_load_file(file.resolve()) for file in sorted(folder.glob("*.py"))]
    return [_bind(file, module) for file, module in modules if _models(module)]


def _bind(file: Path, module: ModuleType) -> Binding:
    model = _only_model(module, file)
    if not hasattr(model, "spec"):
        raise BadInput(f'{model.__name__} in {file} names no spec: add `spec = "../spec/Name.tla"`.')
    spec = (file.parent / model.spec).resolve()
    if not spec.is_file():
        raise BadInput(f"{model.__name__}.spec is {model.spec!r}, but there is no file {spec}.")
    if strangers := set(model.large) - set(model.instances):
        raise BadInput(f"{model.__name__}.large names {sorted(strangers)}, which its instances lack.")
    instances = tuple(
        Instance(name=name or spec.stem, config=_config(spec, name), large=name in model.large)
        for name in model.instances
    )
    lasting_name = file.stem if _find(file.stem) == file else str(file)
    return Binding(name=lasting_name, model=model, file=file, spec=spec, instances=instances)


def constants_of(config: Path) -> dict[str, Value]:
    """The constants that a configuration assigns, as a model is given them."""
    return {name: value for name, value in read_config(config).constants.items() if isinstance(name, str)}


def new_model(binding: Binding, config: Path) -> Model:
    """A model at the bounds of a configuration.

    Raises:
        BadInput: its constructor raised something.
    """
    constants = constants_of(config)
    failure = f"{binding.model.__name__} cannot be made"
    return _run_code(binding.file, failure, lambda: binding.model(constants))


def _config(spec: Path, instance: str) -> Path:
    config = spec.with_name(f"{spec.stem}_{instance}.cfg" if instance else f"{spec.stem}.cfg")
    if not config.is_file():
        raise BadInput(f"There is no configuration {config} for the instance {instance!r} of {spec.name}.")
    return config


def _load_module(name: str) -> tuple[Path, ModuleType]:
    if name.endswith((".tla", ".cfg")):
        raise BadInput(f"{name} is no model. Name the model, such as custody for model/custody.py.")
    if name.endswith(".py") or "/" in name:
        return _load_file(Path(name).resolve())
    if "." in name:
        return _import_module(name)
    file = _find(name)
    if file is None:
        raise BadInput(
            f"No model named {name!r}: there is no model/{name}.py here or in a folder above. {_advice(name)}"
        )
    return _load_file(file)


def _find(name: str) -> Path | None:
    """The file of a named model, from the current folder upwards."""
    here = Path.cwd()
    files = (folder / "model" / f"{name}.py" for folder in (here, *here.parents))
    return next((file.resolve() for file in files if file.is_file()), None)


def _advice(name: str) -> str:
    """What to do where there is no model of a name: begin one, if there is a spec of that name."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        for spec in sorted(folder.glob("spec/*.tla")):
            if spec.stem.lower() == name.lower():
                return f"There is a spec: `specwalk skeleton {os.path.relpath(spec)}` begins a model for it."
    return "Give its path, or run in the project's folder."


def _import_module(name: str) -> tuple[Path, ModuleType]:
    sys.path.insert(0, str(Path.cwd()))
    package = Path(*name.split(".")[:-1], "__init__.py").resolve()
    found = _run_code(package, f"The package of {name} cannot be imported", lambda: _find_spec(name))
    if found is None or found.origin is None:
        raise BadInput(f"There is no module {name}. Correct its name, or run in the project's folder.")
    file = Path(found.origin)
    failure = f"The model {file} cannot be imported"
    return file, _run_code(file, failure, lambda: importlib.import_module(name))


def _find_spec(name: str) -> ModuleSpec | None:
    """Where a dotted name leads, importing the packages above it."""
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return None


def _load_file(file: Path) -> tuple[Path, ModuleType]:
    if not file.is_file() or file.suffix != ".py":
        raise BadInput(f"There is no model at {file}. Give the path of a Python file.")
    # A model imports its neighbours by the name of its folder, as its tests do.
    sys.path.insert(0, str(file.parent.parent))
    spec = importlib.util.spec_from_file_location(f"{file.parent.name}.{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    load = spec.loader.exec_module
    # Dataclasses and pickle look a class's module up by its name.
    sys.modules[spec.name] = module
    try:
        _run_code(file, f"The model {file} cannot be imported", lambda: load(module))
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    return file, module


def _run_code(file: Path, failure: str, code: Callable[[], _Made]) -> _Made:
    """Run code of the user's model; what it raises becomes a BadInput that says where."""
    try:
        return code()
    except (SpecwalkError, KeyboardInterrupt):
        raise
    except BaseException as problem:  # SystemExit too: a model must not end the command in silence
        lines = [f.lineno for f in traceback.extract_tb(problem.__traceback__) if f.filename == str(file)]
        place = f" ({file}:{lines[-1]})" if lines else ""
        raise BadInput(f"{failure}: {type(problem).__name__}: {problem}{place}.") from problem


def _models(module: ModuleType) -> list[type[Model]]:
    return [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Model) and thing.__module__ == module.__name__
    ]


def _only_model(module: ModuleType, file: Path) -> type[Model]:
    found = _models(module)
    if len(found) != 1:
        names = ", ".join(model.__name__ for model in found) or "none"
        raise BadInput(f"{file} must define one subclass of specwalk.model.Model; it defines {names}.")
    return found[0]
