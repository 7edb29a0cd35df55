"""Informal Trace Format (Apalache's ADR 015): reads and writes behaviours as JSON.

Rule 1: one trace has one text, however its values were made: sets and functions have a fixed order there.
Rule 2: what is written reads back as the same trace, or it is not written. Model values are written as
their names, and read back where the caller names them, also as Apalache writes them (`o1_OF_T`).
Rule 3: `#meta`, parameters and what else the format leaves open may hold anything; values may not.

The action of a step stands in the `#meta` of the state that it leads to, as "action": "Lose(o1)". Quint's
traces (`--mbt`) tell it in two variables of their own.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from specwalk.errors import BadInput
from specwalk.values import Function, ModelValue, Value, function, in_order, parse_step, show

__all__ = ["Step", "Trace", "model_values", "read_trace", "write_trace"]

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
QUINT_ACTION = "mbt::actionTaken"
QUINT_PICKS = "mbt::nondetPicks"
# Integers beyond are not the same in every reader of JSON.
SAFE = 2**53 - 1

Json = Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a trace says of a step: an action, with its arguments in order or, as Quint has them, by name.

    Attributes:
        picks: Quint's choices by name, None where the arguments are known in order.
    """

    action: str
    arguments: tuple[Value, ...] = ()
    picks: Mapping[str, Value] | None = None

    def __str__(self) -> str:
        named = [f"{name} = {show(value)}" for name, value in (self.picks or {}).items()]
        texts = [*map(show, self.arguments), *named]
        return f"{self.action}({', '.join(texts)})" if texts else self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A behaviour, as far as it was recorded.

    Attributes:
        variables: their names.
        states: their values, state by state; at least one state.
        steps: the step from each state to the next, None where the trace does not say.
        loop: the state that follows the last one, for a behaviour that goes on forever.
        about: what the trace says of itself, such as "source" and "description".
    """

    variables: tuple[str, ...]
    states: tuple[tuple[Value, ...], ...]
    steps: tuple[Step | None, ...]
    loop: int | None = None
    about: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.states:
            raise BadInput("A trace has at least one state; this one has none.")
        if len(self.steps) != len(self.states) - 1:
            raise BadInput(
                f"{len(self.states)} states have one step less between them, not {len(self.steps)}."
            )
        if self.loop is not None and not 0 <= self.loop < len(self.states):
            raise BadInput(f"The loop begins at state {self.loop}, but there are {len(self.states)} states.")

    def state_dict(self, index: int) -> dict[str, Value]:
        """A state as a mapping from variables to values."""
        return dict(zip(self.variables, self.states[index], strict=True))


def write_trace(trace: Trace) -> str:
    """The text of a trace.

    Raises:
        BadInput: the text would read back as another trace.
    """
    states = [_state_json(trace, index) for index in range(len(trace.states))]
    fields = {
        "#meta": _text({**trace.about, "format": "ITF", "format-description": FORMAT}),
        "vars": _text(trace.variables),
        "states": "[\n  " + ",\n  ".join(map(_text, states)) + "\n ]",
        **({} if trace.loop is None else {"loop": str(trace.loop)}),
    }
    text = "{\n " + ",\n ".join(f"{_text(name)}: {value}" for name, value in fields.items()) + "\n}\n"
    values = chain(*trace.states, *(step.arguments for step in trace.steps if step))
    again = read_trace(text, model_values(values))
    if (again.states, again.steps) != (trace.states, trace.steps):
        raise BadInput(
            "The trace would read back as another one: a string reads like one of its model values (rename "
            "that), or the arguments of a step are known by name alone (give them in order)."
        )
    return text


def _state_json(trace: Trace, index: int) -> Json:
    step = trace.steps[index - 1] if index else None
    meta = {"index": index, **({"action": str(step)} if step else {})}
    return {"#meta": meta, **{name: _encoded(value) for name, value in trace.state_dict(index).items()}}


def _text(thing: Json) -> str:
    return json.dumps(thing, ensure_ascii=False)


def _encoded(value: Value) -> Json:
    match value:
        case bool() | str():
            return value
        case int():
            return value if abs(value) <= SAFE else {"#bigint": str(value)}
        case ModelValue():
            return value.name
        case tuple():
            return list(map(_encoded, value))
        case frozenset():
            return {"#set": list(map(_encoded, in_order(value)))}
    keys = in_order(value)
    if all(isinstance(key, str) and key.isidentifier() for key in keys):
        return {key: _encoded(value[key]) for key in keys}
    return {"#map": [[_encoded(key), _encoded(value[key])] for key in keys]}


def model_values(values: Iterable[Value]) -> frozenset[ModelValue]:
    """The model values in some values, at any depth."""
    found: set[ModelValue] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, ModelValue):
            found.add(value)
        elif isinstance(value, Function):
            waiting += (*value, *value.values())
        elif isinstance(value, tuple | frozenset):
            waiting += value
    return frozenset(found)


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
    except ValueError as problem:
        raise BadInput(f"This is no JSON: {problem}.") from problem
    if not isinstance(whole, dict) or not isinstance(whole.get("states"), list):
        raise BadInput('A trace is a JSON object with a list "states".')
    return _Reader(whole, {atom.name: atom for atom in atoms}).trace()


class _Reader:
    """Reads one trace; ``place`` is where, for errors."""

    def __init__(self, whole: Mapping[str, Json], atoms: Mapping[str, ModelValue]) -> None:
        self.whole = whole
        self.atoms = atoms
        self.place = "the trace"

    def trace(self) -> Trace:
        states: list[Json] = self.whole["states"]
        variables = self.variables()
        loop = self.whole.get("loop")
        about = self.whole.get("#meta")
        return Trace(
            variables=tuple(variables.values()),
            states=tuple(self.state(index, state, variables) for index, state in enumerate(states)),
            steps=tuple(self.step(index, state) for index, state in enumerate(states) if index),
            loop=loop if type(loop) is int else None,
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
        except BadInput:
            return None
        return Step(action=name, arguments=arguments)

    def value(self, thing: Json) -> Value:
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
                return int(digits)
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
        raise self.error(f"{_text(thing)} is no value of the Informal Trace Format")

    def error(self, message: str) -> BadInput:
        return BadInput(f"In {self.place}: {message}.")
