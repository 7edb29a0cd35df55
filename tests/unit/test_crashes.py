"""A crash at every statement of every transaction, of either side, in every kind of transfer.

Both stores are files. At the chosen statement the process "dies": nothing that it would still do
is done, what it had in memory is gone, and a new endpoint opens the file and goes on. Whatever
the moment, deliver-or-report holds, the effect is applied at most once, and so is `safe(O)`.
"""

from contextlib import suppress
from itertools import count

import pytest

from abhyasa import CustodianStore, ReceiverStore, Status
from tests.doomed import Crash, Doomed
from tests.unit.rig import (
    APPLIED,
    CONSENT_KEY,
    DECLINED,
    DEFERRED,
    ROUTING_KEY,
    WEIGHT_KEY,
    Rig,
    at,
    consent,
    terms,
    update,
)

MAX_RETRIES = 3
BOUNDS = terms(window=4, max_retries=MAX_RETRIES)


class World:
    """Both endpoints on files, a channel that delivers at once, and a clock in whole seconds."""

    def __init__(self, folder, decision, dead_channel):
        self.folder, self.decision, self.dead_channel = folder, decision, dead_channel
        self.moment = 0
        self.delivered = []
        self.rig = None
        self.open()

    def open(self):
        self.rig = Rig(CustodianStore(self.folder / "custody.db"), ReceiverStore(self.folder / "ledger.db"))
        self.rig.decision = self.decision

    def close(self):
        self.spare()
        self.rig.custodian_store.close()
        self.rig.receiver_store.close()

    def spare(self):
        """Let what is still alive go on living: what follows only looks."""
        for store in (self.rig.custodian_store, self.rig.receiver_store):
            store._db = getattr(store._db, "connection", store._db)

    def doom(self, side, fatal, before):
        store = getattr(self.rig, f"{side}_store")
        store._db = Doomed(store._db, fatal, before)

    def run(self):
        """Drive the transfer to its end, as a host would: from the endpoints' answers alone."""
        rig = self.rig
        rig.custodian.accept(update(), BOUNDS, at(0))
        while rig.record().status is Status.PENDING:
            for name in rig.custodian.agenda(at(self.moment)):
                rig.custodian.advance(name, at(self.moment))
                self.exchange()
            self.moment += 1

    def exchange(self):
        while self.rig.sent and not self.dead_channel:
            delivery = self.rig.sent.pop()
            self.delivered.append(delivery.attempt)
            self.rig.receiver.receive(delivery, at(self.moment))
        while self.rig.replies:
            self.rig.custodian.receive_ack(self.rig.replies.pop(), at(self.moment))


SCENARIOS = {
    "applied": (APPLIED, False),
    "declined": (DECLINED, False),
    "deferred": (DEFERRED, False),
    "dead channel": (APPLIED, True),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("side", ["custodian", "receiver"])
@pytest.mark.parametrize("before", [True, False])
def test_deliver_or_report_holds_across_a_crash_at_any_statement(tmp_path, scenario, side, before):
    for fatal in count(1):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        world = World(folder, *SCENARIOS[scenario])
        world.doom(side, fatal, before)
        try:
            world.run()
        except Crash:
            world.close()
            world.open()
            world.run()
            crashed = True
        else:
            crashed = False
        world.spare()
        require_sound(world, scenario)
        world.close()
        if not crashed:
            assert fatal > 1 or (side, scenario) == ("receiver", "dead channel")
            return


def require_sound(world, scenario):
    rig = world.rig
    record, weight = rig.record(), rig.receiver.state(WEIGHT_KEY)
    expected = {"applied": "applied", "declined": "declined"}.get(scenario, "escalated")
    assert record.status.value == expected
    assert weight == (0.375 if scenario == "applied" else None)
    assert rig.custodian.principal(ROUTING_KEY) == (None if scenario == "applied" else 0.375)
    assert len(rig.custodian.escalations()) == (expected == "escalated")
    assert record.deliveries <= MAX_RETRIES + 1
    # A budget that is counted durably is never spent twice, so no attempt number repeats.
    assert len(set(world.delivered)) == len(world.delivered)


@pytest.mark.parametrize("before", [True, False])
def test_a_restrictive_decision_is_committed_with_its_acceptance_or_not_at_all(tmp_path, before):
    outcomes = set()
    for fatal in range(1, 12):
        path = tmp_path / f"{fatal}.db"
        store = CustodianStore(path)
        store._db = Doomed(store._db, fatal, before)
        with suppress(Crash):
            Rig(store).accept(consent("revoke", sequence=1))
        store.close()
        with CustodianStore(path) as survivor:
            accepted = survivor.record("revoke") is not None
            assert survivor.state(CONSENT_KEY) == ("withheld" if accepted else None)
            assert survivor.newest(CONSENT_KEY) == (1 if accepted else None)
            outcomes.add(accepted)
    assert outcomes == {True, False}
