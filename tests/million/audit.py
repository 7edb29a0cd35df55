"""The audit of a batch that is over: what is durable on either side, and the log of every call from outside.

Rule 1: no predicate of the core is asked. The rules are those of `tests.stateful`, written once more from
        the paper and the decisions; moments are compared exactly.
Rule 2: what is counted is counted from what was audited.
"""

from collections import Counter
from datetime import timedelta

from abhyasa import Status
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
    everyone = list(transfers.values())
    by_status = {status: [one for one in everyone if one.status == status] for status in Status}
    escalated = by_status[Status.ESCALATED]
    # By how long the receiver's application came after the escalation, where it came at all.
    lateness = [
        applied_at - one.settled_at
        for one in escalated
        if (applied_at := receptions[one.obligation.target].applied_at(one.obligation)) is not None
    ]
    return Counter(
        {
            "transfers": len(everyone) + len(log.refused),
            "issued more than once": sum(len(moments) > 1 for moments in log.asked.values()),
            "refused, for another has the sequence": len(log.refused),
            "sent best-effort": len(by_status[Status.BEST_EFFORT]),
            "applied": len(by_status[Status.APPLIED]),
            "declined": len(by_status[Status.DECLINED]),
            "  and safe(O) applied": sum(one.protected for one in by_status[Status.DECLINED]),
            "escalated": len(escalated),
            "  while the receiver deferred": sum(one.deferred for one in escalated),
            "  and safe(O) superseded": sum(not one.protected for one in escalated),
            "  though the receiver had applied it": sum(late <= timedelta(0) for late in lateness),
            "  and applied by the receiver later": sum(late > timedelta(0) for late in lateness),
            "deliveries": len(log.sent),
            "acknowledgments": len(log.acked),
            "crashes of custodians": log.crashes[CUSTODIAN],
            "crashes of receivers": log.crashes.total() - log.crashes[CUSTODIAN],
        }
    )
