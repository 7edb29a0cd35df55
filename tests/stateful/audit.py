"""Deliver-or-report, once the clock has run out: the guarantee of section 4, from the logs of both sides."""

from collections import Counter

TERMINAL = {"applied", "declined", "escalated"}


def require_deliver_or_report(story, custody, receptions, sent):
    """Fail unless every transfer ended as the guarantee says."""
    numbers = Counter((delivery.obligation.id, delivery.attempt) for delivery in sent)
    for name, transfer in custody.transfers.items():
        honoured = receptions[transfer.obligation.target].status(transfer.obligation)
        admissible = transfer.meaning.safe is not None
        ends = TERMINAL if admissible else {"best_effort"}
        rule = "deliver-or-report: applied, declined or escalated, and none is silently lost"
        story.require(transfer.status in ends, rule, name, sorted(ends), transfer.status)
        if transfer.status in ("applied", "declined"):
            rule = "section 4: an ack attests what became of the obligation at its receiver"
            expected = {transfer.status} if transfer.reason != "conflict" else {None}
            story.require(honoured in expected, rule, name, expected, honoured)
        made = [number for (concerned, number), _ in numbers.items() if concerned == name]
        rule = "AB-2: R retries follow the first delivery, and no crash refills the budget"
        story.require(all(number <= transfer.budget for number in made), rule, name, transfer.budget, made)
        story.require(
            all(count == 1 for (concerned, _), count in numbers.items() if concerned == name), rule, name
        )
