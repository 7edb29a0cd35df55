"""The 14 schedules of the study, as data: a reconstruction from the published summary and totals.

The authors' own schedules are not public. What is scripted: which worker runs up to which boundary,
which one is killed, what the authority says meanwhile, and what becomes of the first request.
Whatever comes out is for the providers, the application and the checker to say.
"""

from dataclasses import dataclass, replace

from abhyasa.recovery import AuthorizationInstance, Boundary, Fact, Scope
from tests.recovery.providers import Treatment

EXPIRES_AT = 10_000
LEASE_SPAN = 1_000_000

SCOPE = Scope(organisation="acme", principal="alice", run="run-1")
INSTANCE = AuthorizationInstance(
    id="refund-17",
    scope=SCOPE,
    action={"kind": "refund", "order": "A-17", "amount": 4200},
    policy_epoch=1,
    expires_at=EXPIRES_AT,
    approval="approval-17",
)
#: Another instance that was approved by the same approval.
RIVAL = replace(INSTANCE, id="refund-18", scope=replace(SCOPE, run="run-2"))
STRANGER = Scope(organisation="acme", principal="mallory", run="run-9")


PROMPT = Treatment()
LOST = Treatment(acked=False)
DELAYED = Treatment(commits=False, acked=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A worker starts, or goes on where it stands, up to a boundary or to its end."""

    worker: str
    to: Boundary | None = None
    scope: Scope = SCOPE
    settle_fails: bool = False

    def on(self, stage):
        stage.run(self)


@dataclass(frozen=True, slots=True)
class Kill:
    """A worker that stands at a boundary is killed."""

    worker: str

    def on(self, stage):
        stage.kill(self.worker)


@dataclass(frozen=True, slots=True)
class Say:
    """The authority says something about the instance's scope."""

    fact: Fact
    value: int

    def on(self, stage):
        stage.change(lambda store, clock: store.set_fact(self.fact, SCOPE, self.value, clock()))


@dataclass(frozen=True, slots=True)
class Expire:
    """Time passes until the approval expires."""

    def on(self, stage):
        stage.clock.reach(EXPIRES_AT)


@dataclass(frozen=True, slots=True)
class UseApproval:
    """Another instance is admitted on the same approval."""

    def on(self, stage):
        stage.change(_admit_rival)


@dataclass(frozen=True, slots=True)
class Tell:
    """The provider's control does something: close_window or commit_pending."""

    command: str

    def on(self, stage):
        stage.tell(self.command)


def _admit_rival(store, clock):
    store.register(RIVAL)
    lease = store.claim(RIVAL.id, RIVAL.scope, "rival", LEASE_SPAN, clock())
    store.admit(lease, clock())


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What happens in a history, in order, and what becomes of the first request."""

    name: str
    steps: tuple
    first: Treatment = PROMPT


def _killed_at(boundary, *meanwhile, **first_run):
    """The first worker is killed at a boundary, something happens, and another is run to its end."""
    return (Run(worker="w1", to=boundary, **first_run), Kill("w1"), *meanwhile, Run(worker="w2"))


REVOKE = Say(Fact.GRANT, 0)
GRANT = Say(Fact.GRANT, 1)

SCHEDULES = (
    Schedule(name="S01_clean", steps=(Run(worker="w1"),)),
    Schedule(name="S02_crash_after_observation", steps=_killed_at(Boundary.PERSISTED)),
    Schedule(
        name="S03_settlement_rollback_revoked",
        steps=_killed_at(Boundary.SETTLE_ABORTED, REVOKE, settle_fails=True),
    ),
    Schedule(name="S04_settled_host_ack_lost", steps=_killed_at(Boundary.SETTLED)),
    Schedule(
        name="S05_replaced_before_dispatch",
        steps=(
            Run(worker="w1", to=Boundary.PRE_ADMIT),
            Run(worker="w2", to=Boundary.SENT),
            Run(worker="w1"),
            Run(worker="w2"),
        ),
    ),
    Schedule(name="S06_revoked_before_dispatch", steps=_killed_at(Boundary.PRE_ADMIT, REVOKE)),
    Schedule(name="S07_approval_expired", steps=_killed_at(Boundary.PRE_ADMIT, Expire())),
    Schedule(
        name="S08_policy_epoch_changed",
        steps=_killed_at(Boundary.PRE_ADMIT, Say(Fact.POLICY_EPOCH, INSTANCE.policy_epoch + 1)),
    ),
    Schedule(name="S09_approval_consumed", steps=_killed_at(Boundary.PRE_ADMIT, UseApproval())),
    Schedule(
        name="S10_wrong_scope_resume",
        steps=(
            Run(worker="w1", to=Boundary.PRE_ADMIT),
            Kill("w1"),
            Run(worker="w2", scope=STRANGER),
        ),
    ),
    Schedule(name="S11_ack_lost", steps=_killed_at(Boundary.NOACK), first=LOST),
    Schedule(name="S12_dedup_expired", steps=_killed_at(Boundary.ACK, Tell("close_window"))),
    Schedule(name="S13_ack_lost_then_revoked", steps=_killed_at(Boundary.NOACK, REVOKE), first=LOST),
    Schedule(name="S14_revoked_commit_delayed", steps=_killed_at(Boundary.NOACK, REVOKE), first=DELAYED),
)

#: Histories that the 14 do not hold, for faults that those cannot show.
EXTENSIONS = (
    Schedule(
        name="X01_replaced_after_ack",
        steps=(
            Run(worker="w1", to=Boundary.ACK),
            Run(worker="w2"),
            Run(worker="w1"),
        ),
    ),
    Schedule(
        name="X02_still_pending_at_the_second_recovery",
        steps=(*_killed_at(Boundary.NOACK), Run(worker="w3")),
        first=DELAYED,
    ),
    Schedule(
        name="X03_granted_again_after_a_denial",
        steps=(*_killed_at(Boundary.PRE_ADMIT, REVOKE), GRANT, Run(worker="w3")),
    ),
    Schedule(
        name="X04_revoked_while_the_worker_waits",
        steps=(Run(worker="w1", to=Boundary.PRE_ADMIT), REVOKE, Run(worker="w1")),
    ),
    Schedule(
        name="X05_committed_between_two_recoveries",
        steps=(*_killed_at(Boundary.NOACK), Tell("commit_pending"), Run(worker="w3")),
        first=DELAYED,
    ),
    Schedule(
        name="X06_a_stranger_asks_meanwhile",
        steps=(Run(worker="w1", to=Boundary.SENT), Run(worker="w2", scope=STRANGER), Run(worker="w1")),
    ),
    Schedule(
        name="X07_sent_by_a_worker_that_was_replaced",
        steps=(
            Run(worker="w1", to=Boundary.ADMITTED),
            Run(worker="w2"),
            Run(worker="w1"),
            Run(worker="w3"),
        ),
    ),
    Schedule(
        name="X08_sent_too_late_for_its_key",
        steps=(
            Run(worker="w1", to=Boundary.ADMITTED),
            Run(worker="w2"),
            Tell("close_window"),
            Run(worker="w1"),
        ),
    ),
)
