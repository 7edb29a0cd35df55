"""Python source for values and calls, laid out as formatters of Python lay it out.

Rule 1: what fits in a line stands in a line; else each part has a line of its own, and a comma after it.
Rule 2: what a value's source evaluates to is that value, once it is frozen.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from keyword import iskeyword
from typing import TypeAlias

from specwalk.values import Function, ModelValue, Value, in_order

__all__ = ["Names", "Source", "call", "entries", "layout", "literal"]

WIDTH = 110
# What has no place in a line, and what looks like a blank.
_ESCAPED = {code: repr(chr(code))[1:-1] for code in (*range(32), ord("\\"), *range(127, 161))}

Names: TypeAlias = Mapping[ModelValue, str]
Source: TypeAlias = "str | Group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Parts in brackets, each behind its key or name. ``comma`` follows a last part in the same line, too."""

    opening: str
    parts: tuple[tuple[str, Source], ...]
    closing: str
    comma: bool = False

    def __str__(self) -> str:
        inner = ", ".join(f"{prefix}{part}" for prefix, part in self.parts)
        return f"{self.opening}{inner}{',' if self.comma else ''}{self.closing}"


def call(function: str, arguments: Iterable[Source], named: Mapping[str, Source]) -> Source:
    """A call. Names that Python does not allow for keyword arguments go in a dictionary."""
    plain = {name: part for name, part in named.items() if name.isidentifier() and not iskeyword(name)}
    other = tuple((f"{literal(name, {})}: ", part) for name, part in named.items() if name not in plain)
    parts = [("", part) for part in arguments]
    parts += [(f"{name}=", part) for name, part in plain.items()]
    parts += [("**", Group(opening="{", parts=other, closing="}"))] if other else []
    return Group(opening=f"{function}(", parts=tuple(parts), closing=")")


def literal(value: Value, names: Names, *, hashable: bool = False) -> Source:
    """The source of a value.

    Args:
        names: what the model values are called.
        hashable: whether it stands in a set or is a key.
    """
    match value:
        case bool() | int():
            return str(value)
        case str():
            return _string(value)
        case ModelValue():
            return names[value]
        case tuple():
            parts = tuple(("", literal(item, names, hashable=hashable)) for item in value)
            return Group(opening="(", parts=parts, closing=")", comma=len(parts) == 1)
        case frozenset():
            items = tuple(("", literal(item, names, hashable=True)) for item in in_order(value))
            braces = Group(opening="{", parts=items, closing="}")
            return call("frozenset", [braces] if items else [], {}) if hashable or not items else braces
    pairs = entries(value, value, names, hashable=hashable)
    return call("Function", [pairs], {}) if hashable else pairs


def entries(function: Function, keys: Iterable[Value], names: Names, *, hashable: bool = False) -> Source:
    """The source of some entries of a function, as a dictionary."""
    parts = (
        (f"{literal(key, names, hashable=True)}: ", literal(function[key], names, hashable=hashable))
        for key in in_order(keys)
    )
    return Group(opening="{", parts=tuple(parts), closing="}")


def layout(source: Source, *, indent: int = 0, before: str = "") -> str:
    """The lines of a statement: what stands before an expression, and the expression."""
    margin = " " * indent
    return f"{margin}{before}{''.join(_lines(source, margin, before))}"


def _lines(source: Source, indent: str, before: str) -> Iterator[str]:
    """``before`` is what stands in the first line already, indentation aside."""
    if isinstance(source, str) or not source.parts or len(f"{indent}{before}{source}") < WIDTH:
        yield str(source)
        return
    yield f"{source.opening}\n"
    inner = f"{indent}    "
    for prefix, part in source.parts:
        yield f"{inner}{prefix}"
        yield from _lines(part, inner, prefix)
        yield ",\n"
    yield f"{indent}{source.closing}"


def _string(text: str) -> str:
    """A string in the quotes that need fewer escapes, double ones if in doubt."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return f"{quote}{text.translate(_ESCAPED).replace(quote, chr(92) + quote)}{quote}"
