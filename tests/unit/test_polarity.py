"""AC-1, actions, and the kinds of section 5, row by row."""

import math
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abhyasa import Adjust, Kind, Kinds, Obligation, Refused, Set, Status
from abhyasa.core.actions import action_text
from abhyasa.core.wire import WireError, read_action
from abhyasa.kinds import BeliefUpdate, Consent, Token
from abhyasa.kinds.oauth import issued_key, revoked_key, token_hash
from tests.unit.rig import CONSENT_KEY, KINDS, ROUTING_KEY, TARGET, Rig, ack_of, at, consent, update

HASH = token_hash("secret")


def token(operation, hashed=HASH, name="t"):
    payload = {"operation": operation, "token_hash": hashed}
    return Obligation(id=name, kind="oauth.token", target=TARGET, payload=payload)


@pytest.mark.parametrize(
    ("obligation", "safe"),
    [
        (consent("revoke"), Set(key=CONSENT_KEY, value="withheld")),
        (consent("grant"), Set(key=CONSENT_KEY, value="withheld")),
        (update(delta=-0.25), Adjust(key=ROUTING_KEY, by=-0.25, low=0, high=1, start=0.5)),
        (update(delta=0.0), None),
        (update(delta=0.25), None),
        (token("revoke"), Set(key=f"token/{HASH}/revoked", value=True)),
        (token("issue"), None),
        (token("refresh"), None),
    ],
)
def test_ac1_admissible_iff_a_fail_safe_polarity_is_declared(obligation, safe):
    assert KINDS.admit(obligation).safe == safe
    status = Rig().accept(obligation).status
    assert status is (Status.BEST_EFFORT if safe is None else Status.PENDING)


@pytest.mark.parametrize(("delta", "admissible"), [(-5e-324, True), (-0.0, False), (5e-324, False)])
def test_phala_polarity_is_the_sign_before_any_rounding(delta, admissible):
    assert (KINDS.admit(update(delta=delta)).safe is not None) is admissible


def test_phala_safe_o_lowers_the_routing_weight_within_its_range_and_not_at_issue():
    rig = Rig()
    weight = None
    for number, lowered in enumerate((0.25, 0.0, 0.0)):
        rig.accept(update(f"o{number}", -0.25))
        assert rig.custodian.principal(ROUTING_KEY) == weight
        rig.advance(6, f"o{number}")
        weight = rig.custodian.principal(ROUTING_KEY)
        assert weight == lowered


def test_phala_weights_stay_in_the_declared_range_at_the_receiver():
    kinds = Kinds(BeliefUpdate(w_min=0.25, w_max=0.75, start=0.5))
    for delta, weight in ((-1.0, 0.25), (1.0, 0.75), (0.125, 0.625)):
        assert kinds.effect(update(delta=delta)).action.apply(None) == weight


@pytest.mark.parametrize(
    "payload",
    [
        {"weight_key": "w"},
        {"weight_key": "w", "weight_delta": 1.5},
        {"weight_key": "w", "weight_delta": "0.1"},
        {"weight_key": "w", "weight_delta": 10**400},
        {"weight_key": "", "weight_delta": 0.1},
        {"weight_key": "w", "weight_delta": 0.1, "signal_components": {"clicked": 1}},
    ],
)
def test_phala_refuses_what_is_no_belief_update(payload):
    with pytest.raises(Refused, match="payload of 'o'"):
        KINDS.admit(update(payload=payload))


def test_anumati_a_revocation_holds_from_its_issue_on_and_needs_no_ack():
    rig = Rig()
    rig.accept(consent("revoke"))
    assert rig.custodian.principal(CONSENT_KEY) == "withheld"
    assert rig.sent == []
    rig.custodian.receive_ack(ack_of(consent("revoke")), at(1))
    assert rig.custodian.principal(CONSENT_KEY) == "withheld"


def test_anumati_a_grant_is_fail_closed_until_it_is_confirmed():
    rig = Rig()
    rig.accept(consent("grant"))
    assert rig.custodian.principal(CONSENT_KEY) is None
    rig.custodian.receive_ack(ack_of(consent("grant")), at(1))
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"


