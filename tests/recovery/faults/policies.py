"""Wrong turns in a policy."""

from abhyasa.recovery import EffectEvidence, Outcome, Source
from tests.recovery.faults.applications import ReceiptInMemory


def empty_means_absent(case):
    """An empty lookup is taken for the absence of an effect."""
    return case.lookup() or case.reuse()


def key_forgotten(case):
    """The key is made anew for each delivery."""
    return case.reuse()


def receipt_guessed(case):
    """A provider's receipts are so regular that one need not wait for them."""
    reference = case.key.replace("#", "/")
    return EffectEvidence(reference=reference, receipt=f"receipt of {reference}", source=Source.LOOKUP)


def unknown_once_is_enough(case):
    """An outcome that has been reported unknown before is not waited for any longer."""
    store, lease = case._application.store, case._lease
    told = store.records("reports", ("outcome",), lease.instance_id)
    return case.lookup() or (case.readmit() if (Outcome.UNKNOWN,) in told else None)


def from_memory(_):
    """A receipt is taken from where another worker has left it."""
    return ReceiptInMemory.seen["last"]
