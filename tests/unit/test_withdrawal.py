"""A revocation stands against every grant that was accepted before it (section 5).

"Applied immediately and unconditionally when the decision is issued", "never gated on the remote
acknowledgment": so no acknowledgment, however late, of an older decision may undo it.
"""

import pytest

from abhyasa import CustodianStore, Kinds, Obligation, Status
from abhyasa.kinds import Consent
from tests.unit.rig import CONSENT_KEY, TARGET, Rig, ack_of, at, consent


@pytest.fixture
def rig():
    return Rig()


def confirm(rig, obligation, seconds=0.0):
    rig.custodian.receive_ack(ack_of(obligation), at(seconds))
    assert rig.record(obligation.id).status is Status.APPLIED


def authority(rig):
    return rig.custodian.principal(CONSENT_KEY)


@pytest.mark.parametrize(("granted", "revoked"), [(None, None), (None, 1), (1, None), (1, 2), (9, None)])
@pytest.mark.parametrize("later", [0, 1])
def test_a_late_ack_of_an_older_grant_does_not_lift_a_revocation(rig, granted, revoked, later):
    grant, revoke = consent("grant", sequence=granted), consent("revoke", sequence=revoked)
    rig.accept(grant)
    rig.accept(revoke, later)
    confirm(rig, grant, later)
    assert authority(rig) == "withheld"
    confirm(rig, revoke, later)
    assert authority(rig) == "withheld"


def test_a_late_ack_after_the_revocation_was_confirmed_lifts_nothing_either(rig):
    grant, revoke = consent("grant"), consent("revoke")
    rig.accept(grant)
    rig.accept(revoke)
    confirm(rig, revoke)
    confirm(rig, grant)
    assert authority(rig) == "withheld"


def test_a_revocation_withdraws_every_older_grant(rig):
    grants = [consent("grant", name) for name in ("first", "second")]
    for decision in (*grants, consent("revoke")):
        rig.accept(decision)
    for grant in grants:
        confirm(rig, grant)
    assert authority(rig) == "withheld"


@pytest.mark.parametrize("granted", [None, 2])
@pytest.mark.parametrize("revoked", [None, 1])
def test_a_grant_that_is_issued_after_the_revocation_permits(rig, granted, revoked):
    rig.accept(consent("revoke", sequence=revoked))
    grant = consent("grant", sequence=granted)
    rig.accept(grant)
    assert authority(rig) == "withheld"
    confirm(rig, grant)
    assert authority(rig) == "permitted"


def test_between_two_sequences_the_sequence_says_which_is_older(rig):
    newer = consent("grant", sequence=2)
    rig.accept(newer)
    rig.accept(consent("revoke", sequence=1))
    confirm(rig, newer)
    assert authority(rig) == "permitted"


def test_a_superseded_revocation_withdraws_nothing(rig):
    for sequence in (2, 3):
        rig.accept(consent("grant", f"grant-{sequence}", sequence=sequence))
    unordered = consent("grant", "unordered")
    rig.accept(unordered)
    confirm(rig, consent("grant", "grant-3", sequence=3))
    rig.accept(consent("revoke", sequence=1))
    assert rig.record("unordered").at_discharge is not None
    assert authority(rig) == "permitted"


def test_a_withdrawal_is_durable(tmp_path):
    before = Rig(CustodianStore(tmp_path / "custody.db"))
    before.accept(consent("grant"))
    before.accept(consent("revoke"))
    before.custodian_store.close()
    restarted = Rig(CustodianStore(tmp_path / "custody.db"))
    confirm(restarted, consent("grant"))
    assert authority(restarted) == "withheld"


def test_a_revocation_withdraws_nothing_of_another_scope(rig):
    payload = {"decision": "grant", "scope": "mail"}
    elsewhere = Obligation(id="mail", kind="anumati.consent", target=TARGET, payload=payload)
    rig.accept(elsewhere)
    rig.accept(consent("revoke"))
    confirm(rig, elsewhere)
    assert rig.custodian.principal("consent/agent-b/mail") == "permitted"


def test_a_grant_withdraws_nothing_for_it_restricts_nothing(rig):
    first = consent("grant", "first")
    rig.accept(first)
    rig.accept(consent("grant", "second"))
    confirm(rig, first)
    assert authority(rig) == "permitted"


def test_a_best_effort_grant_that_is_issued_later_permits_at_once():
    rig = Rig(kinds=Kinds(Consent(grants="best_effort")))
    rig.accept(consent("revoke"))
    rig.accept(consent("grant"))
    assert authority(rig) == "permitted"


def test_a_best_effort_grant_withdraws_nothing_for_it_restricts_nothing(rig):
    rig.accept(consent("grant", "under-custody"))
    later = Rig(rig.custodian_store, kinds=Kinds(Consent(grants="best_effort")))
    later.accept(consent("grant", "best-effort"))
    assert later.record("under-custody").at_discharge is not None
