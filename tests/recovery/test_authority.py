"""The ten authority cases of the component study (section 6), on the transaction that admits.

The paper names eight kinds for ten cases; that A01 and A02, and A04 and A05, are two each is our reading.
"""

from dataclasses import replace

import pytest

from abhyasa.recovery import Application, Denial, DispatchPermit, Fact, Lease, RecoveryStore, ledger
from tests.recovery.clock import Clock
from tests.recovery.corpus import EXPIRES_AT, INSTANCE, LEASE_SPAN, SCOPE, STRANGER

UNAPPROVED = replace(INSTANCE, approval=None)


def refuse(_):
    return False


def crash(_):
    raise ConnectionError("the dependency is down")


def asked(instance=INSTANCE, said=(), at=0, scope=SCOPE, lease_span=LEASE_SPAN, dependency=None):
    """Return what comes of asking for a first dispatch, with a current grant and what was `said` since."""
    store, clock = RecoveryStore(), Clock()
    application = Application(
        store=store,
        provider=None,
        policy=ledger,
        clock=clock,
        lease_span=lease_span,
        dependency=dependency,
    )
    store.register(instance)
    for fact, value in ((Fact.GRANT, 1), (Fact.POLICY_EPOCH, 1), *said):
        store.set_fact(fact, SCOPE, value, clock())
    now = clock()
    lease = store.claim(instance.id, scope, "w1", now + lease_span, now)
    clock.reach(at)
    answer = application.admit(lease) if isinstance(lease, Lease) else lease
    assert store.reservation(instance.id) == ("held" if isinstance(answer, DispatchPermit) else None)
    return answer


@pytest.mark.parametrize(
    "case",
    [
        pytest.param({"instance": UNAPPROVED}, id="A01 current grant, no approval needed"),
        pytest.param({"said": [(Fact.APPROVAL_REQUIRED, 1)]}, id="A02 current grant and live approval"),
    ],
)
def test_a_current_grant_permits(case):
    assert isinstance(asked(**case), DispatchPermit)


@pytest.mark.parametrize(
    ("case", "denial"),
    [
        pytest.param({"said": [(Fact.GRANT, 0)]}, Denial.REVOKED, id="A03 revoked"),
        pytest.param({"said": [(Fact.POLICY_EPOCH, 2)]}, Denial.POLICY_CHANGED, id="A04 epoch advanced"),
        pytest.param(
            {"instance": UNAPPROVED, "said": [(Fact.APPROVAL_REQUIRED, 1)]},
            Denial.APPROVAL_MISSING,
            id="A05 approval now demanded",
        ),
        pytest.param({"dependency": refuse}, Denial.DEPENDENCY_REFUSED, id="A06 dependency refuses"),
        pytest.param({"dependency": crash}, Denial.DEPENDENCY_REFUSED, id="A06 dependency is down"),
        pytest.param({"lease_span": 1}, Denial.LEASE_EXPIRED, id="A07 lease expired"),
        pytest.param({"said": [(Fact.CANCELLED, 1)]}, Denial.CANCELLED, id="A08 cancelled"),
        pytest.param({"scope": STRANGER}, Denial.WRONG_SCOPE, id="A09 wrong run"),
        pytest.param({"at": EXPIRES_AT - 1}, Denial.APPROVAL_EXPIRED, id="A10 approval expired"),
    ],
)
def test_without_authority_nothing_is_permitted_nor_reserved(case, denial):
    assert asked(**case) is denial


def test_an_approval_holds_until_the_moment_at_which_it_expires():
    assert isinstance(asked(at=EXPIRES_AT - 2), DispatchPermit)


def test_what_the_authority_says_of_another_scope_does_not_count():
    store, clock = RecoveryStore(), Clock()
    store.register(INSTANCE)
    store.set_fact(Fact.POLICY_EPOCH, SCOPE, 1, clock())
    store.set_fact(Fact.GRANT, replace(SCOPE, principal="mallory"), 1, clock())
    lease = store.claim(INSTANCE.id, SCOPE, "w1", LEASE_SPAN, clock())
    assert store.admit(lease, clock()) is Denial.REVOKED
