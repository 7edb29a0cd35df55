"""Writes a trace: a line for each state, the same text for the same values."""

import json
from collections.abc import Sequence
from itertools import chain

from specwalk.errors import BadInput
from specwalk.itf.reader import read_trace
from specwalk.itf.trace import Json, Trace, leaves, model_values
from specwalk.values import ModelValue, Value, in_order, show

__all__ = ["write_trace"]

FORMAT = "https://apalache-mc.org/docs/adr/015adr-trace.html"
# Integers beyond are not the same in every reader of JSON.
SAFE = 2**53 - 1


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
    values = [*chain(*trace.states, *(step.arguments for step in trace.steps if step))]
    again = read_trace(text, model_values(values))
    if (again.states, again.steps) != (trace.states, trace.steps):
        raise BadInput(f"The trace would read back as another one: {_reason(values)}.")
    return text


def _reason(values: Sequence[Value]) -> str:
    """Why a trace with some values reads back as another one, with what to do about it."""
    atoms = {atom.name for atom in model_values(values)}
    texts = sorted({leaf for leaf in leaves(values) if isinstance(leaf, str)})
    if alike := [text for text in texts if {text, text.partition("_OF_")[0]} & atoms]:
        return f"the string {show(alike[0])} reads like the model value of that name; rename one of the two"
    return "the arguments of a step are known by name alone; give them in order"


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
