"""The checker: each rule finds what it is for, in a sound history of which one thing was changed."""

import ast
import sys
from copy import deepcopy
from pathlib import Path

import pytest

from abhyasa.recovery import Boundary, Fact, checker, ledger, stable_key
from abhyasa.recovery.checker import RULES, regrade
from tests.recovery.corpus import DELAYED, LOST, PROMPT, REVOKE, Kill, Run, Tell
from tests.recovery.providers import P1, P2, P3
from tests.recovery.stage import Stage

W1_THEN_W2 = {
    boundary: (Run(worker="w1", to=boundary), Kill("w1"), Run(worker="w2")) for boundary in Boundary
}


def played(policy, contract, first, *steps):
    stage = Stage(policy, contract, first)
    for step in steps:
        step.on(stage)
    return stage.finish()


def settled():
    """W1 completes."""
    return played(ledger, P1, PROMPT, Run(worker="w1"))


def repeated():
    """W2 sends again under the live key, and is shown the original effect."""
    return played(stable_key, P1, LOST, *W1_THEN_W2[Boundary.NOACK])


def verified():
    """W1 settles, W2 verifies that."""
    return played(ledger, P1, PROMPT, *W1_THEN_W2[Boundary.SETTLED])


def held():
    """Nobody learns what became of the request."""
    return played(ledger, P3, LOST, *W1_THEN_W2[Boundary.NOACK])


def denied():
    """W2 finds authority gone."""
    return played(
        ledger, P2, PROMPT, Run(worker="w1", to=Boundary.PRE_ADMIT), Kill("w1"), REVOKE, Run(worker="w2")
    )


SOUND = {
    settled: "completion",
    repeated: "completion",
    verified: "completion",
    held: "unknown",
    denied: "denial",
}


@pytest.mark.parametrize("history", SOUND)
def test_a_sound_history_has_no_findings(history):
    assert regrade(history()).grade == SOUND[history]


def put(*path_and_value):
    """Return a change that puts a value at a path."""
    *path, last, value = path_and_value

    def change(history):
        for step in path:
            history = history[step]
        history[last] = value

    return change


def revoke_before(number):
    """Return a change by which authority was revoked just before an intent."""

    def change(history):
        at = history["intents"][number]["at"]
        history["authority"].append({"fact": Fact.GRANT, "value": 0, "at": at - 1})

    return change


def say(fact, value):
    """Return a change by which the authority had said something from the beginning."""

    def change(history):
        history["authority"] = [word for word in history["authority"] if word["fact"] != fact]
        history["authority"].append({"fact": fact, "value": value, "at": 0})

    return change


def unknown_without_a_dispatch(history):
    history["reservation"] = "held"
    history["reports"][0].update(outcome="unknown", reason=None)


def add(name, *where):
    """Return a change by which a record occurs once more."""

    def change(history):
        for step in where:
            history = history[step]
        history[name].append(deepcopy(history[name][-1]))

    return change


def expire_at(number):
    def change(history):
        history["instance"]["expires_at"] = history["intents"][number]["at"]

    return change


def consume_late(history):
    history["consumptions"][0]["at"] = history["intents"][0]["at"] + 1


def consume_elsewhere(history):
    history["consumptions"].append({"instance": "refund-18", "at": 1})


def consume_for_nothing(history):
    history["consumptions"].append({"instance": history["instance"]["id"], "at": 1})


def close_window_before_the_repetition(history):
    history["provider"]["window_closed_at"] = history["intents"][1]["at"]


def observe_before_the_effect(history):
    history["observations"][0]["at"] = history["provider"]["effects"][0]["at"]


def settle_before_the_observation(history):
    history["settlements"][0]["at"] = history["observations"][0]["at"]


def intend_after_the_request(history):
    history["intents"][0]["at"] = history["provider"]["requests"][0]["at"]


def beat(epoch, accepted):
    """Return a change by which a worker had heartbeated just before the end."""

    def change(history):
        at = final(history) - 1
        history["heartbeats"].append({"epoch": epoch, "accepted": accepted, "at": at})

    return change


