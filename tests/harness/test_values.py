"""TLA+ values: TLC's printed text to Python and back, and what a model may return."""

import os
import pickle
import string
import subprocess
import sys
from enum import Enum, IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwalk.errors import BadInput
from specwalk.values import Function, ModelValue, Value, freeze, function, in_order, is_typed_as, parse, show

# What TLC 2.15 prints with ToString for each of these expressions.
PRINTED = [
    ("-5", -5),
    ("TRUE", True),
    ("mv", ModelValue("mv")),
    ("1..3", frozenset({1, 2, 3})),
    ("-5..-3", frozenset({-5, -4, -3})),
    ("3..1", frozenset()),
    ("{}", frozenset()),
    ("<<>>", ()),
    ("<< >>", ()),
    ("<<1, 4, 9>>", (1, 4, 9)),
    ("{FALSE, TRUE}", frozenset({False, True})),
    ('{mv, "mv"}', frozenset({ModelValue("mv"), "mv"})),
    (r'"q\"uote\\ tab\t nl\n ff\f cr\r"', 'q"uote\\ tab\t nl\n ff\f cr\r'),
    ("[a |-> 1, b |-> <<1, {}>>]", Function({"a": 1, "b": (1, frozenset())})),
    ("(1 :> 2 @@ 3 :> mv)", Function({1: 2, 3: ModelValue("mv")})),
    ('("c" :> 1 @@ "a b" :> 2)', Function({"c": 1, "a b": 2})),
    ("(<<1, 2>> :> {{}, {<<1, 2>>}})", Function({(1, 2): frozenset({frozenset(), frozenset({(1, 2)})})})),
    ("{{}, {1}, {1, 2}}", frozenset({frozenset(), frozenset({1}), frozenset({1, 2})})),
]


@pytest.mark.parametrize(("text", "value"), PRINTED, ids=[text for text, _ in PRINTED])
def test_what_tlc_prints_is_read(text: str, value: Value) -> None:
    read = parse(text)
    assert read == value
    assert type(read) is type(value)


def test_values_that_tlc_breaks_over_lines_are_read() -> None:
    assert parse('<< [ a |->\n       1 ],\n   "b" >>') == (Function({"a": 1}), "b")


@pytest.mark.parametrize(
    "text", ["", "<<1", "1 2", "{1,}", "[a -> 1]", "(1 :> )", "1..mv", "SUBSET {1}", "@"]
)
def test_what_is_no_value_is_an_error(text: str) -> None:
    with pytest.raises(BadInput, match="no value"):
        parse(text)


def test_a_function_on_one_to_n_is_a_sequence() -> None:
    assert parse("(1 :> 7 @@ 2 :> 8)") == (7, 8)
    assert function({2: 8, 1: 7}) == (7, 8)
    assert function({0: 7}) == Function({0: 7})
    assert function({}) == ()


def test_a_function_equals_a_mapping_of_the_same_content() -> None:
    record = Function({"a": 1, "b": 2})
    assert record == {"b": 2, "a": 1}
    assert record != {"a": 1}
    assert record != Function({"a": 1, "b": 3})
    assert hash(record) == hash(Function({"b": 2, "a": 1}))
    assert record["b"] == 2
    assert len(record) == 2


def test_a_function_travels_between_processes() -> None:
    program = (
        "import pickle, sys; from specwalk.values import Function;"
        "sys.stdout.buffer.write(pickle.dumps(Function({'a': 1})))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    sent = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    received = pickle.loads(sent.stdout)
    assert received in {Function({"a": 1})}


def test_a_model_value_is_not_the_string_of_its_letters() -> None:
    assert ModelValue("a") != "a"
    assert len({ModelValue("a"), "a", ModelValue("a")}) == 2


class Colour(Enum):
    RED = 1


class Level(IntEnum):
    HIGH = 3


class Name(str):
    pass


def test_freeze_takes_python_containers_at_any_depth() -> None:
    assert freeze({"a": [1, {2, 3}], "b": {1: "x", 2: "y"}}) == Function(
        {"a": (1, frozenset({2, 3})), "b": ("x", "y")}
    )
    assert freeze({}) == ()
    assert freeze({(1, 2): True}) == Function({(1, 2): True})


def test_freeze_takes_subclasses_for_the_values_they_are() -> None:
    assert (type(freeze(Level.HIGH)), freeze(Level.HIGH)) == (int, 3)
    assert (type(freeze(Name("n"))), freeze(Name("n"))) == (str, "n")
    assert freeze(True) is True


@pytest.mark.parametrize("thing", [None, 1.5, Colour.RED, object(), [1, None], b"x"])
def test_freeze_refuses_what_has_no_counterpart(thing: object) -> None:
    with pytest.raises(BadInput, match="is not a TLA\\+ value"):
        freeze(thing)


def test_show_writes_sets_and_functions_in_a_fixed_order() -> None:
    assert show(frozenset({10, 9, -1})) == "{-1, 9, 10}"
    assert show(frozenset({"b", "a"})) == '{"a", "b"}'
    assert show(Function({"b": 1, "a": ()})) == "[a |-> <<>>, b |-> 1]"
    assert show(Function({"not a name": 1})) == '("not a name" :> 1)'
    assert show(Function({3: False, 0: ModelValue("m")})) == "(0 :> m @@ 3 :> FALSE)"


def test_in_order_puts_numbers_first_by_size() -> None:
    assert in_order(["b", 10, ModelValue("a"), 9, "a"]) == [9, 10, "a", "b", ModelValue("a")]


@pytest.mark.parametrize(
    ("thing", "value", "typed"),
    [
        (True, True, True),
        (1, True, False),
        (False, 0, False),
        ([0, True], (0, True), True),
        ([0, 1], (0, True), False),
        ({"a": {1}}, Function({"a": frozenset({1})}), True),
        ({"a": {True}}, Function({"a": frozenset({1})}), False),
        ({"a": 1}, Function({"a": True}), False),
        ({1: True, 2: 5}, (True, 5), True),
        ({1: 1, 2: 5}, (True, 5), False),
        (3.0, 3, False),
        ({"a": 3.0}, Function({"a": 3}), False),
    ],
)
def test_what_equals_a_value_need_not_be_typed_as_it(thing: object, value: Value, typed: bool) -> None:
    assert is_typed_as(thing, value) is typed


IDENTIFIERS = st.text(string.ascii_letters, min_size=1).filter(lambda name: name not in ("TRUE", "FALSE"))
ATOMS = st.integers() | st.booleans() | st.text(string.printable) | st.builds(ModelValue, IDENTIFIERS)
VALUES: st.SearchStrategy[Value] = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.frozensets(inner, max_size=4)
        | st.dictionaries(inner, inner, max_size=4).map(function)
        | st.dictionaries(IDENTIFIERS, inner, max_size=4).map(function)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_text_and_value_go_back_and_forth(value: Value) -> None:
    assert show(parse(show(value))) == show(value)
    assert parse(show(value)) == value


@given(VALUES)
def test_frozen_values_stay_as_they_are(value: Value) -> None:
    assert show(freeze(value)) == show(value)
    assert hash(freeze(value)) == hash(value)
