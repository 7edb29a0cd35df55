"""The state machine: what a principal, the receivers' applications, the network and bad luck can do.

Rules speak the protocol's language. After each of them, and at the end when the clock has run out, the
oracles are asked (see `world`).
"""

import shutil
import tempfile
from dataclasses import replace
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from abhyasa import AckStatus, CustodyAck, Decision, Delivery, Obligation, OnDecline, Terms
from abhyasa.channel import Faults
from tests.stateful.world import TARGETS, Transport, World
from tests.unit.rig import APPLIED, DECLINED

targets = st.sampled_from(TARGETS)
sequences = st.none() | st.integers(0, 4)
seconds = st.sampled_from([0, 0.25, 0.5, 1, 2, 5, 8, 30, 700]).map(lambda number: timedelta(seconds=number))
# Sums of these are exact; the last is corrective, though any rounding would lose it.
deltas = st.sampled_from([-0.25, 0.25, -0.0625, 0.0, -1.0, 1.0, -(2.0**-30)])
picks = st.integers(0, 7)
decisions = st.sampled_from(
    [APPLIED, DECLINED, Decision(status=AckStatus.DEFERRED, reason="awaiting a human")]
)
odds = st.sampled_from([0.0, 0.3, 1.0])
weather = st.builds(
    Faults,
    lose=odds,
    duplicate=odds,
    delay=odds,
    reorder=odds,
    longest=st.sampled_from([timedelta(0), timedelta(seconds=2), timedelta(seconds=20)]),
)


@st.composite
def bounds(draw):
    """Terms such as admission accepts: short and long windows, budgets that span them or do not."""
    initial = timedelta(seconds=draw(st.sampled_from([1, 0.25, 3])))
    cap = draw(st.sampled_from([None, 1, 2, 8]))
    return Terms(
        window=timedelta(seconds=draw(st.sampled_from([6, 1, 2, 10, 40, 600]))),
        max_retries=draw(st.sampled_from([4, 0, 1, 2, 16])),
        initial=initial,
        cap=None if cap is None else cap * initial,
        jitter=draw(st.none() | st.integers(0, 3)),
        on_decline=draw(st.sampled_from(OnDecline)),
    )