def final(history):
    """Let the final boundary come later by 10, and return its time."""
    history["provider"]["final_at"] += 10
    return history["provider"]["final_at"]


def let_the_lease_run_out(history):
    history["leases"][0]["expires_at"] = history["intents"][0]["at"]


def accept_the_heartbeat_of_a_lease_that_ran_out(history):
    beat(2, 1)(history)
    history["leases"][1]["expires_at"] = history["heartbeats"][0]["at"]


def deliver_as_late_as_the_observation(history):
    history["provider"]["deliveries"][0]["at"] = history["observations"][0]["at"]


def look_up_what_was_not_delivered_so(history):
    history["observations"][0]["source"] = "lookup"


def find_without_a_lookup(history):
    look_up_what_was_not_delivered_so(history)
    history["provider"]["deliveries"][0]["kind"] = "found"


def look_up(who):
    """Return a change by which somebody had looked up, and was not told, what came by the ack."""

    def change(history):
        look_up_what_was_not_delivered_so(history)
        sent = history["provider"]["requests"][0]
        asked = {"reference": sent["reference"], "participant": who, "at": sent["at"]}
        history["provider"]["lookups"].append(asked)

    return change


def find_what_another_looked_up(history):
    look_up("w2")(history)
    history["provider"]["deliveries"][0]["kind"] = "found"


def tell(outcome, reason=None, scope=None):
    """Return a change by which somebody had been told something before all else but the first claim."""

    def change(history):
        at = history["leases"][0]["at"] + 1
        told = {**history["reports"][0], "outcome": outcome, "reason": reason, "at": at, **(scope or {})}
        history["reports"].insert(0, told)

    return change


STRANGE = {"run": "run-9", "principal": "mallory"}


def report_at(name):
    """Return a change by which the report came no later than the first of a list's records."""

    def change(history):
        history["reports"][0]["at"] = history[name][0]["at"]

    return change


def charge_at_the_repetition_only(history):
    history["settlements"][0]["charge"] = 0
    history["settlements"][1]["charge"] = 1


def forget_the_grant(history):
    history["authority"] = [word for word in history["authority"] if word["fact"] != Fact.GRANT]


def revoke_in_another_order(history):
    revoke_before(0)(history)
    history["authority"].insert(0, history["authority"].pop())


def change_its_mind_twice(history):
    tell("success")(history)
    tell("denied", "revoked")(history)


def forget(name, *where):
    def change(history):
        for step in where:
            history = history[step]
        history[name].clear()

    return change


