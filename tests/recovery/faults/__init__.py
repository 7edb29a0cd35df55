"""Planted faults: each is a small wrong turn, and the table says which rule is meant to see it."""

from collections.abc import Callable
from dataclasses import dataclass

from abhyasa.recovery import Application, ledger, revalidate, stable_key
from tests.recovery.faults.applications import (
    AmountRounded,
    ForAnotherPrincipal,
    LossDenies,
    NeverPersisted,
    NeverSettled,
    PermitForEver,
    ReceiptInMemory,
    ReferenceOfItsOwn,
    SentTwice,
    SilenceIsSuccess,
)
from tests.recovery.faults.policies import (
    empty_means_absent,
    from_memory,
    key_forgotten,
    receipt_guessed,
    unknown_once_is_enough,
)
from tests.recovery.faults.stores import (
    ApprovalNotConsumed,
    ApprovalShared,
    ChargedAgain,
    DenialForgotten,
    EpochsSkip,
    EverythingDenied,
    ExpiryForgotten,
    JudgedAtTheClaim,
    NothingJudged,
    ReconcilingUnfenced,
    ReservationReleased,
    ReservedBeforeJudged,
    SaysNothing,
    Unfenced,
    UnknownIsDenied,
    Unobserved,
)
from tests.recovery.stage import FailingStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Where a fault sits, the cell that shows it, and the rule that is meant to see it."""

    rule: str
    schedule: str
    contract: str = "P1"
    policy: Callable = ledger
    application: type = Application
    store: type = FailingStore
    sound: Callable = ledger


FAULTS = {
    "another principal": Fault(rule="R1", schedule="S01_clean", application=ForAnotherPrincipal),
    "another amount": Fault(rule="R1", schedule="S01_clean", application=AmountRounded),
    "nothing judged": Fault(rule="R2", schedule="S06_revoked_before_dispatch", store=NothingJudged),
    "expiry forgotten": Fault(rule="R2", schedule="S07_approval_expired", store=ExpiryForgotten),
    "policy not judged": Fault(rule="R2", schedule="S08_policy_epoch_changed", store=NothingJudged),
    "approval not consumed": Fault(rule="R3", schedule="S01_clean", store=ApprovalNotConsumed),
    "approval shared": Fault(rule="R3", schedule="S09_approval_consumed", store=ApprovalShared),
    "not judged again": Fault(
        rule="R4",
        schedule="S13_ack_lost_then_revoked",
        policy=revalidate,
        store=NothingJudged,
        sound=revalidate,
    ),
    "empty means absent": Fault(
        rule="R5", schedule="S14_revoked_commit_delayed", contract="P2", policy=empty_means_absent
    ),
    "unsupported means absent": Fault(
        rule="R5", schedule="S11_ack_lost", contract="P3", policy=empty_means_absent
    ),
    "unfenced": Fault(rule="R6", schedule="S05_replaced_before_dispatch", store=Unfenced),
    "epochs skip": Fault(rule="R6", schedule="S02_crash_after_observation", store=EpochsSkip),
    "key forgotten": Fault(rule="R7", schedule="S11_ack_lost", policy=key_forgotten, sound=stable_key),
    "reference of its own": Fault(rule="R8", schedule="S01_clean", application=ReferenceOfItsOwn),
    "sent twice": Fault(rule="R8", schedule="S01_clean", application=SentTwice),
    "reservation released": Fault(
        rule="R9", schedule="S14_revoked_commit_delayed", store=ReservationReleased
    ),
    "silence is success": Fault(
        rule="R9",
        schedule="S14_revoked_commit_delayed",
        policy=stable_key,
        application=SilenceIsSuccess,
        sound=stable_key,
    ),
    "unknown is denied": Fault(rule="R9", schedule="S11_ack_lost", contract="P3", store=UnknownIsDenied),
    "never persisted": Fault(rule="R10", schedule="S01_clean", application=NeverPersisted, store=Unobserved),
    "never settled": Fault(rule="R10", schedule="S01_clean", application=NeverSettled),
    "charged again": Fault(rule="R11", schedule="S04_settled_host_ack_lost", store=ChargedAgain),
    "everything denied": Fault(rule="R12", schedule="S01_clean", store=EverythingDenied),
    "loss denies": Fault(rule="R12", schedule="S03_settlement_rollback_revoked", application=LossDenies),
    "reserved before judged": Fault(
        rule="R12", schedule="S06_revoked_before_dispatch", store=ReservedBeforeJudged
    ),
    "says nothing": Fault(rule="R13", schedule="S01_clean", store=SaysNothing),
    "receipt guessed": Fault(rule="R14", schedule="S11_ack_lost", contract="P3", policy=receipt_guessed),
    "receipt in memory": Fault(
        rule="R14",
        schedule="S12_dedup_expired",
        contract="P3",
        policy=from_memory,
        application=ReceiptInMemory,
    ),
}

#: Faults that none of the 14 schedules shows, under any contract.
UNSEEN = {
    "permit for ever": Fault(
        rule="R6", schedule="X01_replaced_after_ack", application=PermitForEver, store=ReconcilingUnfenced
    ),
    "unknown once is enough": Fault(
        rule="R5",
        schedule="X02_still_pending_at_the_second_recovery",
        contract="P2",
        policy=unknown_once_is_enough,
    ),
    "denial forgotten": Fault(rule="R13", schedule="X03_granted_again_after_a_denial", store=DenialForgotten),
    "judged at the claim": Fault(
        rule="R2", schedule="X04_revoked_while_the_worker_waits", store=JudgedAtTheClaim
    ),
}
