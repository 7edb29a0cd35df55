"""Traces in Informal Trace Format: what we write, and what Apalache and Quint write."""

import json
from pathlib import Path
from typing import Any

import itf_py
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specwalk.errors import BadInput
from specwalk.itf import Step, Trace, read_trace, write_trace
from specwalk.values import Function, ModelValue, Value, freeze, function, parse, show

RECORDED = Path(__file__).parent / "traces"
O1, O2 = ModelValue("o1"), ModelValue("o2")
ATOMS = (O1, O2)

# Python takes True for 1, TLC refuses to compare them: no set or domain has both.
words = st.text(st.sampled_from('ab_#é"\\\n日'), max_size=4)
atoms = st.integers(-(2**60), 2**60) | words | st.sampled_from([O1, O2])
keys = atoms | st.tuples(atoms, atoms) | st.frozensets(atoms, max_size=3)


def _structured(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return (
        st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(keys, max_size=3)
        | st.dictionaries(keys, inner, max_size=3).map(function)
    )


values: st.SearchStrategy[Any] = st.recursive(
    atoms | st.booleans() | st.frozensets(keys), _structured, max_leaves=8
)


def one_state(**state: Value) -> Trace:
    return Trace(variables=tuple(state), states=(tuple(state.values()),), steps=())


def written(value: Value) -> Any:
    return json.loads(write_trace(one_state(x=value)))["states"][0]["x"]


def read(written: Any, *atoms: ModelValue) -> Value:
    return read_trace(json.dumps({"vars": ["x"], "states": [{"x": written}]}), atoms).states[0][0]


@given(st.lists(st.tuples(values, values), min_size=1, max_size=3), st.data())
def test_what_is_written_reads_back(states: list[tuple[Value, ...]], data: st.DataObject) -> None:
    step = st.none() | st.builds(
        Step, action=st.just("Act"), arguments=st.lists(values, max_size=2).map(tuple)
    )
    steps = data.draw(st.lists(step, min_size=len(states) - 1, max_size=len(states) - 1))
    loop = data.draw(st.none() | st.integers(0, len(states) - 1))
    trace = Trace(variables=("x", "y"), states=tuple(states), steps=tuple(steps), loop=loop)
    text = write_trace(trace)
    again = read_trace(text, ATOMS)
    assert (again.variables, again.states, again.steps, again.loop) == (
        ("x", "y"),
        trace.states,
        trace.steps,
        loop,
    )
    # Equality takes True for 1; the text does not.
    assert [list(map(show, state)) for state in again.states] == [list(map(show, state)) for state in states]
    assert write_trace(again) == text


@given(st.dictionaries(keys, values, max_size=4), st.randoms())
def test_one_value_has_one_text(content: dict[Value, Value], random: Any) -> None:
    shuffled = list(content.items())
    random.shuffle(shuffled)
    assert write_trace(one_state(x=function(content))) == write_trace(one_state(x=function(dict(shuffled))))


# By the format's own text: integers beyond 2**53 - 1 are big, sequences are lists, functions maps.
ENCODINGS: list[tuple[Value, Any]] = [
    (3, 3),
    (-(2**53) + 1, -(2**53) + 1),
    (2**53, {"#bigint": "9007199254740992"}),
    (-(2**53), {"#bigint": "-9007199254740992"}),
    (True, True),
    ("hello", "hello"),
    (O1, "o1"),
    ((), []),
    ((1, "a"), [1, "a"]),
    (frozenset({10, 9}), {"#set": [9, 10]}),
    (Function({"b": 1, "a": 2}), {"a": 2, "b": 1}),
    (Function({O2: 2, O1: 1}), {"#map": [["o1", 1], ["o2", 2]]}),
    (Function({"#a": 1}), {"#map": [["#a", 1]]}),
    (Function({0: True}), {"#map": [[0, True]]}),
]


@pytest.mark.parametrize(("value", "json_value"), ENCODINGS, ids=str)
def test_how_values_are_written(value: Value, json_value: Any) -> None:
    assert json.dumps(written(value)) == json.dumps(json_value)
    assert show(read(json_value, *ATOMS)) == show(value)


@pytest.mark.parametrize(
    ("json_value", "value"),
    [
        ({"#tup": [1, {"#bigint": "2"}]}, (1, 2)),
        ({"#map": [[1, "a"], [2, "b"]]}, ("a", "b")),
        ({"#map": []}, ()),
        ({}, ()),
        ("o1_OF_OBLIGATION", O1),
        ("o3_OF_OBLIGATION", "o3_OF_OBLIGATION"),
        ({"tag": "Some", "value": {"#bigint": "4"}}, Function({"tag": "Some", "value": 4})),
    ],
    ids=str,
)
def test_what_others_write(json_value: Any, value: Value) -> None:
    assert show(read(json_value, *ATOMS)) == show(value)


@pytest.mark.parametrize(
    ("json_value", "says"),
    [
        (1.5, r"state 0, x: 1\.5 is no value"),
        (None, r"state 0, x: None is no value"),
        ({"#unserializable": "Nat"}, r"state 0, x: the tool .* could not write Nat; bound it in the spec"),
        ({"#bag": [1]}, r'state 0, x: \{"#bag": \[1\]\} is no value of the Informal Trace Format'),
        ({"#bigint": "1.5"}, r"is no value of the Informal Trace Format"),
        ({"#map": [[1]]}, r"is no value of the Informal Trace Format"),
        ([{"#set": [{"#unserializable": "Int"}]}], r"could not write Int"),
    ],
    ids=str,
)
def test_what_is_no_value_is_bad_input(json_value: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read(json_value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"),
        ("[]", 'a list "states"'),
        ('{"vars": []}', 'a list "states"'),
        ('{"states": [{}]}', '"vars" must be'),
        ('{"vars": ["x"], "states": []}', "at least one state"),
        ('{"vars": ["x"], "states": [1]}', "state 0: a state must be a JSON object"),
        ('{"vars": ["x", "y"], "states": [{"x": 1}]}', "state 0: y must have a value"),
        ('{"vars": ["x"], "loop": 1, "states": [{"x": 1}]}', "begins at state 1, but there are 1 states"),
    ],
)
def test_what_is_no_trace_is_bad_input(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_trace(text)


def nested(depth: int) -> str:
    return '{"#set": [' * depth + "1" + "]}" * depth


def with_action(action: str) -> str:
    return json.dumps({"vars": ["x"], "states": [{"x": 1}, {"x": 1, "#meta": {"action": action}}]})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 100_000, "no JSON that can be read"),
        (f'{{"vars": ["x"], "states": [{{"x": {"9" * 5000}}}]}}', "no JSON that can be read"),
        (f'{{"vars": ["x"], "states": [{{"x": {nested(101)}}}]}}', "nested more than 100 deep"),
        (f'{{"vars": ["x"], "states": [{{"x": {{"#bigint": "{"9" * 5000}"}}}}]}}', "a number of 5000 digits"),
        (with_action("Fill(" + "{" * 400 + "}" * 400 + ")"), "state 1: the action cannot be read"),
        (with_action("Fill(" + "<<" * 5000 + ">>" * 5000 + ")"), "state 1: the action cannot be read"),
        (with_action(f"Fill({'9' * 5000})"), "state 1: the action cannot be read"),
        ('{"vars": ["x"], "states": [{"x": 1}], "loop": "0"}', '"loop" must be the index'),
        ('{"vars": ["x"], "states": [{"x": 1}], "loop": true}', '"loop" must be the index'),
    ],
    ids=lambda text: text[:40],
)
def test_what_python_cannot_hold_is_bad_input(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_trace(text)


def test_what_is_deep_but_can_be_held_is_read() -> None:
    assert show(read(json.loads(nested(99)))) == "{" * 99 + "1" + "}" * 99


def test_an_interval_is_not_enumerated_without_bound() -> None:
    assert len(parse("1..1000000")) == 1_000_000  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="has more than 1000000 elements"):
        parse("0..1000000")


