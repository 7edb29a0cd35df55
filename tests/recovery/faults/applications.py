"""Wrong turns in the application."""

from dataclasses import replace
from typing import ClassVar

from abhyasa.recovery import (
    Application,
    Boundary,
    Denial,
    EffectEvidence,
    Fact,
    Outcome,
    ReconcilePermit,
    Report,
    Source,
)


class ForAnotherPrincipal(Application):
    """The request names the operator, not the principal."""

    def _request(self, permit):
        request = super()._request(permit)
        return replace(request, scope=replace(request.scope, principal="operator"))


class AmountRounded(Application):
    """The request asks for another amount than was approved."""

    def _request(self, permit):
        request = super()._request(permit)
        return replace(request, action=request.action.replace("4200", "4000"))


class ReferenceOfItsOwn(Application):
    """The request goes by a reference that no intent has."""

    def _request(self, permit):
        return replace(super()._request(permit), reference="retry-1")


class SentTwice(Application):
    """The transport repeats a request by itself."""

    def _request(self, permit):
        request = super()._request(permit)
        self.provider.send(request)
        return request


class SilenceIsSuccess(Application):
    """An answer without a receipt is taken for success."""

    def _dispatch(self, permit):
        yield from super()._dispatch(permit)
        return Report(outcome=Outcome.SUCCESS)


class NeverPersisted(Application):
    """What was seen is settled at once, and not kept."""

    def _reconcile(self, lease, evidence):
        return (yield from self._settle(lease, evidence.receipt))


class NeverSettled(Application):
    """What was seen is reported, and not settled."""

    def _settle(self, lease, receipt):
        return Report(outcome=Outcome.SUCCESS)
        yield


class LossDenies(Application):
    """A run whose grant is gone is denied, whatever it has done before."""

    def _resume(self, lease, row):
        said = self.store.said(Fact.GRANT, row.instance.scope)
        if said[-1][0] == 0:
            return Report(outcome=Outcome.DENIED, reason=Denial.REVOKED)
        return (yield from super()._resume(lease, row))


class ReceiptInMemory(Application):
    """A receipt is kept beside the store, where another worker finds it."""

    seen: ClassVar[dict[str, EffectEvidence]] = {}

    def _dispatch(self, permit):
        self.seen.clear()
        steps = super()._dispatch(permit)
        for boundary in steps:
            if boundary is Boundary.ACK:
                receipt = f"receipt of {permit.reference}"
                self.seen["last"] = EffectEvidence(
                    reference=permit.reference, receipt=receipt, source=Source.ACK
                )
            yield boundary
        return Report(outcome=Outcome.UNKNOWN)


class PermitForEver(Application):
    """A permission to reconcile is taken once, and trusted after that."""

    def _reconcile(self, lease, evidence):
        self.store.observe(ReconcilePermit(lease=lease), evidence, self.clock())
        yield Boundary.PERSISTED
        return (yield from self._settle(lease, evidence.receipt))