@pytest.mark.parametrize(
    ("history", "change", "rules"),
    [
        (settled, put("provider", "requests", 0, "principal", "mallory"), {"R1"}),
        (settled, put("provider", "requests", 0, "run", "run-9"), {"R1"}),
        (settled, put("provider", "requests", 0, "organisation", "other"), {"R1"}),
        (settled, put("provider", "requests", 0, "action", '{"kind": "refund"}'), {"R1"}),
        (settled, revoke_before(0), {"R2"}),
        (settled, revoke_in_another_order, {"R2"}),
        (settled, forget_the_grant, {"R2"}),
        (settled, put("instance", "policy_epoch", 7), {"R2"}),
        (settled, expire_at(0), {"R2"}),
        (settled, say(Fact.CANCELLED, 1), {"R2"}),
        (settled, forget("consumptions"), {"R3"}),
        (settled, consume_late, {"R3"}),
        (settled, consume_elsewhere, {"R3"}),
        (denied, consume_for_nothing, {"R3"}),
        (repeated, revoke_before(1), {"R4"}),
        (repeated, expire_at(1), {"R4"}),
        (repeated, close_window_before_the_repetition, {"R5", "R9", "R13"}),
        (repeated, put("intents", 1, "key", "another"), {"R5", "R8", "R9"}),
        (repeated, put("contract", "dedup", False), {"R5", "R9", "R13"}),
        (verified, put("leases", 1, "epoch", 3), {"R6"}),
        (verified, put("observations", 0, "epoch", 2), {"R6", "R14"}),
        (verified, put("settlements", 1, "epoch", 1), {"R6"}),
        (verified, beat(1, 1), {"R6"}),
        (verified, beat(2, 0), {"R6"}),
        (verified, accept_the_heartbeat_of_a_lease_that_ran_out, {"R6"}),
        (settled, let_the_lease_run_out, {"R6"}),
        (settled, put("instance", "allowed_effects", 0), {"R7"}),
        (held, add("effects", "provider"), {"R7", "R8"}),
        (settled, put("provider", "requests", 0, "key", "another"), {"R8"}),
        (settled, intend_after_the_request, {"R8"}),
        (held, forget("requests", "provider"), {"R8"}),
        (held, put("provider", "requests", 0, "participant", "mallory"), {"R8"}),
        (held, put("reservation", None), {"R9"}),
        (held, put("reports", 0, "outcome", "success"), {"R9", "R10"}),
        (held, put("reports", 0, "outcome", "denied"), {"R9", "R12"}),
        (settled, forget("observations"), {"R9", "R10"}),
        (settled, settle_before_the_observation, {"R10"}),
        (settled, observe_before_the_effect, {"R10", "R14"}),
        (settled, forget("settlements"), {"R10"}),
        (settled, put("reservation", "held"), {"R10"}),
        (verified, put("settlements", 1, "charge", 1), {"R10", "R11"}),
        (settled, put("settlements", 0, "charge", 2), {"R10", "R11"}),
        (verified, put("settlements", 1, "receipt", "another"), {"R10", "R11"}),
        (verified, charge_at_the_repetition_only, {"R11"}),
        (settled, report_at("settlements"), {"R10"}),
        (settled, report_at("intents"), {"R10"}),
        (denied, unknown_without_a_dispatch, {"R9"}),
        (denied, tell("unknown"), {"R9"}),
        (held, tell("unknown"), {"R9"}),
        (denied, forget("leases"), {"R12"}),
        (settled, tell("success", None, STRANGE), {"R12"}),
        (denied, tell("unknown", None, STRANGE), {"R12"}),
        (denied, tell("denied", "revoked", STRANGE), {"R12"}),
        (denied, put("reports", 0, "at", 3), {"R12"}),
        (denied, put("reservation", "held"), {"R12"}),
        (settled, put("reports", 0, "outcome", "unknown"), {"R9"}),
        (settled, put("provider", "final_at", None), {"R13"}),
        (settled, put("provider", "final_at", 1), {"R13"}),
        (held, forget("effects", "provider"), {"R13"}),
        (settled, change_its_mind_twice, {"R10", "R12", "R13"}),
        (settled, forget("reports"), {"R13"}),
        (settled, forget("deliveries", "provider"), {"R14"}),
        (settled, put("provider", "deliveries", 0, "participant", "w2"), {"R14"}),
        (settled, deliver_as_late_as_the_observation, {"R14"}),
        (settled, put("observations", 0, "reference", "refund-17/2"), {"R14"}),
        (settled, look_up_what_was_not_delivered_so, {"R14"}),
        (settled, find_without_a_lookup, {"R14"}),
        (settled, look_up("w1"), {"R14"}),
        (settled, find_what_another_looked_up, {"R14"}),
        (settled, put("observations", 0, "receipt", "another"), {"R9", "R10", "R14"}),
    ],
)
def test_one_change_breaks_the_rules_that_are_meant_to_see_it(history, change, rules):
    changed = history()
    change(changed)
    verdict = regrade(changed)
    assert verdict.rules == rules
    assert verdict.grade == "failure"


@pytest.mark.parametrize("left", ["intents", "requests", "effects"])
def test_a_denial_that_left_something_behind_says_what(left):
    history, other = denied(), settled()
    place, donor = (history, other) if left == "intents" else (history["provider"], other["provider"])
    place[left] = donor[left]
    found = [finding.what for finding in regrade(history).findings if finding.rule == "R12"]
    assert found == [f"denied, and there are {left}"]


