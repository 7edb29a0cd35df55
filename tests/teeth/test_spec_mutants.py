r"""The mutants of a tiny spec are those listed by hand, and survivors are held against the table."""

import re
from pathlib import Path

import pytest

from specwalk.config import parse_config
from specwalk.errors import BadInput
from specwalk.tlc import Workspace, find_toolchain
from tests.teeth.spec_edits import Change
from tests.teeth.spec_judge import Caught, Judged
from tests.teeth.spec_mutants import Mutant, mutants
from tests.teeth.spec_mutation import summary
from tests.teeth.survivors import problems

SPEC = r"""
---- MODULE M ----
EXTENDS Naturals
CONSTANTS Max, Open, Names
VARIABLES x, y
Init == x = 0 /\ y = FALSE
Room(n) == x + n <= Max \* not < but <=
Up(n) ==
    /\ Room(n)
    /\ x' = x + n /\ (y => /\ Open
                           /\ Names # {})
    /\ UNCHANGED y
Flip == /\ x \in 0..Max
        /\ y' = IF x > 1 THEN ~y ELSE TRUE
        /\ x' \in {x}
Rest == UNCHANGED <<x, y>>
Next == (\E n \in 1..2 : Up(n)) \/ Flip \/ Rest
Fair == \A n \in 1..2 : WF_x(x < 9 /\ Up(n))
Spec == Init /\ [][Next]_<<x, y>> /\ Fair
Small == x < 7 /\ y = TRUE
====
"""
CONFIG = "SPECIFICATION Spec CONSTANTS Max = 4 Open = TRUE Names = {a} INVARIANT Small"

