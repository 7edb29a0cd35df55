"""TLA+ values as Python values: immutable, hashable, compared by content.

Rule 1: one TLA+ value has one Python value, whatever text or object it came from:

    3, TRUE, "a"                    int, bool, str
    model value                     ModelValue
    <<1, 2>>, functions on 1..n     tuple        (so the empty function is the empty tuple)
    {1, 2}, 1..3                    frozenset
    other functions, records        Function     (a record is a Function whose keys are str)

Rule 2: `parse` reads what TLC prints, `freeze` reads what a user's model returns, `show` writes
TLA+ text again; `parse(show(v)) == v`.
Rule 3: what has no TLA+ counterpart (None, floats, arbitrary objects) is an error, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, TypeVar

from specwalk.errors import BadInput

__all__ = [
    "Function",
    "ModelValue",
    "Value",
    "freeze",
    "function",
    "in_order",
    "is_typed_as",
    "named",
    "parse",
    "parse_step",
    "show",
    "unescape",
]

Value: TypeAlias = "int | bool | str | ModelValue | tuple[Value, ...] | frozenset[Value] | Function"

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class ModelValue:
    """A TLC model value: equal to itself alone, not to the string of the same letters."""

    name: str

    def __hash__(self) -> int:
        return hash(self.name)  # which a string keeps; that of a tuple around it is made each time

    def __repr__(self) -> str:
        return f"ModelValue({self.name!r})"


@cache
def named(name: str) -> Value:
    """What a name in TLC's input and output stands for: a truth value, or the model value of that name,
    which is one object each time, since looking things up by one object is fast."""
    return name == "TRUE" if name in ("TRUE", "FALSE") else ModelValue(name)


class Function(Mapping[Value, Value]):
    """An immutable function or record; equal to any mapping with the same content."""

    __slots__ = ("_content", "_hash")

    def __init__(self, content: Mapping[Value, Value]) -> None:
        self._content = dict(content)
        self._hash = hash(frozenset(self._content.items()))

    def __getitem__(self, key: Value) -> Value:
        return self._content[key]

    def __iter__(self) -> Iterator[Value]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Function):
            return self._hash == other._hash and self._content == other._content
        return self._content == other if isinstance(other, Mapping) else NotImplemented

    def __reduce__(self) -> tuple[type[Function], tuple[dict[Value, Value]]]:
        # The hashes of texts differ from process to process, so a stored one must not travel.
        return Function, (self._content,)

    def __repr__(self) -> str:
        return f"Function({self._content!r})"


def function(content: Mapping[Value, Value]) -> Value:
    """The value of a function with this content: a tuple when its domain is 1..n (Rule 1)."""
    if all(k in content for k in range(1, len(content) + 1)):
        return tuple(content[k] for k in range(1, len(content) + 1))
    return Function(content)


def freeze(thing: object) -> Value:
    """The TLA+ value that a Python object stands for.

    Mappings become functions, lists and tuples sequences, sets sets, at any depth.
    Raises BadInput on anything else than those, int, bool, str and ModelValue.
    """
    match thing:
        case bool() | ModelValue():
            return thing
        case int():
            return int(thing)
        case str():
            return str.__str__(thing)
        case list() | tuple():
            return tuple(map(freeze, thing))
        case AbstractSet():
            return frozenset(map(freeze, thing))
        case Mapping():
            return function({freeze(k): freeze(v) for k, v in thing.items()})
    raise BadInput(
        f"{thing!r} ({type(thing).__name__}) is not a TLA+ value; "
        "use int, bool, str, ModelValue, or a list, tuple, set or dict of such"
    )


_ATOMS = frozenset((bool, int, str, ModelValue))


def is_typed_as(thing: object, value: Value) -> bool:
    """Whether an object that equals a value is made of the same types: in Python True is 1 and 1.0 is 1,
    in TLA+ TRUE is no number and there are no floats."""
    if type(value) in _ATOMS and type(thing) is type(value):
        return True
    if isinstance(value, Function) and isinstance(thing, Mapping):
        return all(map(is_typed_as, map(thing.__getitem__, value), value._content.values()))
    if isinstance(value, tuple) and isinstance(thing, list | tuple):
        return all(map(is_typed_as, thing, value))
    if isinstance(value, tuple) and isinstance(thing, Mapping):
        return all(is_typed_as(thing[place], item) for place, item in enumerate(value, 1))
    if isinstance(value, frozenset) and isinstance(thing, AbstractSet):
        return sorted(show(freeze(item)) for item in thing) == sorted(map(show, value))
    return isinstance(thing, bool) is isinstance(value, bool) and not isinstance(thing, float)


_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t", "f": "\f", "r": "\r"}
_ESCAPED = {ord(char): f"\\{letter}" for letter, char in _ESCAPES.items()}
_IDENTIFIER = re.compile(r"\w*[^\W\d]\w*\Z")


def unescape(text: str) -> str:
    r"""The characters of a TLA+ string given without its quotes: `\n` is a newline."""
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), text)


def show(value: Value) -> str:
    """The TLA+ text of a value; sets and functions in a fixed order."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case str():
            return f'"{value.translate(_ESCAPED)}"'
        case ModelValue():
            return value.name
        case tuple():
            return f"<<{', '.join(map(show, value))}>>"
        case frozenset():
            return f"{{{', '.join(text for _, text in _in_order_shown(value))}}}"
    if all(isinstance(key, str) and _IDENTIFIER.match(key) for key in value):
        return f"[{', '.join(f'{key} |-> {show(value[key])}' for key in in_order(value))}]"
    return f"({' @@ '.join(f'{text} :> {show(value[key])}' for key, text in _in_order_shown(value))})"


