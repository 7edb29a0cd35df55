"""The alphabet: every action instance that Next speaks of, whether or not a state enables it.

Rule 1: the alphabet of an action is the product of its parameters' domains, as Next writes them:
sets that `\\E` ranges over, and arguments of calls. A domain that depends on the state contributes
every value that it takes anywhere in the graph (with an ACTION_CONSTRAINT, also in the states to
which it closes the way: TLC evaluates invariants there too).
Rule 2: guards, IF and CASE do not narrow it.
Rule 3: TLC itself evaluates the domains: beside each twin `A_tag(p)` stand the sets of events that
it can make, so that `\\E p \\in S : A(p)` becomes `UNION {A_set_tag(p) : p \\in S}`; what depends on
constants alone is evaluated with the initial states, the rest as an invariant.
Rule 4: where a domain has no value in some state (the head of an empty queue), those that depend on
the state are evaluated only where the conditions before them hold; where even that fails, the
parameters seen on edges are taken.
"""

from collections.abc import Iterable, Sequence
from enum import Enum

from specwalk.label.render import Renderer, joined
from specwalk.label.skeleton import All, Arm, Call, Case, Choice, If, Leaf, Pick, Skeleton, Twin, Within
from specwalk.label.spec import Names
from specwalk.sany.sources import Sources

__all__ = ["EventSetText", "Part"]


class Part(Enum):
    """Which events of a twin: all, or those whose parameters do or do not depend on the state."""

    ALL = "set"
    CONSTANT = "constant"
    STATE = "state"


class EventSetText(Renderer):
    """Writes a twin's set of events, as texts; an empty text is an empty set.

    Args:
        guarded: whether conditions count, except for what depends on constants alone (Rule 4).
    """

    def __init__(
        self, sources: Sources, names: Names, part: Part = Part.ALL, *, guarded: bool = False
    ) -> None:
        super().__init__(sources, names)
        self.part = part
        self.guarded = guarded

    def of(self, part: Part) -> "EventSetText":
        """The same for another part."""
        return EventSetText(self.sources, self.names, part, guarded=self.guarded)

    @property
    def conditional(self) -> bool:
        """Whether conditions count here."""
        return self.guarded and self.part is not Part.CONSTANT

    def within_choice(self, constant: bool) -> "EventSetText | None":
        """How to go on below parameters that are constant or not; None where nothing is wanted."""
        if constant or self.part is Part.ALL:
            return self
        return self.of(Part.ALL) if self.part is Part.STATE else None

    def twin_name(self, twin: Twin) -> str:
        return self.names.of(f"{twin.name}_{self.part.value}")

    def definitions(self, twin: Twin) -> str:
        parts = (self.of(part) for part in Part)
        return "".join(part.definition(twin) for part in parts if part.text(twin.body))

    def text(self, skeleton: Skeleton) -> str:
        match skeleton:
            case Leaf() if self.part is Part.STATE:
                return ""
            case Leaf():
                return f"{{{self.names.of('Text')}({self.event(skeleton)})}}"
            case Choice(branches=branches):
                return self.union(branches)
            case If(guard=guard, then=then, otherwise=otherwise):
                return self.either([Arm(guard=guard, body=then), Arm(guard=None, body=otherwise)])
            case Case(arms=arms):
                return self.either(arms)
            case Pick():
                return self.pick(skeleton)
            case All():
                return self.conjunction(skeleton)
            case Within():
                return self.within(skeleton) if self.text(skeleton.body) else ""
            case Call():
                below = self.within_choice(skeleton.constant)
                return below.call(skeleton) if below and below.text(skeleton.twin.body) else ""

    def union(self, parts: Iterable[Skeleton]) -> str:
        texts = [text for part in parts if (text := self.text(part))]
        return joined(" \\cup ", texts) if texts else ""

    def either(self, arms: Sequence[Arm]) -> str:
        """The branches of IF and CASE: all of them, or the one that is taken."""
        texts = [self.text(arm.body) for arm in arms]
        if not self.conditional or not any(texts):
            return self.union(arm.body for arm in arms)
        written = [
            f"{self.copy(arm.guard) if arm.guard else 'OTHER'} -> {text or '{}'}"
            for arm, text in zip(arms, texts, strict=True)
        ]
        return f"(CASE {' [] '.join(written)})"

    def pick(self, pick: Pick) -> str:
        below = self.within_choice(all(bounds.constant for bounds in pick.bounds))
        body = below.text(pick.body) if below else ""
        return f"(UNION {{{body} : {self.bounds(pick.bounds)}}})" if body else ""

    def conjunction(self, conjunction: All) -> str:
        chosen = self.text(conjunction.choice)
        if not (self.conditional and conjunction.guards and chosen):
            return chosen
        guards = joined(" /\\ ", map(self.copy, conjunction.guards))
        return f"(IF {guards} THEN {chosen} ELSE {{}})"
