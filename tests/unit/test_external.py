"""A receiver whose effects are a provider's: applied at most once, and never on a guess.

The decision on external effects at a receiver: a durable intent first; on recovery look up, or
surface as in doubt.
"""

import re
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from abhyasa import AckStatus, Delivery, Receiver, ReceiverStore
from abhyasa.core.errors import Conflict
from abhyasa.external import ExternalEffects
from abhyasa.recovery import (
    Answer,
    AnswerKind,
    Application,
    AuthorizationInstance,
    Fact,
    RecoveryStore,
    Scope,
    ledger,
    revalidate,
)
from tests.doomed import Crash, Doomed
from tests.unit.rig import CONSENT_KEY, DEFERRED, KINDS, TARGET, at, consent

SCOPE = Scope(organisation="acme", principal="alice", run="revocations")
DEADLINE = at(6)


class Provider:
    """A provider that may be killed, or take its time, with the request of a worker that may die."""

    def __init__(self):
        self.requests, self.committed = [], set()
        self.commits = self.answers = True
        self.dies = None

    def send(self, request):
        if self.dies == "before sending":
            raise Crash
        self.requests.append(request)
        if self.commits:
            self.committed.add(request.reference)
        if self.dies == "after sending":
            raise Crash
        if not (self.answers and self.commits):
            return lambda: Answer(kind=AnswerKind.LOST)
        return lambda: Answer(kind=AnswerKind.ACK, receipt=f"receipt of {request.reference}")

    def lookup(self, reference, participant):
        if reference not in self.committed:
            return Answer(kind=AnswerKind.EMPTY)
        return Answer(kind=AnswerKind.FOUND, receipt=f"receipt of {reference}")


class Agent:
    """A receiver on two files, which can be killed and begin again."""

    def __init__(self, folder):
        self._folder, self.provider = folder, Provider()
        self._clock = count(1).__next__
        self.epoch, self.answers = 1, []
        self.begin()
        self.say(Fact.GRANT, 1)
        self.say(Fact.POLICY_EPOCH, 1)

    def begin(self):
        """Open both stores, as a new process does."""
        self.ledger = ReceiverStore(self._folder / "ledger.db")
        self.recovery = RecoveryStore(self._folder / "recovery.db")
        application = Application(
            store=self.recovery, provider=self.provider, policy=ledger, clock=self._clock, lease_span=100
        )
        self.effects = ExternalEffects(application=application, authorise=self.authorise, worker="agent-b")
        self.receiver = Receiver(TARGET, self.ledger, KINDS, self.answers.append, self.effects.decide)

    def restart(self):
        self.ledger._db = getattr(self.ledger._db, "connection", self.ledger._db)
        self.ledger.close()
        self.recovery.close()
        self.provider.dies = None
        self.begin()

    def say(self, fact, value):
        self.recovery.set_fact(fact, SCOPE, value, self._clock())

    def authorise(self, obligation):
        return AuthorizationInstance(
            id=obligation.id,
            scope=SCOPE,
            action={"forward": obligation.payload},
            policy_epoch=self.epoch,
            expires_at=10_000,
        )

    def receive(self, obligation, seconds=0):
        delivery = Delivery(obligation=obligation, deadline=DEADLINE, attempt=1)
        self.receiver.receive(delivery, at(seconds))
        return self.answers[-1]

    def look_again(self, seconds=0):
        resolve = partial(self.receiver.resolve, now=at(seconds))
        self.effects.look_again(self.receiver.deferred(), resolve)
        return self.answers[-1]


@pytest.fixture
def agent(tmp_path):
    return Agent(tmp_path)


REVOKE = consent("revoke")


def test_an_effect_that_was_acknowledged_is_applied_and_asked_for_once(agent):
    assert agent.receive(REVOKE).status is AckStatus.APPLIED
    assert agent.receive(REVOKE).status is AckStatus.APPLIED
    (request,) = agent.provider.requests
    assert (request.reference, request.scope) == ("revoke/1", SCOPE)
    assert agent.receiver.state(CONSENT_KEY) == "withheld"


def test_what_authority_denies_is_declined_with_the_reason(agent):
    agent.say(Fact.GRANT, 0)
    ack = agent.receive(REVOKE)
    assert (ack.status, ack.reason) == (AckStatus.DECLINED, "revoked")
    assert agent.provider.requests == []
    assert agent.receiver.state(CONSENT_KEY) is None