class Protocol(RuleBasedStateMachine):
    """Deliver-or-report, on stores in memory."""

    obligations = Bundle("obligations")
    in_files = False

    @initialize(seed=st.integers(0, 3), best_effort_grants=st.booleans())
    def the_world_begins(self, seed, best_effort_grants):
        self.folder = tempfile.mkdtemp() if self.in_files else None
        self.world = World(folder=self.folder, best_effort_grants=best_effort_grants, seed=seed)
        self.issued = 0

    @rule(
        target=obligations,
        agent=targets,
        weight=st.sampled_from("wv"),
        delta=deltas,
        sequence=sequences,
        terms=bounds(),
    )
    def update_a_belief(self, agent, weight, delta, sequence, terms):
        payload = {"weight_key": weight, "weight_delta": delta}
        return self.issue("phala.belief_update", agent, payload, sequence, terms)

    @rule(
        target=obligations,
        agent=targets,
        scope=st.sampled_from(["calendar", "mail"]),
        decision=st.sampled_from(["revoke", "grant"]),
        sequence=sequences,
        terms=bounds(),
    )
    def decide_on_consent(self, agent, scope, decision, sequence, terms):
        payload = {"decision": decision, "scope": scope}
        return self.issue("anumati.consent", agent, payload, sequence, terms)

    @rule(
        target=obligations,
        agent=targets,
        token=st.sampled_from("ab"),
        operation=st.sampled_from(["revoke", "issue", "refresh"]),
        sequence=sequences,
        terms=bounds(),
    )
    def operate_on_a_token(self, agent, token, operation, sequence, terms):
        payload = {"operation": operation, "token_hash": token * 64}
        return self.issue("oauth.token", agent, payload, sequence, terms)

    @rule(target=obligations, agent=targets, best_effort=st.booleans(), terms=bounds())
    def issue_an_unknown_kind(self, agent, best_effort, terms):
        return self.issue("telemetry", agent, {}, None, terms, unknown_best_effort=best_effort)

    def issue(self, kind, agent, payload, sequence, terms, **others):
        self.issued += 1
        obligation = Obligation(
            id=f"o{self.issued}", kind=kind, target=agent, payload=payload, sequence=sequence
        )
        self.world.issue(obligation, terms, **others)
        return obligation

    @rule(obligation=obligations, terms=bounds())
    def resubmit(self, obligation, terms):
        self.world.issue(obligation, terms, unknown_best_effort=True)

    @rule(obligation=obligations, terms=bounds())
    def issue_other_content_under_the_same_id(self, obligation, terms):
        self.world.issue(_other_content(obligation), terms)

    @rule(time=seconds)
    def time_passes(self, time):
        self.world.run_until(self.world.now + time)

    @rule(time=seconds)
    def the_clock_leaps(self, time):
        self.world.leap(self.world.now + time)

    @rule(obligation=obligations)
    def the_host_asks_too_early(self, obligation):
        if obligation.id in self.world.custody.transfers:
            self.world.hurry(obligation.id)

    @rule(agent=targets, transport=st.sampled_from(Transport))
    def the_transport(self, agent, transport):
        self.world.transport[agent] = transport

    @rule(agent=targets, outward=weather, homeward=weather)
    def the_weather_changes(self, agent, outward, homeward):
        self.world.weather[agent] = (outward, homeward)

    @rule(agent=targets, decision=st.none() | decisions)
    def the_application_will(self, agent, decision):
        self.world.decision[agent] = decision

    @precondition(lambda self: self.world.deferred())
    @rule(pick=picks, decision=decisions)
    def what_was_deferred_is_answered(self, pick, decision):
        waiting = self.world.deferred()
        self.world.resolve(waiting[pick % len(waiting)], decision)

    @precondition(lambda self: self.world.sent)
    @rule(pick=picks)
    def an_old_delivery_comes_again(self, pick):
        self.world.bring_delivery(self.world.sent[-1 - pick % len(self.world.sent)])

    @precondition(lambda self: self.world.acks)
    @rule(pick=picks)
    def an_old_ack_comes_again(self, pick):
        self.world.bring_ack(self.world.acks[-1 - pick % len(self.world.acks)])

    @rule(obligation=obligations, time=seconds)
    def a_stray_delivery_has_the_same_id(self, obligation, time):
        stray = _other_content(obligation)
        self.world.bring_delivery(Delivery(obligation=stray, deadline=self.world.now + time, attempt=1))

    @rule(
        obligation=obligations,
        status=st.sampled_from(AckStatus),
        wrong=st.sampled_from([{"digest": "0" * 64}, {"target": "agent-x"}, {"obligation_id": "o0"}]),
    )
    def a_foreign_ack_arrives(self, obligation, status, wrong):
        ours = CustodyAck(
            obligation_id=obligation.id,
            target=obligation.target,
            status=status,
            acked_at=self.world.now,
            digest=obligation.digest,
        )
        self.world.bring_ack(replace(ours, **wrong))

    @rule(statement=st.integers(1, 12), before=st.booleans(), outage=seconds)
    def the_custodian_will_die(self, statement, before, outage):
        self.world.outage = outage
        self.world.custodian.doom(statement, before)

    @rule(agent=targets, statement=st.integers(1, 10), before=st.booleans())
    def a_receiver_will_die(self, agent, statement, before):
        self.world.receivers[agent].doom(statement, before)

    @rule(pick=picks)
    def a_process_is_restarted(self, pick):
        processes = self.world.processes()
        processes[pick % len(processes)].restart()

    @invariant()
    def the_rules_hold(self):
        self.world.check()

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
