"""The power is cut at each message and after each commit: what was told of is on the disk."""

from itertools import count

from abhyasa import AckStatus, Custodian, CustodianStore, Decision, Receiver, ReceiverStore
from tests.crash import audit, custodian, receiver
from tests.crash.plan import KINDS, TARGET, Item
from tests.crash.power import Disk
from tests.unit.rig import at, terms

ITEMS = (
    Item(id="applied"),
    Item(id="declined", answer="declined"),
    Item(id="deferred", answer="deferred"),
    Item(id="resolved", answer="deferred"),
    Item(id="benign", benign=True),
)


class World:
    """Both endpoints on files; at each message and command the power is cut, and what is left compared."""

    def __init__(self, folder):
        self.folder, self.cuts, self.seen = folder, count(), []
        self.custody = CustodianStore(folder / custodian.STORE)
        self.ledger = ReceiverStore(folder / receiver.STORE)
        self.principal_disk = Disk(folder / custodian.STORE, self.custody._db)
        self.agent_disk = Disk(folder / receiver.STORE, self.ledger._db)
        self.custodian = Custodian(self.custody, KINDS, self.send, self.custodian_did)
        self.receiver = Receiver(
            TARGET, self.ledger, KINDS, self.reply, self.decide, observe=self.receiver_did
        )
        self.moment = at(0)

    def decide(self, obligation):
        return Decision(status=obligation.payload["answer"])

    def send(self, delivery):
        left = audit.principal(self.principal_disk.after_power_cut(self.folder / f"cut{next(self.cuts)}"))
        assert left.custody[delivery.obligation.id].deliveries >= delivery.attempt
        self.receiver.receive(delivery, self.moment)

    def reply(self, ack):
        left = audit.agent(self.agent_disk.after_power_cut(self.folder / f"cut{next(self.cuts)}"))
        assert left.ledger[ack.obligation_id][0] == ack.status
        assert left.applied.get(ack.obligation_id, 0) == (ack.status is AckStatus.APPLIED)
        self.custodian.receive_ack(ack, self.moment)

    def custodian_did(self, command, now):
        left = audit.principal(self.principal_disk.after_power_cut(self.folder / f"cut{next(self.cuts)}"))
        assert left == audit.principal(self.folder)
        self.seen.append(type(command).__name__)

    def receiver_did(self, command, now):
        left = audit.agent(self.agent_disk.after_power_cut(self.folder / f"cut{next(self.cuts)}"))
        assert left == audit.agent(self.folder)
        self.seen.append(type(command).__name__)


def test_what_leaves_and_what_is_done_survives_a_power_cut_at_that_moment(tmp_path):
    world = World(tmp_path)
    for item in ITEMS:
        world.custodian.accept(item.obligation(), terms(), world.moment)
    for moment in range(7):
        world.moment = at(moment)
        if moment == 1:
            world.receiver.resolve("resolved", Decision(status=AckStatus.APPLIED), world.moment)
        for name in world.custodian.agenda(world.moment):
            world.custodian.advance(name, world.moment)
    statuses = {name: row.status for name, row in audit.principal(tmp_path).custody.items()}
    assert statuses == {
        "applied": "applied",
        "declined": "declined",
        "deferred": "escalated",
        "resolved": "applied",
        "benign": "best_effort",
    }
    commits = {"Accept", "Attempt", "MarkDeferred", "Discharge", "Escalate", "TakeNote"}
    assert set(world.seen) == commits | {"Apply", "Decline", "Defer", "Send", "Reply"}


def test_a_disk_shows_only_what_was_synced(tmp_path):
    store = CustodianStore(tmp_path / custodian.STORE)
    disk = Disk(tmp_path / custodian.STORE, store._db)
    endpoint = Custodian(store, KINDS, lambda _delivery: None)
    endpoint.accept(Item(id="synced").obligation(), terms(), at(0))
    store._db.execute("PRAGMA synchronous = NORMAL").fetchall()
    endpoint.accept(Item(id="unsynced").obligation(), terms(), at(0))
    left = audit.principal(disk.after_power_cut(tmp_path / "cut"))
    assert left.custody.keys() == {"synced"}
    assert audit.principal(tmp_path).custody.keys() == {"synced", "unsynced"}
