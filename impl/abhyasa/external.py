"""Effects in somebody else's system: a receiver's application that leaves them to `abhyasa.recovery`.

An effect on the receiver's own state is committed with the answer. One at a provider (a refund, a
ticket, a token revoked elsewhere) cannot be, so it follows the rule of the ledger policy: a durable
intent first, and where its outcome is not known, look it up; never guess, and never send again.

Rule 1: the obligation's id is the instance's, so its effect is asked for at most once, however often
        it is delivered, and wherever the receiver died.
Rule 2: an effect that was seen is APPLIED, a denial is DECLINED with its reason, and whatever is not
        known is DEFERRED: custody stays with the custodian, who escalates at the deadline.
Rule 3: an obligation was authorised once. That authority may be gone when it is looked at again, and
        what was begun is concluded all the same.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from abhyasa.core.errors import Conflict
from abhyasa.core.obligation import AckStatus, Obligation
from abhyasa.core.receiver import Decision, LedgerEntry
from abhyasa.recovery import Application, AuthorizationInstance, Outcome, ledger

_STATUS = {
    Outcome.SUCCESS: AckStatus.APPLIED,
    Outcome.DENIED: AckStatus.DECLINED,
    Outcome.UNKNOWN: AckStatus.DEFERRED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalEffects:
    """What a receiver asks where the effect is a provider's: give it `decide`, and call `look_again`.

    `authorise` says what an obligation asks of the provider, for whom, and under what authority: an
    instance with the obligation's id, whose scope and action follow from the obligation alone.
    `worker` names this receiver in the leases. Raises ValueError for a policy that sends again.
    """

    application: Application
    authorise: Callable[[Obligation], AuthorizationInstance]
    worker: str

    def __post_init__(self) -> None:
        if self.application.policy is not ledger:
            raise ValueError("the policy may send again, and the effect come twice: use ledger")

    def decide(self, obligation: Obligation) -> Decision:
        """Bring the effect as far as it goes, and answer what is known of it then.

        Raises ValueError for an instance with another id, Conflict for an obligation whose id stands for
        another effect, and what the provider or the store raises; then nothing is answered, and the
        redelivery goes on from what is durable.
        """
        asked = self.authorise(obligation)
        if asked.id != obligation.id:
            raise ValueError(f"the instance {asked.id!r} is for {obligation.id!r}: give it that id")
        store = self.application.store
        known = store.instance(asked.id)
        if known is None:
            store.register(asked)
        elif (known.scope, known.action_text) != (asked.scope, asked.action_text):
            raise Conflict(f"{asked.id!r} stands for another effect: choose another id")
        report = self.application.run(asked.id, asked.scope, self.worker)
        return Decision(status=_STATUS[report.outcome], reason=report.reason or "")

    def look_again(self, deferred: Iterable[LedgerEntry], resolve: Callable[[str, Decision], None]) -> None:
        """Look up each deferred obligation that was sent, and `resolve` those of which more is known now.

        `resolve` is that of a ReceiverHost, or that of a Receiver with the time. Nothing is ever sent from
        here. Past its deadline, or superseded, an obligation is declined by the receiver although its
        effect was found; the store's `reservation` says what is so. One that raises keeps no other from its
        turn: what was raised comes at the end, as an ExceptionGroup.
        """
        raised = []
        for entry in deferred:
            try:
                self._look(entry.obligation, resolve)
            except Exception as error:
                raised.append(error)
        if raised:
            raise ExceptionGroup("these obligations stay deferred: look again", raised)

    def _look(self, obligation: Obligation, resolve: Callable[[str, Decision], None]) -> None:
        if self._was_sent(obligation.id):
            decision = self.decide(obligation)
            if decision.status is not AckStatus.DEFERRED:
                resolve(obligation.id, decision)

    def _was_sent(self, obligation_id: str) -> bool:
        store = self.application.store
        return store.instance(obligation_id) is not None and store.row(obligation_id).reference is not None
