"""Reads the XML that SANY's exporter writes into the semantic tree.

The structure is the same in TLC 2.15 and its successors; what they add is not looked at.
"""

import xml.etree.ElementTree as ElementTree
from xml.etree.ElementTree import Element

from specwalk.errors import BadInput
from specwalk.sany.tree import (
    Apply,
    Bound,
    BuiltIn,
    Declaration,
    Definition,
    Formula,
    Instance,
    Let,
    Location,
    Module,
    Other,
    Parameter,
    Symbol,
    Tree,
)

__all__ = ["parse_tree"]


def parse_tree(xml: str) -> Tree:
    """Read the exporter's XML.

    Raises:
        BadInput: it is empty or cut short, since SANY rejected the spec.
    """
    try:
        document = ElementTree.fromstring(xml)
    except ElementTree.ParseError as problem:
        raise BadInput(
            f"SANY gave no tree of this spec ({problem}). Check that TLC accepts it by itself."
        ) from problem
    return _Reader(document).tree()


class _Reader:
    """Turns entries into symbols and modules, formal parameters first, since formulas name them."""

    def __init__(self, document: Element) -> None:
        self.root_name = _text(document, "RootModule")
        self.entries = {int(_text(entry, "UID")): entry[1] for entry in document.iterfind("context/entry")}
        self.symbols: dict[int, Symbol] = {}

    def tree(self) -> Tree:
        modules: dict[int, Element] = {}
        for uid, entry in self.entries.items():
            if entry.tag == "ModuleNode":
                modules[uid] = entry
            elif symbol := self.symbol(uid, entry):
                self.symbols[uid] = symbol
        read = {uid: self.module(uid, entry) for uid, entry in modules.items()}
        root = next(module for module in read.values() if module.name == self.root_name)
        return Tree(root=root, modules=read, symbols=self.symbols)

    def symbol(self, uid: int, entry: Element) -> Symbol | None:
        name = entry.findtext("uniquename", "")
        match entry.tag:
            case "BuiltInKind":
                return BuiltIn(name=name)
            case "FormalParamNode":
                return Parameter(name=name, arity=int(_text(entry, "arity")))
            case "OpDeclNode":
                variable = _text(entry, "kind") == _VARIABLE
                return Declaration(
                    location=_location(entry),
                    name=name,
                    arity=int(_text(entry, "arity")),
                    variable=variable,
                )
            case "UserDefinedOpKind":
                return self.definition(uid, name, entry)
        return None

    def definition(self, uid: int, name: str, entry: Element) -> Definition:
        body = _child(entry, "body")[0]
        source = None
        while body.tag == "SubstInNode":
            source = int(_text(body, "instTo/ModuleNodeRef/UID"))
            body = _child(body, "body")[0]
        return Definition(
            uid=uid,
            name=name,
            location=_location(entry),
            level=_level(entry),
            parameters=tuple(
                self.parameter(ref) for ref in entry.iterfind("params/leibnizparam/FormalParamNodeRef")
            ),
            body=self.formula(body),
            recursive=entry.find("recursive") is not None,
            source=source,
        )

    def parameter(self, ref: Element) -> Parameter:
        entry = self.entries[int(_text(ref, "UID"))]
        return Parameter(name=_text(entry, "uniquename"), arity=int(_text(entry, "arity")))

    def formula(self, node: Element) -> Formula:
        if node.tag == "LabelNode":
            return self.formula(_child(node, "body")[0])
        if node.tag == "LetInNode":
            return Let(
                location=_location(node),
                level=_level(node),
                definitions=_uids(node, "opDefs/UserDefinedOpKindRef"),
                body=self.formula(_child(node, "body")[0]),
            )
        if node.tag == "OpApplNode":
            return Apply(
                location=_location(node),
                level=_level(node),
                operator=int(_text(_child(node, "operator")[0], "UID")),
                operands=tuple(map(self.formula, _child(node, "operands"))),
                bounds=tuple(map(self.bound, node.iterfind("boundSymbols/*"))),
            )
        located = node.find("location") is not None
        return Other(location=_location(node) if located else None, level=_level(node))

    def bound(self, node: Element) -> Bound:
        names = tuple(self.parameter(ref).name for ref in node.iterfind("FormalParamNodeRef"))
        domain = self.formula(node[-1]) if node.tag == "bound" else None
        return Bound(names=names, tuple=node.find("tuple") is not None, domain=domain)

    def module(self, uid: int, entry: Element) -> Module:
        symbols = map(self.symbols.get, _uids(entry, "OpDeclNodeRef"))
        variables = [s for s in symbols if isinstance(s, Declaration) and s.variable]
        return Module(
            uid=uid,
            name=_text(entry, "uniquename"),
            variables=tuple(s.name for s in sorted(variables, key=lambda s: s.location)),
            definitions=_uids(entry, "UserDefinedOpKindRef"),
            instances=tuple(map(self.instance, entry.iterfind("InstanceNode"))),
        )

    def instance(self, node: Element) -> Instance:
        return Instance(
            location=_location(node),
            name=node.findtext("uniquename"),
            parameters=tuple(self.parameter(ref).name for ref in node.iterfind("params/FormalParamNodeRef")),
            module=_text(node, "module"),
        )


_VARIABLE = "3"


def _text(node: Element, path: str) -> str:
    text = node.findtext(path)
    if text is None:
        raise BadInput(f"SANY's tree has a {node.tag} without {path}: this TLC version is unknown.")
    return text


def _child(node: Element, tag: str) -> Element:
    child = node.find(tag)
    if child is None:
        raise BadInput(f"SANY's tree has a {node.tag} without {tag}: this TLC version is unknown.")
    return child


def _uids(node: Element, path: str) -> tuple[int, ...]:
    return tuple(int(_text(ref, "UID")) for ref in node.iterfind(path))


def _level(node: Element) -> int:
    return int(node.findtext("level", "0"))


def _location(node: Element) -> Location:
    return Location(
        module=_text(node, "location/filename"),
        line=int(_text(node, "location/line/begin")),
        column=int(_text(node, "location/column/begin")),
        end_line=int(_text(node, "location/line/end")),
        end_column=int(_text(node, "location/column/end")),
    )
