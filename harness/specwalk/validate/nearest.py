"""The legal readings nearest to a subject's lines: the fewest edits after which a behaviour explains them.

Rule 1: an edit adds a step of the spec that no line shows, drops a line, or reads a line as another step.
        Lines in another order, as far as they may be, are no edit.
Rule 2: readings with fewer edits are tried first. The search gives up after `MOST_EDITS` edits or
        `MOST_NODES` pairs of position and state.
Rule 3: of equally near ones those that add come before those that drop, and late edits before early ones.
        Not all are found: of those that come to one state in one position it is the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice

from specwalk.graph import Label
from specwalk.validate.history import History, Line, Position
from specwalk.validate.meaning import Meaning

__all__ = ["Edit", "EditKind", "nearest"]

MOST_EDITS = 3
MOST_NODES = 300_000
MOST_READINGS = 3

_Node = tuple[Position, int]  # and a state


class EditKind(Enum):
    """What has to be changed, the likeliest first."""

    MISSING = 1
    SURPLUS = 2
    OTHER = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of the logs; ``line`` is the one to drop or to change, or before which a step is missing
    (None at the end)."""

    kind: EditKind
    line: Line | None = None
    step: Label | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Move:
    """How a node was come to: by a line, by an edit, or by a step that goes unobserved."""

    origin: _Node | None = None
    line: Line | None = None
    edit: Edit | None = None


def nearest(history: History, meaning: Meaning) -> list[list[Edit]]:
    """Some nearest legal readings, each as its edits in order; none if there is none within the limits."""
    return _Search(history, meaning).run()


class _Search:
    def __init__(self, history: History, meaning: Meaning) -> None:
        self.history = history
        self.meaning = meaning
        self.moves: dict[_Node, _Move] = {}

    def run(self) -> list[list[Edit]]:
        level = [(self.history.start, state) for state in self.meaning.initial]
        self.moves.update(dict.fromkeys(level, _Move()))
        level = self.spread(level)
        for _ in range(MOST_EDITS):
            if len(self.moves) > MOST_NODES or any(node[0] == self.history.end for node in level):
                break
            level = [
                node
                for edits in (self.missing, self.surplus, self.other)
                for node in self.spread(
                    [there for node in reversed(level) for there in self.new(edits(node))]
                )
            ]
        return _likeliest([self.edits(node) for node in level if node[0] == self.history.end])

    def spread(self, nodes: list[_Node]) -> list[_Node]:
        """Some nodes and those that are come to from them without an edit."""
        for node in nodes:  # grows while it is read
            nodes += self.new(self.moves_without_edit(node))
        return nodes

    def new(self, moves: Iterator[tuple[_Node, _Move]]) -> Iterator[_Node]:
        """The nodes that some moves are the first to come to."""
        for node, move in moves:
            if node not in self.moves:
                self.moves[node] = move
                yield node

    def moves_without_edit(self, node: _Node) -> Iterator[tuple[_Node, _Move]]:
        position, state = node
        for line, behind in self.history.next(position):
            for target in self.meaning.targets(line.event.reading.sight, state):
                yield (behind, target), _Move(origin=node, line=line)
            if line.optional:
                yield (behind, state), _Move(origin=node, line=line)
        for target in self.meaning.unseen(state):
            yield (position, target), _Move(origin=node)

    def missing(self, node: _Node) -> Iterator[tuple[_Node, _Move]]:
        """Take a step that no line shows."""
        position, state = node
        for step, target in self.meaning.seen(state):
            yield (position, target), _Move(origin=node, edit=Edit(kind=EditKind.MISSING, step=step))

    def surplus(self, node: _Node) -> Iterator[tuple[_Node, _Move]]:
        """Drop a line."""
        position, state = node
        for line, behind in self.history.ready(position):
            yield (behind, state), _Move(origin=node, line=line, edit=Edit(kind=EditKind.SURPLUS))

    def other(self, node: _Node) -> Iterator[tuple[_Node, _Move]]:
        """Read a line as another step."""
        position, state = node
        for line, behind in self.history.ready(position):
            for step, target in self.meaning.seen(state):
                edit = Edit(kind=EditKind.OTHER, step=step)
                yield (behind, target), _Move(origin=node, line=line, edit=edit)

    def edits(self, node: _Node) -> list[Edit]:
        """The edits on the way to a node."""
        found: list[Edit] = []
        behind: Line | None = None
        move = self.moves[node]
        while move.origin is not None:
            behind = move.line or behind
            if move.edit is not None:
                found.append(replace(move.edit, line=behind))
            move = self.moves[move.origin]
        return found[::-1]


def _likeliest(readings: list[list[Edit]]) -> list[list[Edit]]:
    """The first few that differ, by the kinds of their edits."""
    ordered = sorted(readings, key=lambda edits: sorted(edit.kind.value for edit in edits))
    distinct = (edits for n, edits in enumerate(ordered) if edits not in ordered[:n])
    return list(islice(distinct, MOST_READINGS))