def test_a_string_like_a_model_value_is_named() -> None:
    trace = Trace(variables=("x", "y"), states=((O1, frozenset({"o1"})),), steps=())
    with pytest.raises(BadInput, match='the string "o1" reads like the model value'):
        write_trace(trace)


def test_a_trace_that_would_read_back_as_another_is_not_written() -> None:
    for value in (("o1", O1), ("o1_OF_T", O1), Function({"o1": O1, O2: 1})):
        with pytest.raises(BadInput, match="would read back as another one"):
            write_trace(one_state(x=value))
    picked = Step(action="Fill", picks={"n": 1})
    with pytest.raises(BadInput, match="known by name alone"):
        write_trace(Trace(variables=("x",), states=((0,), (1,)), steps=(picked,)))


def test_an_independent_reader_reads_equal_values() -> None:
    state: dict[str, Value] = {
        "number": 2**70,
        "flag": True,
        "text": "é",
        "held": Function({O1: 1, O2: 2}),
        "seen": frozenset({(1, "a"), (2, "b")}),
        "queue": (3, (), False),
        "record": Function({"field": 5, "more": frozenset({O1})}),
        "sparse": Function({0: "a", 7: "b"}),
    }
    trace = Trace(variables=tuple(state), states=(tuple(state.values()),) * 2, steps=(Step(action="Stay"),))
    other = itf_py.trace_from_json(json.loads(write_trace(trace)))
    assert other.vars == list(state)
    assert other.loop is None
    for number, found in enumerate(other.states):
        assert found.meta == {"index": number, **({"action": "Stay"} if number else {})}
        plain = {name: value for name, value in found.values.items() if name != "record"}
        assert plain == {
            "number": 2**70,
            "flag": True,
            "text": "é",
            "held": {"o1": 1, "o2": 2},
            "seen": {itf_list(1, "a"), itf_list(2, "b")},
            "queue": [3, [], False],
            "sparse": {0: "a", 7: "b"},
        }
        assert (found.values["record"].field, found.values["record"].more) == (5, {"o1"})