def test_anumati_an_unconfirmed_grant_is_withheld_and_escalated():
    rig = Rig()
    rig.accept(consent("grant"))
    rig.advance(6, "grant")
    assert rig.custodian.principal(CONSENT_KEY) == "withheld"
    assert len(rig.custodian.escalations()) == 1


def test_anumati_grants_can_be_declared_best_effort():
    rig = Rig(kinds=Kinds(Consent(grants="best_effort")))
    assert rig.accept(consent("grant")).status is Status.BEST_EFFORT
    assert rig.custodian.principal(CONSENT_KEY) == "permitted"
    assert rig.accept(consent("revoke")).status is Status.PENDING
    with pytest.raises(ValueError, match="grants is"):
        Consent(grants="sometimes")


@pytest.mark.parametrize(
    "payload",
    [
        {"decision": "revoke"},
        {"decision": "pause", "scope": "calendar"},
        {"decision": "revoke", "scope": ""},
        {"decision": "revoke", "scope": "calendar", "why": "moved"},
        {"decision": ["revoke"], "scope": "calendar"},
    ],
)
def test_anumati_refuses_what_is_no_decision(payload):
    with pytest.raises(Refused):
        KINDS.admit(Obligation(id="x", kind="anumati.consent", target=TARGET, payload=payload))


def test_oauth_the_governed_key_is_the_token():
    one, other = token("revoke"), token("revoke", token_hash("second"), name="u")
    assert KINDS.admit(one).governed_key != KINDS.admit(other).governed_key
    assert KINDS.admit(one).governed_key == KINDS.admit(token("issue", name="v")).governed_key


def test_oauth_no_delayed_issue_undoes_a_revocation():
    rig = Rig()
    for name, operation in (("a", "revoke"), ("b", "issue")):
        rig.accept(token(operation, name=name))
        rig.custodian.advance(name, at(0))
        rig.carry(0)
    assert rig.receiver.state(revoked_key(HASH)) is True
    assert rig.receiver.state(issued_key(HASH)) is True
    assert rig.custodian.principal(revoked_key(HASH)) is True


@pytest.mark.parametrize("hashed", ["secret", "A" * 64, HASH + "\n", 7])
def test_oauth_refuses_anything_but_a_hash(hashed):
    with pytest.raises(Refused, match="never send the token"):
        KINDS.admit(token("revoke", hashed))


def test_names_with_separators_do_not_share_a_governed_key():
    def key(target, scope):
        payload = {"decision": "revoke", "scope": scope}
        obligation = Obligation(id="x", kind="anumati.consent", target=target, payload=payload)
        return KINDS.admit(obligation).governed_key

    assert key("a/b", "c") != key("a", "b/c")
    assert key("a%2Fb", "c") != key("a/b", "c")


class Faulty(Kind):
    """A kind whose answers are set by the test."""

    name = "faulty"

    def __init__(self, **answers):
        self.answers = answers

    def check(self, payload):
        self.answer("check", payload)

    def governed_key(self, obligation):
        return self.answer("governed_key", obligation)

    def safe(self, obligation):
        return self.answer("safe", obligation)

    def effect(self, obligation):
        return self.answer("effect", obligation)

    def at_issue(self, obligation):
        return self.answer("at_issue", obligation)

    def answer(self, name, argument):
        defaults = {"governed_key": "key"}
        return self.answers.get(name, lambda _: defaults.get(name))(argument)


def raising(_):
    raise ZeroDivisionError("in the kind")


@pytest.mark.parametrize("name", ["check", "governed_key", "safe", "at_issue"])
def test_a_kind_that_raises_is_refused_at_admission(name):
    rig = Rig(kinds=Kinds(Faulty(**{name: raising})))
    with pytest.raises(Refused, match="in the kind"):
        rig.accept(update(kind="faulty"))
    assert rig.custodian_store.rows().custody == ()
    assert rig.sent == []


