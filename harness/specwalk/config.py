r"""TLC configuration files: what one says, as a value, and the stripped one for exporting a graph.

Rule 1: every keyword of TLC 2.15 and of its successors is understood; comments are `\* ...` and
`(* ... *)`, the latter nested.
Rule 2: constants are Python values (`specwalk.values`); an unknown name is a model value.
Rule 3: a name given twice as INIT, NEXT, SPECIFICATION, SYMMETRY or VIEW is an error, as in TLC.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from specwalk.errors import BadInput
from specwalk.values import Function, Value, named, show, unescape

__all__ = ["Config", "Override", "config_text", "parse_config", "read_config"]


_NO_CONSTANTS = Function({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """`name <- definition`; `name <- [scope] definition` holds in the module `scope` alone."""

    name: str
    definition: str
    scope: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One TLC configuration.

    `constants` maps each assigned constant to its value; the key of an operator's assignment
    `Op(1, 2) = 3` is the text `Op(1, 2)`. `assignments` are all CONSTANT entries as written:
    TLC orders model values and strings as it meets them, and CHOOSE follows that order.
    `others` are keywords without a bearing on graph or verdict, with the names that they give.
    """

    constants: Function = _NO_CONSTANTS
    overrides: tuple[Override, ...] = ()
    assignments: tuple[str, ...] = ()
    init: str | None = None
    next: str | None = None
    specification: str | None = None
    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    symmetry: str | None = None
    view: str | None = None
    alias: str | None = None
    postcondition: str | None = None
    check_deadlock: bool = True
    others: tuple[tuple[str, str], ...] = ()

    @property
    def definitions(self) -> dict[str, str]:
        """What stands for which operator throughout the root module: `name <- definition`."""
        return {o.name: o.definition for o in self.overrides if o.scope is None}

    def stripped(self) -> "Config":
        """What shapes the state graph, and nothing that is checked on it or reduces it."""
        return replace(
            Config(),
            constants=self.constants,
            overrides=self.overrides,
            assignments=self.assignments,
            init=self.init,
            next=self.next,
            specification=self.specification,
            constraints=self.constraints,
            action_constraints=self.action_constraints,
        )

    def __str__(self) -> str:
        """The configuration as TLC reads it, constants first."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for assignment in self.assignments:
            yield f"CONSTANT {assignment}"
        for keyword, field in _SINGLE.items():
            if name := getattr(self, field):
                yield f"{keyword} {name}"
        for keyword, field in _LISTS.items():
            for name in getattr(self, field):
                yield f"{keyword} {name}"
        if not self.check_deadlock:
            yield "CHECK_DEADLOCK FALSE"
        for keyword, name in self.others:
            yield f"{keyword} {name}"


_SINGLE = {
    "INIT": "init",
    "NEXT": "next",
    "SPECIFICATION": "specification",
    "SYMMETRY": "symmetry",
    "VIEW": "view",
    "ALIAS": "alias",
    "POSTCONDITION": "postcondition",
}
_LISTS = {
    "INVARIANT": "invariants",
    "PROPERTY": "properties",
    "CONSTRAINT": "constraints",
    "ACTION_CONSTRAINT": "action_constraints",
}
_PLURALS = {f"{keyword}S": field for keyword, field in _LISTS.items()} | {"PROPERTIES": "properties"}
_CONSTANTS = ("CONSTANT", "CONSTANTS")
_OTHERS = ("TYPE", "TYPE_CONSTRAINT", "_PERIODIC", "_RL_REWARD")
_KEYWORDS = {*_SINGLE, *_LISTS, *_PLURALS, *_CONSTANTS, *_OTHERS, "CHECK_DEADLOCK"}

_TOKEN = re.compile(
    r"(?P<comment>\(\*|\\\*.*)|(?P<blank>\s+)|(?P<number>-?\d+(?!\w))|(?P<name>[\w!]+)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")|(?P<mark><-|[={}()\[\],])'
)
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")


def read_config(path: Path) -> Config:
    """The configuration in a file.

    Raises:
        BadInput: there is no such file, it is not UTF-8, or TLC would not accept it.
    """
    return parse_config(config_text(path), where=str(path))


def config_text(path: Path) -> str:
    """The text of a configuration file.

    Raises:
        BadInput: there is no such file, or it is not UTF-8.
    """
    if not path.is_file():
        beside = ", ".join(sorted(other.name for other in path.parent.glob("*.cfg")))
        there = f" There are {beside}." if beside else ""
        raise BadInput(f"No configuration at {path}.{there} Give the path of a TLC .cfg file.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        line = path.read_bytes().count(b"\n", 0, problem.start) + 1
        raise BadInput(f"{path}, line {line}: not UTF-8. Save the file in that encoding.") from problem


def parse_config(text: str, where: str = "the configuration") -> Config:
    """The configuration that a text describes; `where` names it in errors.

    Raises:
        BadInput: with the line, where the text is no TLC configuration.
    """
    return _Parser(text, where).config()


class _Parser:
    """One pass over the tokens: sections, each a keyword and what follows up to the next one."""

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.tokens = list(_tokens(text, where))
        self.place = 0
        self.constants: dict[Value, Value] = {}
        self.settings: dict[str, Any] = defaultdict(list)

    def error(self, problem: str) -> BadInput:
        lines = [line for line, _ in self.tokens[: self.place + 1]]
        return BadInput(f"{self.where}, line {lines[-1] if lines else 1}: {problem}")

    @property
    def token(self) -> str:
        """The token ahead; the empty text at the end."""
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.token
        self.place += 1
        return token

    def take_mark(self, mark: str) -> None:
        if self.token != mark:
            raise self.error(f"expected {mark}, found {self.token or 'the end'}.")
        self.take()

    def take_name(self) -> str:
        if self.token in _KEYWORDS or not re.match(r"[\w!]", self.token):
            raise self.error(f"expected a name, found {self.token or 'the end'}.")
        return self.take()

    def config(self) -> Config:
        while keyword := self.take():
            if keyword in _CONSTANTS:
                for _ in self.section():
                    self.constant()
            elif keyword in _SINGLE:
                self.once(keyword)
            elif field := _LISTS.get(keyword) or _PLURALS.get(keyword):
                self.settings[field].extend(self.take_name() for _ in self.section())
            elif keyword == "CHECK_DEADLOCK":
                self.settings["check_deadlock"] = self.truth()
            elif keyword in _OTHERS:
                self.settings["others"].append((keyword, self.take_name()))
            else:
                self.place -= 1
                raise self.error(f"{keyword} is no keyword of a TLC configuration.")
        sequences = {k: tuple(v) for k, v in self.settings.items() if isinstance(v, list)}
        return Config(constants=Function(self.constants), **{**self.settings, **sequences})

    def section(self) -> Iterator[None]:
        """One turn per item up to the next keyword or the end."""
        while self.token and self.token not in _KEYWORDS:
            yield

    def once(self, keyword: str) -> None:
        if _SINGLE[keyword] in self.settings:
            raise self.error(f"{keyword} is given twice; keep one.")
        self.settings[_SINGLE[keyword]] = self.take_name()

    def truth(self) -> bool:
        if self.token not in ("TRUE", "FALSE"):
            raise self.error(f"expected TRUE or FALSE, found {self.token or 'the end'}.")
        return self.take() == "TRUE"

    def constant(self) -> None:
        start = self.place
        name = self.take_name()
        if self.token == "(":
            name += f"({', '.join(map(show, self.values('(', ')')))})"
        if self.token == "=":
            self.take()
            self.constants[name] = self.value()
        else:
            self.take_mark("<-")
            self.settings["overrides"].append(self.override(name))
        written = " ".join(token for _, token in self.tokens[start : self.place])
        self.settings["assignments"].append(written)

    def override(self, name: str) -> Override:
        scope = None
        if self.token == "[":
            self.take()
            scope = self.take_name()
            self.take_mark("]")
        return Override(name=name, definition=self.take_name(), scope=scope)

    def value(self) -> Value:
        if self.token == "{":
            return frozenset(self.values("{", "}"))
        if self.token.startswith('"'):
            return unescape(self.take()[1:-1])
        name = self.take_name() if not self.token.startswith("-") else self.take()
        if re.fullmatch(r"-?\d+", name):
            return int(name)
        return named(name)

    def values(self, opening: str, closing: str) -> list[Value]:
        self.take_mark(opening)
        found = []
        while self.token != closing:
            found.append(self.value())
            if self.token != closing:
                self.take_mark(",")
        self.take()
        return found


def _tokens(text: str, where: str) -> Iterator[tuple[int, str]]:
    """Every token with its line, comments and blanks left out."""
    place, line = 0, 1
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise BadInput(f"{where}, line {line}: {text[place]!r} has no place in a configuration.")
        end = found.end()
        if found[0] == "(*":
            end = _comment_end(text, end)
        elif found.lastgroup not in ("comment", "blank"):
            yield line, found[0]
        line += text.count("\n", place, end)
        place = end


def _comment_end(text: str, place: int) -> int:
    """Where the comment opened just before `place` ends: at the end of the text if nowhere."""
    depth = 1
    while depth and (edge := _COMMENT_EDGE.search(text, place)):
        depth += 1 if edge[0] == "(*" else -1
        place = edge.end()
    return place if not depth else len(text)
