"""TLC configurations: every keyword, comments, values, errors with their line, the stripped one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from specwalk.config import Config, Override, parse_config, read_config
from specwalk.errors import BadInput
from specwalk.pins import read_pin
from specwalk.values import Function, ModelValue

FULL = r"""
\* a line comment with INIT in it
(* a block (* nested, NEXT *) SPECIFICATION *)
CONSTANTS N = -3  Procs = {p2, p1}  Name = "a \"b\""  On = TRUE
  Op(1, a) = {{}, {1}}
  Nat <- Small
  Send <- [Channel] Lossy
CONSTANT M = M
SPECIFICATION Spec
INVARIANTS TypeOK Safe INVARIANT Live
PROPERTIES P1 P2
PROPERTY I!P3
CONSTRAINT C1 CONSTRAINTS C2 C3
ACTION_CONSTRAINT A1
ACTION_CONSTRAINTS A2 A3
SYMMETRY Perms VIEW Shown ALIAS Alias POSTCONDITION Post
CHECK_DEADLOCK FALSE
_PERIODIC Sometimes _RL_REWARD Reward TYPE T TYPE_CONSTRAINT TC
"""


def test_every_keyword_is_read() -> None:
    config = parse_config(FULL)
    assert config.constants == Function(
        {
            "N": -3,
            "Procs": frozenset({ModelValue("p1"), ModelValue("p2")}),
            "Name": 'a "b"',
            "On": True,
            "Op(1, a)": frozenset({frozenset(), frozenset({1})}),
            "M": ModelValue("M"),
        }
    )
    assert config.overrides == (
        Override(name="Nat", definition="Small"),
        Override(name="Send", definition="Lossy", scope="Channel"),
    )
    assert config.definitions == {"Nat": "Small"}
    assert config.specification == "Spec"
    assert config.invariants == ("TypeOK", "Safe", "Live")
    assert config.properties == ("P1", "P2", "I!P3")
    assert config.constraints == ("C1", "C2", "C3")
    assert config.action_constraints == ("A1", "A2", "A3")
    assert (config.symmetry, config.view, config.alias) == ("Perms", "Shown", "Alias")
    assert config.postcondition == "Post"
    assert config.check_deadlock is False
    assert dict(config.others) == {
        "_PERIODIC": "Sometimes",
        "_RL_REWARD": "Reward",
        "TYPE": "T",
        "TYPE_CONSTRAINT": "TC",
    }


def test_an_empty_configuration_checks_deadlock_and_names_nothing() -> None:
    assert parse_config(" \n\\* nothing\n") == Config()
    assert Config().check_deadlock is True


def test_what_is_written_reads_the_same() -> None:
    config = parse_config(FULL)
    assert parse_config(str(config)) == config


def test_model_values_stay_in_the_order_of_the_file() -> None:
    # TLC orders model values as it meets them, and CHOOSE follows that order.
    assert "Procs = { p2 , p1 }" in str(parse_config(FULL))


def test_the_stripped_configuration_keeps_what_shapes_the_graph() -> None:
    stripped = parse_config(FULL).stripped()
    assert stripped.constants == parse_config(FULL).constants
    assert stripped.specification == "Spec"
    assert stripped.constraints == ("C1", "C2", "C3")
    assert stripped.action_constraints == ("A1", "A2", "A3")
    assert (stripped.invariants, stripped.properties) == ((), ())
    assert (stripped.symmetry, stripped.view, stripped.alias, stripped.postcondition) == (None,) * 4
    # TLC 2.15 does not know the keyword.
    assert "CHECK_DEADLOCK" not in str(stripped)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n\nINIT", "line 3: expected a name, found the end"),
        ("INIT A\nINIT B", "line 2: INIT is given twice"),
        ("CONSTANT\n a", "line 2: expected <-, found the end"),
        ("CONSTANT a = {1, 2", "expected ,, found the end"),
        ("CONSTANT a = INIT", "expected a name, found INIT"),
        ("Foo = 3", "line 1: Foo is no keyword"),
        ("INIT A\n@", "line 2: '@' has no place"),
        ("CHECK_DEADLOCK maybe", "expected TRUE or FALSE, found maybe"),
        ("CONSTANT a <- [M] = 3", "expected a name, found ="),
    ],
)
def test_errors_tell_the_line(text: str, message: str) -> None:
    with pytest.raises(BadInput) as raised:
        parse_config(text, where="X.cfg")
    assert str(raised.value).startswith("X.cfg, line")
    assert message in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"No configuration at .*none\.cfg"):
        read_config(tmp_path / "none.cfg")
    (tmp_path / "Toy_small.cfg").touch()
    with pytest.raises(BadInput, match=r"There are Toy_small\.cfg\."):
        read_config(tmp_path / "none.cfg")


@pytest.mark.parametrize("read", [read_config, read_pin])
def test_a_file_in_another_encoding_is_told_with_its_line(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    file = tmp_path / "M.cfg"
    file.write_bytes("INIT Init\nNEXT Nächst\n".encode("latin-1"))
    with pytest.raises(BadInput, match=r"M\.cfg, line 2: not UTF-8\. Save the file"):
        read(file)
