"""SANY's tree, source texts by location, and which formulas are Init and Next."""

from pathlib import Path

import pytest

from specwalk import tlc
from specwalk.config import parse_config
from specwalk.errors import BadInput
from specwalk.label.behaviour import find_behaviour
from specwalk.sany.reader import parse_tree
from specwalk.sany.sources import Sources, read_sources
from specwalk.sany.tree import Apply, Definition, Let, Level, Location, Tree

SPECS = Path(__file__).parent / "specs"


@pytest.fixture(scope="module")
def tree() -> Tree:
    with tlc.Workspace(tlc.find_toolchain(), SPECS / "X.tla") as workspace:
        return parse_tree(workspace.java("tla2sany.xml.XMLExporter", "-o", "X.tla").stdout)


def defined(tree: Tree, name: str) -> Definition:
    definition = tree.definition(tree.root, name)
    assert definition is not None
    return definition


def test_variables_stand_in_the_order_of_the_source(tree: Tree) -> None:
    assert (tree.root.name, tree.root.variables) == ("X", ("x", "y"))


def test_instances_have_their_parameters(tree: Tree) -> None:
    instances = [instance for instance in tree.root.instances if instance.location.module == "X"]
    assert [(i.name, i.parameters, i.module) for i in instances] == [
        ("I", (), "Inner"),
        ("J", ("k",), "Inner"),
    ]


def test_definitions_have_level_parameters_and_source(tree: Tree) -> None:
    act = defined(tree, "Act")
    assert [parameter.name for parameter in act.parameters] == ["p", "q"]
    assert (act.level, act.recursive, act.source) == (Level.ACTION, False, None)
    assert defined(tree, "R").recursive
    assert [parameter.arity for parameter in defined(tree, "Hi").parameters] == [1, 0]
    up = defined(tree, "J!Up")
    assert [parameter.name for parameter in up.parameters] == ["k", "n"]
    assert up.source is not None
    assert tree.modules[up.source].name == "Inner"


def test_bounds_know_their_tuples_and_domains(tree: Tree) -> None:
    two = defined(tree, "Two").body
    assert isinstance(two, Apply)
    assert tree.builtin(two) == "$BoundedExists"
    (bound,) = two.bounds
    assert (bound.names, bound.tuple) == (("u", "v"), True)
    let = defined(tree, "Lt").body
    assert isinstance(let, Let)
    assert isinstance(let.body, Apply)
    assert [bound.names for bound in let.body.bounds] == [("r", "s"), ("t",)]


@pytest.mark.parametrize("xml", ["", "<modules>", "no xml"])
def test_what_is_no_tree_is_an_error(xml: str) -> None:
    with pytest.raises(BadInput, match="Check that TLC accepts it"):
        parse_tree(xml)


def test_a_specification_is_walked_to_init_and_next(tree: Tree) -> None:
    behaviour = find_behaviour(tree, parse_config("SPECIFICATION Spec CONSTANT N = 3"))
    assert behaviour.owner == "Next"
    assert behaviour.next == defined(tree, "Next").body
    assert behaviour.init == (Location(module="X", line=33, column=9, end_line=33, end_column=12),)


def test_init_and_next_are_taken_by_name(tree: Tree) -> None:
    behaviour = find_behaviour(tree, parse_config("INIT Init NEXT Two CONSTANT N = 3"))
    assert (behaviour.init, behaviour.owner) == ("Init", "Two")
    overridden = find_behaviour(tree, parse_config("INIT Init NEXT Nxt CONSTANT Nxt <- Two"))
    assert overridden.next == behaviour.next


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("", "names no behaviour"),
        ("INIT Init", "names no behaviour"),
        ("INIT Init NEXT Gone", "NEXT Gone: module X defines no Gone"),
        ("INIT Gone NEXT Next", "INIT Gone: module X defines no Gone"),
        ("SPECIFICATION Init", "has 0 conjuncts"),
    ],
)
def test_a_behaviour_that_is_not_there(tree: Tree, config: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        find_behaviour(tree, parse_config(config))


def at(line: int, column: int, end_line: int, end_column: int) -> Location:
    return Location(module="M", line=line, column=column, end_line=end_line, end_column=end_column)


def test_a_copy_keeps_its_columns() -> None:
    sources = Sources({"M": "A == /\\ x = 1\n     /\\ y = 2 \\* rest\n"})
    assert sources.copy(at(1, 6, 2, 13)) == "     /\\ x = 1\n     /\\ y = 2"


def test_tabs_count_up_to_the_next_multiple_of_eight() -> None:
    assert Sources({"M": "ab\tcd\tef"}).copy(at(1, 9, 1, 10)) == "        cd"


def test_a_character_beyond_sixteen_bits_fills_two_columns() -> None:
    assert Sources({"M": '"🎉" + a'}).copy(at(1, 8, 1, 8)).strip() == "a"
    assert '"🎉"' in Sources({"M": '"🎉" + a'}).copy(at(1, 1, 1, 4))


def test_a_fresh_name_is_in_no_module() -> None:
    assert Sources({"M": "a", "N": "answer"}).fresh("sw") == "swz"
    assert Sources({"M": "a"}).fresh("sw") == "sw"


def test_local_is_blanked_where_it_qualifies_and_nowhere_else(tmp_path: Path) -> None:
    text = 'LOCAL INSTANCE Naturals\n  LOCAL f(x) == "LOCAL y"\nLOCALLY == 1 \\* LOCAL\n'
    (tmp_path / "M.tla").write_text(text)
    read_sources(tmp_path, "iso-8859-1")
    assert (tmp_path / "M.tla").read_text() == (
        '      INSTANCE Naturals\n        f(x) == "LOCAL y"\nLOCALLY == 1 \\* LOCAL\n'
    )
