"""The text of one TLA+ module, read and changed by SANY's locations.

Rule 1: what is not changed keeps its column, for columns align junction lists: the rest of a line
        behind a change goes to a line of its own, at the column where it stood.
Rule 2: tabs are expanded to multiples of eight, as SANY counts them; a module is ASCII, since TLC
        2.15 counts bytes.
"""

from specwalk.errors import BadInput
from specwalk.sany.tree import Location

__all__ = ["ModuleText"]


class ModuleText:
    """A module's lines.

    Raises:
        BadInput: it is not ASCII.
    """

    def __init__(self, name: str, text: str) -> None:
        if not text.isascii():
            raise BadInput(f"Module {name} is not ASCII. Write its signs as TLA+ spells them, such as \\in.")
        self.lines = text.expandtabs(8).split("\n")

    def at(self, place: Location) -> str:
        """The text at a location, its first line padded with blanks to its own column."""
        lines = self.lines[place.line - 1 : place.end_line]
        lines[-1] = lines[-1][: place.end_column]
        lines[0] = " " * (place.column - 1) + lines[0][place.column - 1 :]
        return "\n".join(lines)

    def on_one_line(self, place: Location) -> str:
        """The text at a location as a person would quote it."""
        return " ".join(self.at(place).split())

    def replaced(self, place: Location, text: str) -> str:
        """The whole module with other text at a location."""
        before = self.lines[place.line - 1][: place.column - 1]
        behind = self.lines[place.end_line - 1][place.end_column :]
        changed = [before + text, *([" " * place.end_column + behind] if behind.strip() else [])]
        return "\n".join([*self.lines[: place.line - 1], *changed, *self.lines[place.end_line :]])
