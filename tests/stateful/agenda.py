"""What the rules promise of the agenda: when a host must come back, and whom it serves first."""


def require_schedule(story, custody, next_due):
    """The host is called back for the first wait that ends, and only while something is pending."""
    steps = [transfer.next_step() for transfer in custody.pending()]
    if not steps:
        story.require(next_due is None, "AB-1: custody that has ended asks for nothing", None, None, next_due)
        return
    earliest, latest = min(step[0] for step in steps), min(step[1] for step in steps)
    story.require(
        next_due is not None and earliest <= next_due <= latest,
        "AB-2, AB-4: the host is called back when the first wait ends, or the first deadline comes",
        None,
        f"{earliest} to {latest}",
        next_due,
    )


def require_fair_agenda(story, custody, agenda, now):
    """Every due obligation is named, fail-safes first, and none is starved by another's target."""
    named = {name: custody.transfers[name] for name in agenda}
    overdue = {transfer.obligation.id: transfer for transfer in custody.overdue(now)}
    rule = "AB-2, AB-4: the agenda names every obligation for which something is due"
    story.require(overdue.keys() <= named.keys(), rule, None, sorted(overdue), agenda)
    early = [
        name for name, transfer in named.items() if not transfer.pending or now < transfer.next_step()[0]
    ]
    story.require(
        not early, "AB-2: nothing is due before its wait has ended", None, "not on the agenda", early
    )
    fail_safes = [name for name, transfer in named.items() if transfer.needs_fail_safe(now)]
    rule = "AB-4: no delivery comes before a fail-safe that is due: one that hangs delays no other"
    story.require(set(agenda[: len(fail_safes)]) == set(fail_safes), rule, None, fail_safes, agenda)
    first = named[agenda[0]] if agenda and not fail_safes else None
    if first is not None and first.attempts:
        starved = [name for name, other in overdue.items() if other.next_step()[1] <= first.attempts[-1]]
        rule = "AB-2: none is served twice while another waits its turn"
        story.require(not starved, rule, None, starved, agenda)
