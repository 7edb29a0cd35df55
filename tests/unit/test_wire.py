"""Values and texts: canonical, frozen, and read strictly."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abhyasa import AckStatus, CustodyAck, Delivery, Obligation, Terms, WireError
from abhyasa.core.actions import Adjust, Set, action_from, action_text
from abhyasa.core.values import MAX_DEPTH, canonical, freeze, from_micros, to_micros, utc
from abhyasa.core.wire import (
    ack_text,
    delivery_text,
    read_ack,
    read_action,
    read_delivery,
    read_object,
    read_obligation,
    read_terms,
    terms_text,
)
from tests.unit.rig import ack_of, at, terms, update

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
finite = scalars.filter(lambda value: value not in (float("inf"), float("-inf")))
values = st.recursive(
    finite, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)
payloads = st.dictionaries(st.text(), values, max_size=4)
names = st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable())
moments = st.datetimes(timezones=st.just(UTC))
obligations = st.builds(
    Obligation,
    id=names,
    kind=names,
    target=names,
    payload=payloads,
    sequence=st.none() | st.integers(0, 2**63 - 1),
)
acks = st.builds(
    CustodyAck,
    obligation_id=names,
    target=names,
    status=st.sampled_from(AckStatus),
    acked_at=moments,
    digest=names,
    reason=names | st.just(""),
)


@given(values)
def test_canonical_text_is_json_that_reads_back_and_ignores_key_order(value):
    text = canonical(freeze(value))
    assert json.loads(text) == value
    assert text.isascii()
    if isinstance(value, dict):
        assert canonical(freeze(dict(reversed(value.items())))) == text


def test_canonical_text_of_a_known_value():
    value = {"b": [1, 2.5, None], "a": {"z": True, "é": "x"}}
    assert canonical(freeze(value)) == '{"a":{"z":true,"\\u00e9":"x"},"b":[1,2.5,null]}'


def test_the_digest_is_the_sha256_of_the_canonical_content():
    # printf '{"id":"o","kind":"k","payload":{"a":1},"sequence":null,"target":"t"}' | sha256sum
    obligation = Obligation(id="o", kind="k", target="t", payload={"a": 1})
    assert obligation.digest == ("d20d1cffa17743e7cb8be5a91899340a19388a70580878c5d8db7564b461cbce")


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), -float("inf"), {1: "x"}, {None: 1}, b"x", {1, 2}, object()],
)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: {"a": [value]}])
def test_what_has_no_json_text_is_refused(value, wrap):
    with pytest.raises(ValueError, match=r"JSON"):
        freeze(wrap(value))


@pytest.mark.parametrize(
    ("value", "said"), [({1: "x"}, "JSON keys are strings, not int: 1"), (b"x", "bytes is no JSON type")]
)
def test_what_has_no_json_text_is_named(value, said):
    with pytest.raises(ValueError, match=said):
        freeze(value)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_canonical_text_has_no_number_that_json_lacks(number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(number)


def in_array(value):
    return [value]


def in_object(value):
    return {"a": value}


def nested(wraps, depth):
    value = 1
    for level in range(depth):
        value = wraps[level % len(wraps)](value)
    return value


@pytest.mark.parametrize("wraps", [[in_array], [in_object], [in_array, in_object]])
def test_deep_nesting_is_refused(wraps):
    freeze(nested(wraps, MAX_DEPTH))
    with pytest.raises(ValueError, match="deeper"):
        freeze(nested(wraps, MAX_DEPTH + 1))


def test_a_text_nested_beyond_the_parsers_stack_is_refused():
    with pytest.raises(WireError):
        read_object('{"a":' + "[" * 100_000 + "]" * 100_000 + "}")


def test_a_payload_is_frozen_and_apart_from_what_it_was_made_of():
    source = {"list": [1], "object": {"k": 1}}
    obligation = Obligation(id="o", kind="k", target="t", payload=source)
    source["list"].append(2)
    source["object"]["k"] = 2
    assert obligation.payload == {"list": (1,), "object": {"k": 1}}
    with pytest.raises(TypeError):
        obligation.payload["list"] = ()
    with pytest.raises(TypeError):
        obligation.payload["object"]["k"] = 3


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "p"},
        {"kind": "other"},
        {"target": "agent-c"},
        {"sequence": 1},
        {"payload": {"weight_key": "w", "weight_delta": -0.25}},
    ],
)
def test_every_part_of_the_content_is_in_the_digest(changed):
    fields = {"name": "o", **changed}
    name = fields.pop("id", fields.pop("name"))
    assert update(name, **fields).digest != update().digest
    assert update(name, **fields) != update()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": ""}, "id"),
        ({"kind": 7}, "kind"),
        ({"target": None}, "target"),
        ({"payload": [1]}, "payload is a JSON object, not list"),
        ({"sequence": -1}, "^sequence is"),
        ({"sequence": True}, "^sequence is"),
        ({"sequence": 2**63}, "^sequence is at most"),
        ({"id": "\udc80"}, "surrogates"),
    ],
)
def test_ill_formed_obligations_cannot_be_made(fields, message):
    with pytest.raises(ValueError, match=message):
        Obligation(**{"id": "o", "kind": "k", "target": "t", "payload": {}, **fields})


def test_the_highest_sequence_is_the_highest_that_a_store_can_hold():
    assert update(sequence=2**63 - 1).sequence == 2**63 - 1


def test_deliveries_are_counted_from_one():
    with pytest.raises(ValueError, match=r"^attempt is an integer of at least 1"):
        Delivery(obligation=update(), deadline=at(6), attempt=0)


@pytest.mark.parametrize("field", ["obligation_id", "target", "digest", "reason"])
def test_an_ill_formed_ack_cannot_be_made(field):
    with pytest.raises(ValueError, match=f"^{field} is a string, not None"):
        ack_of(update(), **{field: None})


def test_times_are_aware_and_in_utc():
    noon = datetime(2026, 1, 1, 12)
    with pytest.raises(ValueError, match="naive"):
        utc(noon)
    with pytest.raises(ValueError, match="naive"):
        Delivery(obligation=update(), deadline=noon, attempt=1)
    with pytest.raises(ValueError, match="naive"):
        ack_of(update(), acked_at=noon)
    east = noon.replace(tzinfo=timezone(timedelta(hours=2)))
    assert utc(east).isoformat() == "2026-01-01T10:00:00+00:00"
    assert utc(east).tzinfo is UTC


@given(moments)
def test_stored_times_lose_nothing(moment):
    assert from_micros(to_micros(moment)) == moment


@given(obligations)
def test_an_obligation_survives_its_text(obligation):
    assert read_obligation(obligation.text) == obligation
    assert read_obligation(obligation.text).text == obligation.text


@given(obligations, moments, st.integers(1, 10**6))
def test_a_delivery_survives_its_text(obligation, deadline, attempt):
    delivery = Delivery(obligation=obligation, deadline=deadline, attempt=attempt)
    assert read_delivery(delivery_text(delivery)) == delivery


@given(acks)
def test_an_ack_survives_its_text(ack):
    assert read_ack(ack_text(ack)) == ack


@given(
    st.builds(
        Terms,
        window=st.timedeltas(min_value=timedelta(microseconds=1)),
        max_retries=st.integers(0, 10**30),
        initial=st.timedeltas(min_value=timedelta(microseconds=1), max_value=timedelta(days=1)),
        cap=st.none() | st.just(timedelta(days=2)),
        jitter=st.none() | st.integers(),
    )
)
def test_terms_survive_their_text(bounds):
    assert read_terms(terms_text(bounds)) == bounds


TEXTS = {
    "obligation": (read_obligation, update().text),
    "delivery": (
        read_delivery,
        delivery_text(Delivery(obligation=update(), deadline=at(6), attempt=1)),
    ),
    "ack": (read_ack, ack_text(ack_of(update()))),
    "terms": (read_terms, terms_text(terms())),
}
FIELDS = [(name, field) for name, (_, text) in TEXTS.items() for field in json.loads(text)]


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_missing_field_is_an_error_that_names_it(name, field):
    read, text = TEXTS[name]
    content = json.loads(text)
    del content[field]
    with pytest.raises(WireError, match=f"missing fields \\['{field}'\\]"):
        read(json.dumps(content))


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_a_field_of_another_type_is_an_error(name, field):
    read, text = TEXTS[name]
    with pytest.raises(WireError):
        read(json.dumps({**json.loads(text), field: [{}]}))


@pytest.mark.parametrize(
    ("name", "field", "value", "said"),
    [
        ("delivery", "obligation", 7, "a JSON object is expected, not 7"),
        ("delivery", "deadline", 7, "a time is an ISO 8601 string, not 7"),
        ("terms", "window", True, "a duration is whole microseconds, not True"),
        ("terms", "initial", "1", "a duration is whole microseconds, not '1'"),
    ],
)
def test_a_field_of_another_type_is_quoted(name, field, value, said):
    read, text = TEXTS[name]
    with pytest.raises(WireError, match=said):
        read(json.dumps({**json.loads(text), field: value}))


@pytest.mark.parametrize("name", TEXTS)
def test_an_unknown_field_is_an_error_that_names_it(name):
    read, text = TEXTS[name]
    with pytest.raises(WireError, match=r"unknown fields \['extra'\]"):
        read(json.dumps({**json.loads(text), "extra": 1}))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("text", ["", "{", "null", "[]", "7", '"x"', '{"a":NaN}', '{"a":1e999}'])
def test_what_is_no_object_is_an_error(name, text):
    with pytest.raises(WireError):
        TEXTS[name][0](text)


def test_what_is_no_object_is_named():
    with pytest.raises(WireError, match="a JSON object is expected, not tuple"):
        read_object("[]")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_constant_that_is_no_json_is_named(constant):
    with pytest.raises(WireError, match=f"{constant} is no JSON"):
        read_object(f'{{"a":{constant}}}')


@pytest.mark.parametrize(
    "action", [Set(key="k", value={"a": (1, None)}), Adjust(key="k", by=-0.5, low=0, high=1, start=0.5)]
)
def test_an_action_survives_its_text(action):
    text = action_text(action)
    assert text is not None
    assert read_action(text) == action


@pytest.mark.parametrize("text", ['{"do":"jump","key":"k"}', '{"key":"k"}'])
def test_what_is_no_action_is_quoted(text):
    with pytest.raises(ValueError, match=f"^no action: {text}$"):
        action_from(json.loads(text))


def test_an_action_names_its_key():
    with pytest.raises(ValueError, match=r"^key is a non-empty string"):
        Set(key="", value=1)
    with pytest.raises(ValueError, match=r"^key is a non-empty string"):
        Adjust(key="", by=1, low=0, high=1, start=0)


def test_a_repeated_key_is_an_error():
    with pytest.raises(WireError, match="repeated"):
        read_object('{"a":1,"a":2}')


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("obligation", "payload", "weight_delta"), -0.25),
        (("obligation", "sequence"), 0),
        (("digest",), "0" * 64),
    ],
)
def test_a_delivery_that_was_changed_on_its_way_is_found_out(path, value):
    content = json.loads(TEXTS["delivery"][1])
    inner = content
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(WireError, match="changed on its way"):
        read_delivery(json.dumps(content))


@pytest.mark.parametrize("moment", ["2026-01-01T00:00:00", "noon", "2026-13-01T00:00:00+00:00"])
def test_a_deadline_on_the_wire_is_an_aware_time(moment):
    content = {**json.loads(TEXTS["delivery"][1]), "deadline": moment}
    with pytest.raises(WireError):
        read_delivery(json.dumps(content))
