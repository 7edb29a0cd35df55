"""The state machine: what a principal, the receivers' applications, the network and bad luck can do.

The rules speak the protocol's language. After each of them, and at the end when the clock has run out,
the oracles are asked (see `world`).
"""

import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from abhyasa import AckStatus, CustodyAck, Delivery, Obligation
from tests.stateful.chances import (
    WILL,
    answers,
    bounds,
    custodians_deaths,
    deaths,
    deltas,
    picks,
    seconds,
    sequences,
    weather,
    wills,
)
from tests.stateful.network import TARGETS, Transport
from tests.stateful.world import World

# Decisions meet on one key more often where one target has more of them.
targets = st.sampled_from([TARGETS[0], *TARGETS])


class Protocol(RuleBasedStateMachine):
    """Deliver-or-report, on stores in memory."""

    obligations = Bundle("obligations")
    in_files = False

    @initialize(
        seed=st.integers(0, 3),
        best_effort_grants=st.booleans(),
        prompt_host=st.booleans(),
        doom=st.none() | custodians_deaths,
    )
    def the_world_begins(self, seed, best_effort_grants, prompt_host, doom):
        self.folder = tempfile.mkdtemp() if self.in_files else None
        self.world = World(folder=self.folder, best_effort_grants=best_effort_grants, seed=seed)
        self.world.doom = doom
        self.prompt_host = prompt_host
        self.issued = 0

    @rule(
        target=obligations,
        agent=targets,
        delta=deltas,
        sequence=sequences,
        terms=bounds(),
        application=wills,
    )
    def update_a_belief(self, agent, delta, sequence, terms, application):
        payload = {"weight_key": "w", "weight_delta": delta}
        return self.issue("phala.belief_update", agent, payload, sequence, terms, application)

    @rule(
        target=obligations,
        agent=targets,
        decision=st.sampled_from(["grant", "revoke"]),
        sequence=sequences,
        terms=bounds(),
        application=wills,
    )
    def decide_on_consent(self, agent, decision, sequence, terms, application):
        payload = {"decision": decision, "scope": "calendar"}
        return self.issue("anumati.consent", agent, payload, sequence, terms, application)

    @rule(
        target=obligations,
        agent=targets,
        granted=sequences,
        revoked=sequences,
        terms=bounds(),
        application=wills,
        death=st.none() | deaths,
    )
    def grant_and_revoke_at_once(self, agent, granted, revoked, terms, application, death):
        grant, revocation = ({"decision": word, "scope": "calendar"} for word in ("grant", "revoke"))
        first = self.issue("anumati.consent", agent, grant, granted, terms, application, prompt=False)
        self.world.doom = death and replace(death, occasion="pending")
        second = self.issue("anumati.consent", agent, revocation, revoked, terms, application)
        return multiple(first, second)

    @rule(
        target=obligations,
        agent=targets,
        operation=st.sampled_from(["revoke", "issue", "revoke", "refresh"]),
        sequence=sequences,
        terms=bounds(),
        application=wills,
    )
    def operate_on_a_token(self, agent, operation, sequence, terms, application):
        payload = {"operation": operation, "token_hash": "a" * 64}
        return self.issue("oauth.token", agent, payload, sequence, terms, application)

    @rule(target=obligations, agent=targets, best_effort=st.booleans(), terms=bounds())
    def issue_an_unknown_kind(self, agent, best_effort, terms):
        return self.issue("telemetry", agent, {}, None, terms, "applies", unknown_best_effort=best_effort)

    @rule(obligation=obligations, other_content=st.booleans(), terms=bounds())
    def issue_under_the_same_id(self, obligation, other_content, terms):
        again = _other_content(obligation) if other_content else obligation
        self.world.issue(again, terms, unknown_best_effort=True)

    @rule(time=seconds)
    def time_passes(self, time):
        self.world.run_until(self.world.now + timedelta(seconds=time))

    @rule(obligation=obligations, just_before=st.booleans())
    def its_deadline_comes(self, obligation, just_before):
        transfer = self.world.custody.transfers.get(obligation.id)
        if transfer is not None:
            self.world.run_until(transfer.deadline - just_before * timedelta(microseconds=1))

    @rule(time=seconds)
    def the_clock_leaps(self, time):
        self.world.leap(self.world.now + timedelta(seconds=time))

    @rule()
    def the_host_asks_too_early(self):
        for name in self.world.custody.transfers:
            self.world.hurry(name)

    @rule(agent=targets, transport=st.sampled_from(Transport), outward=weather, homeward=weather)
    def the_network_changes(self, agent, transport, outward, homeward):
        self.world.network.transport[agent] = transport
        self.world.network.weather[agent] = (outward, homeward)

    @rule(obligation=obligations, application=wills)
    def the_application_changes_its_mind(self, obligation, application):
        self.world.applications.will[obligation.id] = WILL[application]

    @precondition(lambda self: self.world.deferred())
    @rule(pick=picks, answer=answers)
    def what_was_deferred_is_answered(self, pick, answer):
        waiting = self.world.deferred()
        self.world.resolve(waiting[pick % len(waiting)], WILL[answer])

    @precondition(lambda self: self.world.network.sent and self.world.network.acks)
    @rule(pick=picks, ack=st.booleans())
    def an_old_message_comes_again(self, pick, ack):
        if ack:
            self.world.bring_ack(self.world.network.acks[-1 - pick % len(self.world.network.acks)])
        else:
            self.world.bring_delivery(self.world.network.sent[-1 - pick % len(self.world.network.sent)])

    @rule(obligation=obligations, window=seconds)
    def a_stray_delivery_has_the_same_id(self, obligation, window):
        deadline = self.world.now + timedelta(seconds=window)
        stray = Delivery(obligation=_other_content(obligation), deadline=deadline, attempt=1)
        self.world.bring_delivery(stray)

    @rule(
        obligation=obligations,
        status=st.sampled_from(AckStatus),
        wrong=st.sampled_from([{"digest": "0" * 64}, {"target": "agent-x"}, {"obligation_id": "o0"}]),
    )
    def a_foreign_ack_arrives(self, obligation, status, wrong):
        ack = CustodyAck(
            obligation_id=obligation.id,
            target=obligation.target,
            status=status,
            acked_at=self.world.now,
            digest=obligation.digest,
        )
        self.world.bring_ack(replace(ack, **wrong))

    @rule(doom=custodians_deaths)
    def the_custodian_will_die(self, doom):
        self.world.doom = doom

    @rule(agent=targets, doom=deaths)
    def a_receiver_will_die(self, agent, doom):
        self.world.receivers[agent].doom(doom)

    @rule(agent=targets)
    def a_receiver_is_restarted(self, agent):
        self.world.receivers[agent].restart()

    @rule(other_reading_of_grants=st.booleans())
    def the_custodian_is_restarted(self, other_reading_of_grants):
        self.world.restart_custodian(other_reading_of_grants)

    @invariant()
    def the_rules_hold(self):
        self.world.check()

    def issue(self, kind, agent, payload, sequence, terms, application, prompt=True, **others):
        self.issued += 1
        name = f"o{self.issued}"
        obligation = Obligation(id=name, kind=kind, target=agent, payload=payload, sequence=sequence)
        self.world.applications.will[name] = WILL[application]
        self.world.issue(obligation, terms, **others)
        if prompt and self.prompt_host:
            self.world.leap(self.world.now)
        return obligation

    def teardown(self):
        if not hasattr(self, "world"):
            return
        try:
            if not self.world.story.broken:
                self.world.end()
        finally:
            self.world.close()
            if self.folder:
                shutil.rmtree(self.folder)


class ProtocolInFiles(Protocol):
    """The same on stores in files, with their locks and syncs."""

    in_files = True


def _other_content(obligation):
    """Return an obligation that is valid, and other than the one whose id and target it has."""
    return replace(obligation, kind="anumati.consent", payload={"decision": "revoke", "scope": "stolen"})