def itf_list(*items: Any) -> Any:
    """A list as itf-py has it: hashable, and equal to a list."""
    return itf_py.itf.ImmutableList(items)


# As Apalache 0.44 writes a counterexample of a liveness property: model values of a type, a lasso, and
# metadata of its own.
APALACHE = """
{
  "#meta": {
    "format": "ITF",
    "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
    "varTypes": { "held": "Set(OBLIGATION)", "turn": "Int" },
    "description": "Created by Apalache on Wed Dec 22 09:18:50 CET 2021"
  },
  "params": ["Obligations"],
  "vars": ["turn", "held"],
  "loop": 1,
  "states": [
    {
      "#meta": { "index": 0 },
      "Obligations": { "#set": ["o1_OF_OBLIGATION", "o2_OF_OBLIGATION"] },
      "turn": { "#bigint": "0" },
      "held": { "#set": [] }
    },
    { "#meta": { "index": 1 }, "#more": 1, "turn": 1, "held": { "#set": ["o2_OF_OBLIGATION"] } },
    { "turn": { "#bigint": "0" }, "held": { "#set": ["o1_OF_OBLIGATION", "o2_OF_OBLIGATION"] } }
  ]
}
"""


def test_a_lasso_of_apalache() -> None:
    trace = read_trace(APALACHE, ATOMS)
    assert trace.variables == ("turn", "held")
    assert trace.states == ((0, frozenset()), (1, {O2}), (0, {O1, O2}))
    assert trace.steps == (None, None)
    assert trace.loop == 1
    assert trace.about["varTypes"]["turn"] == "Int"


def test_a_trace_of_quint_tells_its_actions_in_variables() -> None:
    trace = read_trace((RECORDED / "tank_quint_mbt.itf.json").read_text())
    assert trace.variables == ("level",)
    assert [values[0] for values in trace.states] == [0, 1, 0, 1, 0, 2, 3, 0, 2]
    assert list(map(str, trace.steps)) == [
        *("Fill(n = 1)", "Drain", "Fill(n = 1)", "Drain"),
        *("Fill(n = 2)", "Fill(n = 1)", "Drain", "Fill(n = 2)"),
    ]
    assert trace.steps[0] == Step(action="Fill", picks={"n": 1})


def test_variables_of_several_quint_modules_keep_apart() -> None:
    state = {"a::x": 1, "b::x": 2, "b::y": True}
    assert read_trace(json.dumps({"vars": list(state), "states": [state]})).variables == tuple(state)


def test_an_action_that_another_tool_means_otherwise_is_none() -> None:
    states = [{"x": 0}, {"x": 1, "#meta": {"action": "Next (line 3)"}}, {"x": 2, "#meta": {"action": 7}}]
    trace = read_trace(json.dumps({"vars": ["x"], "states": states}))
    assert trace.steps == (None, None)


def test_arguments_are_values() -> None:
    steps = (Step(action="Send", arguments=(O1, freeze({"a": [1]}), "text")),)
    trace = Trace(variables=("x",), states=((0,), (1,)), steps=steps)
    text = write_trace(trace)
    assert json.loads(text)["states"][1]["#meta"]["action"] == 'Send(o1, [a |-> <<1>>], "text")'
    assert read_trace(text, ATOMS).steps == steps