class Nameless:
    """A declaration that is no function: it has no name."""

    def __call__(self, obligation):
        raise ZeroDivisionError("in the kind")


@pytest.mark.parametrize(("safe", "said"), [(raising, "raising('o')"), (Nameless(), "the kind('o')")])
def test_what_raised_is_named(safe, said):
    kind = Faulty()
    kind.safe = safe
    with pytest.raises(Refused, match=f"^{re.escape(said)} raised"):
        Kinds(kind).admit(update(kind="faulty"))


def test_a_registry_without_kinds_knows_none():
    with pytest.raises(Refused, match=r"known kinds: none$"):
        Kinds().admit(update())


@pytest.mark.parametrize("answer", ["withhold", {"key": "k"}, 7, Set])
def test_a_safe_o_that_is_no_action_is_refused_at_admission(answer):
    with pytest.raises(Refused, match="return a Set, an Adjust or None"):
        Kinds(Faulty(safe=lambda _: answer)).admit(update(kind="faulty"))


@pytest.mark.parametrize("key", ["", None, 7])
def test_a_governed_key_is_a_text(key):
    with pytest.raises(Refused, match=r"ValueError\W+governed_key is a"):
        Kinds(Faulty(governed_key=lambda _: key)).admit(update(kind="faulty"))


def test_an_effect_that_is_no_action_is_refused():
    with pytest.raises(Refused, match="effect of kind 'faulty'"):
        Kinds(Faulty()).effect(update(kind="faulty"))


def test_safe_o_is_evaluated_once_at_admission():
    calls = []
    safe = Set(key="k", value="safe")
    kinds = Kinds(Faulty(safe=lambda obligation: calls.append(obligation) or safe))
    rig = Rig(kinds=kinds)
    rig.accept(update(kind="faulty"))
    rig.advance_at(range(8))
    assert len(calls) == 1
    assert rig.custodian.principal("k") == "safe"


def test_two_kinds_cannot_share_a_name():
    with pytest.raises(ValueError, match="share a name"):
        Kinds(Token(), Token())


@pytest.mark.parametrize("current", [None, "high", True, [1], 10**400])
def test_an_adjust_treats_what_is_no_number_as_unset(current):
    assert Adjust(key="k", by=-0.125, low=0, high=1, start=0.5).apply(current) == 0.375


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"by": math.nan}, "by is a finite number, not nan"),
        ({"by": True}, "by is a finite number, not True"),
        ({"low": 0.75}, r"start \(0.5\) is within \[0.75, 1.0\]"),
        ({"high": 0.25}, r"start \(0.5\) is within \[0.0, 0.25\]"),
        ({"key": ""}, "key is a non-empty string"),
        ({"key": "\ud800"}, "surrogates not allowed"),
    ],
)
def test_an_ill_formed_adjust_cannot_be_made(fields, said):
    with pytest.raises(ValueError, match=said):
        Adjust(**{"key": "k", "by": 0.5, "low": 0.0, "high": 1.0, "start": 0.5, **fields})


def test_an_adjust_takes_the_largest_number_that_a_float_can_hold():
    largest = sys.float_info.max
    assert Adjust(key="k", by=largest, low=0, high=largest, start=0).apply(None) == largest
    with pytest.raises(ValueError, match="high is a finite number"):
        Adjust(key="k", by=1, low=0, high=2 * int(largest), start=0)


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(numbers, st.lists(numbers, min_size=3, max_size=3).map(sorted), st.none() | numbers)
def test_an_adjust_stays_in_its_range_and_survives_storage(by, bounds, current):
    low, start, high = bounds
    action = Adjust(key="k", by=by, low=low, high=high, start=start)
    assert low <= action.apply(current) <= high
    assert read_action(action_text(action)) == action


@pytest.mark.parametrize(
    "text", ['{"do":"drop","key":"k"}', '{"do":"set","key":"k"}', '{"do":["set"]}', "[]"]
)
def test_a_text_that_is_no_action_is_an_error(text):
    with pytest.raises(WireError):
        read_action(text)
