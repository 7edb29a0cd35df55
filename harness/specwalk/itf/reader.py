"""Reads traces, those of Apalache and Quint too."""

import json
from collections.abc import Collection, Mapping

from specwalk.errors import BadInput
from specwalk.itf.trace import Json, Step, Trace
from specwalk.values import ModelValue, Value, function, parse_step, show

__all__ = ["read_trace"]

QUINT_ACTION = "mbt::actionTaken"
QUINT_PICKS = "mbt::nondetPicks"
# Python can show, hash and compare values of that depth; specs have far flatter ones.
DEEPEST = 100


def read_trace(text: str, atoms: Collection[ModelValue] = ()) -> Trace:
    """Read a trace.

    Args:
        text: the content of an `.itf.json` file.
        atoms: the model values that it may have; other strings are strings.

    Raises:
        BadInput: it is no trace; the message says where.
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"This is no JSON that can be read: {problem}.") from problem
    if not isinstance(whole, dict) or not isinstance(whole.get("states"), list):
        raise BadInput('A trace is a JSON object with a list "states".')
    return _Reader(whole, {atom.name: atom for atom in atoms}).trace()


class _Reader:
    """Reads one trace; ``place`` is where, for errors."""

    def __init__(self, whole: Mapping[str, Json], atoms: Mapping[str, ModelValue]) -> None:
        self.whole = whole
        self.atoms = atoms
        self.place = "the trace"
        self.depth = 0

    def trace(self) -> Trace:
        states: list[Json] = self.whole["states"]
        variables = self.variables()
        loop = self.whole.get("loop")
        if loop is not None and type(loop) is not int:
            raise self.error('"loop" must be the index of a state')
        about = self.whole.get("#meta")
        return Trace(
            variables=tuple(variables.values()),
            states=tuple(self.state(index, state, variables) for index, state in enumerate(states)),
            steps=tuple(self.step(index, state) for index, state in enumerate(states) if index),
            loop=loop,
            about=about if isinstance(about, dict) else {},
        )

    def variables(self) -> dict[str, str]:
        """The variables as they are written, each with the name that it has in its own module."""
        written = self.whole.get("vars")
        if not isinstance(written, list) or not all(isinstance(name, str) for name in written):
            raise self.error('"vars" must be the list of the variables\' names')
        full = [name for name in dict.fromkeys(written) if name not in (QUINT_ACTION, QUINT_PICKS)]
        short = [name.rpartition("::")[2] for name in full]
        return dict(zip(full, short if len(set(short)) == len(short) else full, strict=True))

    def state(self, index: int, state: Json, variables: Mapping[str, str]) -> tuple[Value, ...]:
        self.place = f"state {index}"
        if not isinstance(state, dict):
            raise self.error("a state must be a JSON object")
        if lacking := [name for name in variables if name not in state]:
            raise self.error(f"{', '.join(lacking)} must have a value")
        values = []
        for name in variables:
            self.place = f"state {index}, {name}"
            values.append(self.value(state[name]))
        return tuple(values)

    def step(self, index: int, state: Mapping[str, Json]) -> Step | None:
        """The step that leads to a state."""
        self.place = f"state {index}"
        if isinstance(action := state.get(QUINT_ACTION), str):
            picks = state.get(QUINT_PICKS)
            return Step(action=action, picks=self.picks(picks if isinstance(picks, dict) else {}))
        meta = state.get("#meta")
        action = meta.get("action") if isinstance(meta, dict) else None
        return self.named(action) if isinstance(action, str) else None

    def picks(self, picks: Mapping[str, Json]) -> dict[str, Value]:
        """Quint's choices that were made for this step; the others are None there."""
        return {
            name: self.value(option["value"])
            for name, option in picks.items()
            if isinstance(option, dict) and option.get("tag") == "Some" and "value" in option
        }

    def named(self, action: str) -> Step | None:
        """A step that is given as text, None where another tool means something else by it."""
        try:
            name, arguments = parse_step(action)
            show(arguments)  # what nests too deep for that could not be reported
        except BadInput:
            return None
        except (RecursionError, ValueError) as problem:
            raise self.error(f"the action cannot be read: {problem}") from problem
        return Step(action=name, arguments=arguments)

    def value(self, thing: Json) -> Value:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"a value is nested more than {DEEPEST} deep")
        value = self.any_value(thing)
        self.depth -= 1
        return value

    def any_value(self, thing: Json) -> Value:
        match thing:
            case bool() | int():
                return thing
            case str():
                return self.string(thing)
            case list():
                return tuple(map(self.value, thing))
            case dict():
                return self.marked(thing) if any(key.startswith("#") for key in thing) else self.record(thing)
        raise self.error(
            f"{thing!r} is no value: use a number without fraction, a string, a list or an object"
        )

    def string(self, text: str) -> Value:
        atom = self.atoms.get(text) or self.atoms.get(text.partition("_OF_")[0])
        return atom or text

    def record(self, thing: Mapping[str, Json]) -> Value:
        return function({key: self.value(value) for key, value in thing.items()})

    def marked(self, thing: Mapping[str, Json]) -> Value:
        match thing:
            case {"#bigint": str(digits)} if digits.removeprefix("-").isdecimal():
                return self.number(digits)
            case {"#tup": list(items)}:
                return tuple(map(self.value, items))
            case {"#set": list(items)}:
                return frozenset(map(self.value, items))
            case {"#map": list(pairs)} if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
                return function({self.value(key): self.value(value) for key, value in pairs})
            case {"#unserializable": text}:
                raise self.error(
                    f"the tool that wrote the trace could not write {text}; bound it in the spec"
                )
        raise self.error(f"{json.dumps(thing)} is no value of the Informal Trace Format")

    def number(self, digits: str) -> int:
        try:
            return int(digits)
        except ValueError as problem:
            raise self.error(f"a number of {len(digits)} digits is more than Python reads") from problem

    def error(self, message: str) -> BadInput:
        return BadInput(f"In {self.place}: {message}.")
