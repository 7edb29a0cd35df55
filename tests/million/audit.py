"""The audit of a batch that is over: what is durable on either side, and the log of every call from outside.

Rule 1: no predicate of the core is asked. The rules are those of `tests.stateful`, written once more from
        the paper and the decisions; moments are compared exactly.
Rule 2: what is counted is counted from what was audited.
"""

from collections import Counter

from tests.million.custodian_audit import CustodianAudit
from tests.million.hindsight import Hindsight
from tests.million.plan import CUSTODIAN
from tests.million.receiver_audit import ReceiverAudit
from tests.stateful.audit import require_deliver_or_report


def audited(plan, world):
    """Return what a batch came to, by name. Raises Broken, with the story, for any rule that was broken."""
    log, story = world.log, Hindsight()
    _tell(log, story)
    story.require(not log.torn, "AB-1, AB-3: what leaves is already durable", None, [], log.torn)
    custodian = CustodianAudit(plan, log, story)
    custodian.require_all(world.custodian)
    transfers = custodian.custody.transfers
    receptions = {name: ReceiverAudit(name, transfers, log, story) for name in world.receivers}
    for name, process in world.receivers.items():
        receptions[name].require_all(process)
    sent = [delivery for _, delivery in log.sent]
    require_deliver_or_report(story, custodian.custody, receptions, sent)
    counts = _counts(log, transfers, receptions)
    counts.update(custodian.counts)
    return counts


def _tell(log, story):
    for name, moments in log.asked.items():
        for moment in moments:
            story.tell_of(moment, name, "the principal issues it")
    for moment, delivery in log.sent:
        story.tell_of(moment, delivery.obligation.id, f"delivery {delivery.attempt} leaves")
    for moment, ack, survived in log.acked:
        end = "" if survived else ", and the custodian dies"
        story.tell_of(moment, ack.obligation_id, f"an ack arrives: {ack.status.value}{end}")


def _counts(log, transfers, receptions):
    statuses = Counter(transfer.status for transfer in transfers.values())
    return Counter(
        {
            "transfers": len(transfers) + len(log.refused),
            "issued more than once": sum(len(moments) > 1 for moments in log.asked.values()),
            "refused, for another has the sequence": len(log.refused),
            "sent best-effort": statuses["best_effort"],
            "applied": statuses["applied"],
            "declined": statuses["declined"],
            "  and safe(O) applied": _count(
                transfers, lambda one: one.status == "declined" and one.protected
            ),
            "escalated": statuses["escalated"],
            "  while the receiver deferred": _count(
                transfers, lambda one: one.status == "escalated" and one.deferred
            ),
            "  though the receiver applied it": _count(
                transfers, lambda one: one.status == "escalated" and _honoured(one, receptions)
            ),
            "  and safe(O) superseded": _count(
                transfers, lambda one: one.status == "escalated" and not one.protected
            ),
            "deliveries": len(log.sent),
            "acknowledgments": len(log.acked),
            "crashes of custodians": log.crashes[CUSTODIAN],
            "crashes of receivers": log.crashes.total() - log.crashes[CUSTODIAN],
        }
    )


def _count(transfers, holds):
    return sum(holds(transfer) for transfer in transfers.values())


def _honoured(transfer, receptions):
    return receptions[transfer.obligation.target].status(transfer.obligation) == "applied"