EXPECTED = r"""
Init: conjunct dropped: x = 0
Init: guard negated: x = 0
Init: numeral shifted: 0 becomes 1 in x = 0
Init: conjunct dropped: y = FALSE
Init: guard negated: y = FALSE
Init: truth value flipped: FALSE becomes TRUE in y = FALSE
Room: bound moved: <= becomes < in x + n <= Max
Room: constant shifted: Max becomes (Max + 1) in x + n <= Max
Room: constant shifted: Max becomes (Max - 1) in x + n <= Max
Up: conjunct dropped: Room(n)
Up: guard negated: Room(n)
Up: conjunct dropped: x' = x + n
Up: update skipped: x' = x + n
Up: conjunct dropped: y => /\ Open /\ Names # {}
Up: guard negated: y => /\ Open /\ Names # {}
Up: conjunct dropped: Open
Up: guard negated: Open
Up: truth value flipped: Open becomes (~Open)
Up: conjunct dropped: Names # {}
Up: guard negated: Names # {}
Up: conjunct dropped: UNCHANGED y
Flip: conjunct dropped: x \in 0..Max
Flip: guard negated: x \in 0..Max
Flip: numeral shifted: 0 becomes 1 in x \in 0..Max
Flip: constant shifted: Max becomes (Max + 1) in x \in 0..Max
Flip: constant shifted: Max becomes (Max - 1) in x \in 0..Max
Flip: conjunct dropped: y' = IF x > 1 THEN ~y ELSE TRUE
Flip: update skipped: y' = IF x > 1 THEN ~y ELSE TRUE
Flip: condition negated: x > 1 in y' = IF x > 1 THEN ~y ELSE TRUE
Flip: bound moved: > becomes >= in y' = IF x > 1 THEN ~y ELSE TRUE
Flip: numeral shifted: 1 becomes 0 in y' = IF x > 1 THEN ~y ELSE TRUE
Flip: numeral shifted: 1 becomes 2 in y' = IF x > 1 THEN ~y ELSE TRUE
Flip: truth value flipped: TRUE becomes FALSE in y' = IF x > 1 THEN ~y ELSE TRUE
Flip: conjunct dropped: x' \in {x}
Flip: update skipped: x' \in {x}
Next: disjunct dropped: \E n \in 1..2 : Up(n)
Next: disjunct dropped: Flip
Next: disjunct dropped: Rest
Next: numeral shifted: 1 becomes 0 in 1..2
Next: numeral shifted: 1 becomes 2 in 1..2
Next: numeral shifted: 2 becomes 1 in 1..2
Next: numeral shifted: 2 becomes 3 in 1..2
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Mutant]:
    spec = tmp_path_factory.mktemp("tiny") / "M.tla"
    spec.write_text(SPEC)
    return mutants(spec, parse_config(CONFIG))


def test_the_mutants_of_a_tiny_spec_are_those_listed_by_hand(found: list[Mutant]) -> None:
    names = [mutant.name for mutant in found]
    assert sorted(names) == sorted(f"M!{line}" for line in EXPECTED.strip().splitlines())
    assert {mutant.change for mutant in found} == set(Change)


def test_a_mutant_differs_in_nothing_but_its_change(found: list[Mutant]) -> None:
    changed = {mutant.name.removeprefix("M!"): re.sub(r"\s+", " ", mutant.text) for mutant in found}
    whole = re.sub(r"\s+", " ", SPEC)

    def replaced(old: str, new: str) -> str:
        assert whole.count(old) == 1
        return whole.replace(old, new)

    assert changed["Up: guard negated: y => /\\ Open /\\ Names # {}"] == replaced(
        "(y => /\\ Open /\\ Names # {})", "(~( y => /\\ Open /\\ Names # {}) )"
    )
    assert changed["Up: conjunct dropped: Open"] == replaced("y => /\\ Open", "y => /\\ TRUE")
    assert changed["Flip: update skipped: x' \\in {x}"] == replaced("x' \\in {x}", "(UNCHANGED x)")
    assert changed["Room: bound moved: <= becomes < in x + n <= Max"] == replaced("n <= Max", "n < Max")
    assert changed["Next: disjunct dropped: Flip"] == replaced(
        "(\\E n \\in 1..2 : Up(n)) \\/ Flip \\/", "( \\E n \\in 1..2 : Up(n)) \\/"
    )


def test_a_list_behind_a_change_stays_aligned(found: list[Mutant]) -> None:
    (shifted,) = (mutant for mutant in found if mutant.name == "M!Up: conjunct dropped: x' = x + n")
    bullets = [
        line.rindex("/\\") for line in shifted.text.splitlines() if line.endswith("Open") or "#" in line
    ]
    assert len(bullets) == 2
    assert len(set(bullets)) == 1


def test_every_mutant_is_one_that_sany_takes(found: list[Mutant], tmp_path: Path) -> None:
    """Also where a change stands in front of an aligned list."""
    files = [tmp_path / f"M{number}.tla" for number in range(len(found))]
    for mutant, file in zip(found, files, strict=True):
        file.write_text(mutant.text.replace("MODULE M ", f"MODULE {file.stem} "))
    with Workspace(find_toolchain(), files[0]) as workspace:
        said = workspace.java("tla2sany.SANY", *(file.name for file in files))
    rejected = re.findall(r"^Could not parse module (\w+)|errors: .*", said.stdout, flags=re.MULTILINE)
    assert not rejected, said.stdout
    assert said.stdout.count("Semantic processing of module M") == len(found)


def test_init_and_next_may_be_named_one_by_one(found: list[Mutant], tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(SPEC)
    config = parse_config(CONFIG.replace("SPECIFICATION Spec", "INIT Init NEXT Next"))
    assert mutants(tmp_path / "M.tla", config) == found


def test_a_module_with_other_signs_than_ascii_is_refused(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(SPEC.replace("not < but <=", "not < but ≤"))
    with pytest.raises(BadInput, match="not ASCII"):
        mutants(tmp_path / "M.tla", parse_config(CONFIG))


def judged(name: str, caught: Caught) -> Judged:
    mutant = Mutant(name=name, change=Change.GUARD, module="M", text="")
    return Judged(mutant=mutant, caught=caught, where="here")


def test_a_survivor_stands_in_the_table_and_what_stands_there_survives() -> None:
    survivors = {"a", "c"}
    assert problems(survivors, {"a": "equal", "c": "equal"}, "table") == []
    unlisted, stale, gone = problems(survivors, {"a": "equal", "b": "equal", "d": "equal"}, "table")
    assert unlisted == "nothing notices this mutant: c"
    assert stale.endswith("does not survive: b")
    assert gone.endswith("does not survive: d")


def test_the_score_leaves_out_what_is_no_spec_and_names_what_only_a_number_noticed() -> None:
    kinds = (Caught.CLAIM, Caught.WALK, Caught.PIN, Caught.SURVIVED, Caught.INVALID)
    said = "\n".join(summary([judged(kind.name, kind) for kind in kinds]))
    assert "3/4 = 75.0%" in said
    assert "PIN (here)" in said
    assert "CLAIM" not in said