def in_order(values: Iterable[Value]) -> list[Value]:
    """Values in a fixed order: numbers by size, then everything else by its text."""
    return [value for value, _ in _in_order_shown(values)]


def _in_order_shown(values: Iterable[Value]) -> list[tuple[Value, str]]:
    """Values in that order, each with its text, which is made once: twice at every depth would never end."""
    shown = [(value, show(value)) for value in values]
    return sorted(shown, key=lambda pair: (0, pair[0], "") if type(pair[0]) is int else (1, 0, pair[1]))


# As many as TLC enumerates in a set unless it is told otherwise (-maxSetSize).
LARGEST_INTERVAL = 1_000_000

_TOKEN = re.compile(
    r'\s*(?:(?P<number>-?\d+(?!\w))|"(?P<string>[^"\\]*(?:\\.[^"\\]*)*)"|(?P<name>\w+)'
    r"|(?P<mark><<|>>|\|->|:>|@@|\.\.|[{}\[\](),]))",
    re.DOTALL,
)


@cache
def parse(text: str) -> Value:
    """The value that TLC printed as `text` (line breaks included, as PrintT makes them).

    Raises BadInput where the text is no value, or a set too large for TLC to enumerate.
    """
    reader = _Reader(text)
    value = reader.value()
    if reader.mark != "":
        raise reader.error()
    return value


def parse_step(text: str) -> tuple[str, tuple[Value, ...]]:
    """The action and the arguments of an action instance such as ``Lose(o1)``.

    Raises BadInput where the text is none.
    """
    action, opening, rest = text.partition("(")
    if not opening:
        return action, ()
    arguments = parse(f"<<{rest.removesuffix(')')}>>")
    if not rest.endswith(")") or not isinstance(arguments, tuple):
        raise BadInput(f"{text!r} is no action instance such as Lose(o1)")
    return action, arguments


class _Reader:
    """Recursive descent over the tokens of one text; always one token ahead.

    `mark` is the punctuation met ("" at the end of the text), or None before `atom`.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.mark: str | None = None
        self.atom: Value = 0
        self.advance()

    def error(self) -> BadInput:
        return BadInput(f"no value as TLC prints them, near position {self.place} of {self.text!r}")

    def advance(self) -> None:
        found = _TOKEN.match(self.text, self.place)
        if found is None:
            if self.text[self.place :].strip():
                raise self.error()
            self.mark = ""
            return
        self.place = found.end()
        self.mark = found["mark"]
        if self.mark is None:
            self.atom = _atom(found)

    def expect(self, mark: str) -> None:
        if self.mark != mark:
            raise self.error()
        self.advance()

    def value(self) -> Value:
        match self.mark:
            case None:
                return self.atom_or_interval()
            case "<<":
                return tuple(self.items(self.value, ">>"))
            case "{":
                return frozenset(self.items(self.value, "}"))
            case "[":
                return function(dict(self.items(self.field, "]")))
            case "(":
                return self.pairs()
        raise self.error()

    def take_atom(self) -> Value:
        if self.mark is not None:
            raise self.error()
        atom = self.atom
        self.advance()
        return atom

    def atom_or_interval(self) -> Value:
        low = self.take_atom()
        if self.mark != "..":
            return low
        self.advance()
        high = self.take_atom()
        if type(low) is not int or type(high) is not int:
            raise self.error()
        if high - low >= LARGEST_INTERVAL:
            raise BadInput(f"{low}..{high} has more than {LARGEST_INTERVAL} elements; bound it in the spec")
        return frozenset(range(low, high + 1))

    def items(self, item: Callable[[], _Item], close: str) -> list[_Item]:
        self.advance()
        found = [item()] if self.mark != close else []
        while self.mark == ",":
            self.advance()
            found.append(item())
        self.expect(close)
        return found

    def field(self) -> tuple[Value, Value]:
        name = self.take_atom()
        if not isinstance(name, ModelValue):
            raise self.error()
        self.expect("|->")
        return name.name, self.value()

    def pairs(self) -> Value:
        content = {}
        while self.mark in ("(", "@@"):
            self.advance()
            key = self.value()
            self.expect(":>")
            content[key] = self.value()
        self.expect(")")
        return function(content)


def _atom(found: re.Match[str]) -> Value:
    if found["number"] is not None:
        return int(found["number"])
    if found["string"] is not None:
        return unescape(found["string"])
    return named(found["name"])