def test_what_is_not_known_is_deferred_until_a_look_finds_it(agent):
    agent.provider.commits = False
    assert agent.receive(REVOKE).status is AckStatus.DEFERRED
    assert agent.look_again().status is AckStatus.DEFERRED
    assert len(agent.answers) == 1  # nothing more is known, so nobody is told anything
    agent.say(Fact.GRANT, 0)
    agent.provider.committed.add("revoke/1")
    assert agent.look_again().status is AckStatus.APPLIED
    assert agent.receiver.state(CONSENT_KEY) == "withheld"
    assert len(agent.provider.requests) == 1


def test_a_death_after_the_request_has_left_is_followed_by_a_look_and_no_second_request(agent):
    agent.provider.dies = "after sending"
    with pytest.raises(Crash):
        agent.receive(REVOKE)
    agent.restart()
    assert agent.receive(REVOKE).status is AckStatus.APPLIED
    assert len(agent.provider.requests) == 1


def test_a_death_between_effect_and_answer_is_followed_by_the_answer_alone(agent):
    agent.ledger._db = Doomed(agent.ledger._db, 1, True, "COMMIT")
    with pytest.raises(Crash):
        agent.receive(REVOKE)
    assert agent.answers == []
    agent.restart()
    assert agent.receive(REVOKE).status is AckStatus.APPLIED
    assert len(agent.provider.requests) == 1


def test_what_may_have_left_is_not_guessed_at_and_not_sent_again(agent):
    agent.provider.dies = "before sending"
    with pytest.raises(Crash):
        agent.receive(REVOKE)
    agent.restart()
    assert agent.receive(REVOKE).status is AckStatus.DEFERRED
    assert agent.look_again(5).status is AckStatus.DEFERRED
    assert agent.provider.requests == []


def test_an_obligation_keeps_the_authority_that_it_was_first_given(agent):
    agent.provider.dies = "after sending"
    with pytest.raises(Crash):
        agent.receive(REVOKE)
    agent.restart()
    agent.epoch = 2
    assert agent.receive(REVOKE).status is AckStatus.APPLIED
    assert agent.recovery.instance("revoke").policy_epoch == 1


def test_an_effect_that_is_found_after_the_deadline_is_not_acknowledged_as_applied(agent):
    agent.provider.answers = False
    agent.receive(REVOKE)
    ack = agent.look_again(6)
    assert (ack.status, ack.reason) == (AckStatus.DECLINED, "expired")
    assert agent.recovery.reservation("revoke") == "charged"


def test_a_look_that_raises_keeps_no_other_from_its_turn(agent):
    agent.provider.answers = False
    agent.receive(consent("grant"))
    agent.receive(REVOKE)
    lookup = agent.provider.lookup

    def flaky(reference, participant):
        if reference.startswith("grant/"):
            raise ConnectionResetError(reference)
        return lookup(reference, participant)

    agent.provider.lookup = flaky
    with pytest.raises(ExceptionGroup, match="look again") as raised:
        agent.look_again()
    assert [type(error) for error in raised.value.exceptions] == [ConnectionResetError]
    assert agent.recovery.reservation("revoke") == "charged"
    assert [entry.obligation.id for entry in agent.receiver.deferred()] == ["grant"]


def test_what_somebody_else_deferred_is_left_alone(tmp_path):
    agent = Agent(tmp_path)
    agent.receiver = Receiver(TARGET, agent.ledger, KINDS, agent.answers.append, lambda _: DEFERRED)
    agent.receive(REVOKE)
    agent.look_again()
    agent.recovery.register(agent.authorise(REVOKE))
    agent.look_again()
    assert agent.provider.requests == []


def test_an_id_stands_for_one_effect(agent):
    agent.provider.dies = "after sending"
    with pytest.raises(Crash):
        agent.receive(REVOKE)
    agent.restart()
    with pytest.raises(Conflict, match="'revoke' stands for another effect"):
        agent.receive(consent("grant", name="revoke"))
    assert agent.receive(REVOKE).status is AckStatus.APPLIED


def test_an_instance_has_the_id_of_its_obligation(agent):
    named = replace(agent.effects, authorise=lambda _: agent.authorise(consent("grant")))
    with pytest.raises(ValueError, match="'grant' is for 'revoke': give it that id"):
        named.decide(REVOKE)


def test_a_policy_that_may_send_again_is_refused(agent):
    with pytest.raises(ValueError, match="use ledger"):
        replace(agent.effects, application=replace(agent.effects.application, policy=revalidate))


def test_the_readme_s_example_runs_as_it_stands_there():
    blocks = re.findall(
        r"```python\n(.*?)```", (Path(__file__).parents[2] / "README.md").read_text(), re.DOTALL
    )
    recovery, external = (
        next(code for code in blocks if imports in code)
        for imports in ("from abhyasa.recovery import (", "from abhyasa.external import")
    )
    exec(recovery + external, {})