def test_unknown_may_be_the_last_word_on_what_a_worker_settled_before_it_died():
    history = played(
        ledger,
        P1,
        DELAYED,
        *W1_THEN_W2[Boundary.NOACK],
        Tell("commit_pending"),
        Run(worker="w3", to=Boundary.SETTLED),
    )
    assert (history["reservation"], [told["outcome"] for told in history["reports"]]) == (
        "charged",
        ["unknown"],
    )
    assert regrade(history).grade == "unknown"


def test_unknown_without_a_reservation_is_found_where_its_effect_was_observed():
    history = settled()
    history["settlements"].clear()
    history["reports"][0]["outcome"], history["reservation"] = "unknown", "held"
    assert regrade(history).grade == "unknown"
    history["reservation"] = None
    assert regrade(history).rules == {"R9"}


def test_intents_that_are_not_in_order_are_grouped_by_their_numbers():
    history = repeated()
    assert len(history["intents"]) == 2
    history["intents"].reverse()
    assert "R9" not in regrade(history).rules


def without_approval(history):
    history["instance"]["approval"] = None
    say(Fact.APPROVAL_REQUIRED, 1)(history)


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("wrong_run_scope", put("reports", 0, "run", "run-9")),
        ("cancelled", say(Fact.CANCELLED, 1)),
        ("lease_expired", put("leases", 1, "expires_at", 1)),
        ("revoked", say(Fact.GRANT, 0)),
        ("policy_changed", say(Fact.POLICY_EPOCH, 2)),
        ("approval_missing", without_approval),
        ("approval_consumed", consume_elsewhere),
        ("approval_expired", put("instance", "expires_at", 1)),
        ("dependency_refused", say("dependency", 0)),
    ],
)
def test_a_denial_needs_the_cause_that_it_names(reason, cause):
    history = denied()
    say(Fact.GRANT, 1)(history)
    history["reports"][0]["reason"] = reason
    assert regrade(history).rules == {"R12"}
    cause(history)
    assert regrade(history).grade == "denial"


def test_a_denial_may_be_repeated_but_not_taken_back():
    history = denied()
    refused = history["reports"][0]
    final(history)
    history["authority"].append({"fact": Fact.GRANT, "value": 1, "at": refused["at"] + 1})
    history["reports"].append({**refused, "at": refused["at"] + 2})
    assert regrade(history).grade == "denial"
    history["reports"].append({**refused, "outcome": "success", "reason": None, "at": refused["at"] + 3})
    assert "R13" in regrade(history).rules


def test_the_rules_are_the_fourteen():
    assert list(RULES) == [f"R{number}" for number in range(1, 15)]


def test_a_history_that_is_not_whole_is_refused_by_the_field():
    history = settled()
    del history["intents"]
    history["policy"] = "ledger"
    with pytest.raises(ValueError, match="missing or unknown are intents, policy"):
        regrade(history)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("provider", None), "provider is None, and no object"),
        (put("contract", []), r"contract is \[\], and no dict"),
        (put("contract", "dedup", 1), "contract.dedup is 1, and no bool"),
        (put("leases", {}), "leases is {}, and no list"),
        (put("intents", 0, {}), r"intents\[0\] is not whole: missing or unknown are at, epoch, judged_at"),
        (put("intents", 0, "at", "7"), r"intents\[0\].at is '7', and no int"),
        (put("intents", 0, "at", True), r"intents\[0\].at is True, and no int"),
        (put("provider", "final_at", "7"), "final_at is '7', and no int or null"),
        (put("reports", 0, "outcome", "fine"), r"reports\[0\].outcome is 'fine', and not one of success"),
    ],
)
def test_what_is_no_history_is_refused_by_its_place(change, said):
    history = settled()
    change(history)
    with pytest.raises(ValueError, match=said):
        regrade(history)


def test_the_checker_imports_the_standard_library_and_itself():
    for file in Path(checker.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or "."] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert (
                    name.startswith("abhyasa.recovery.checker")
                    or name.split(".")[0] in sys.stdlib_module_names
                )
