"""What a checker is given of the application: JSON, read off the durable store and nothing else."""

from typing import Any, TypeAlias

from abhyasa.recovery.authority import Fact
from abhyasa.recovery.store import Transactions

Record: TypeAlias = dict[str, Any]

#: Per list of a history: what each of its records has, and the table it is read from.
_LISTS = {
    "leases": ("epoch", "worker", "expires_at", "at"),
    "heartbeats": ("epoch", "accepted", "at"),
    "intents": ("number", "reference", "key", "epoch", "judged_at", "at"),
    "observations": ("reference", "receipt", "source", "epoch", "at"),
    "settlements": ("receipt", "charge", "epoch", "at"),
    "reports": ("outcome", "reason", "organisation", "principal", "run", "at"),
}


def application_events(store: Transactions, instance_id: str) -> Record:
    """Return the instance, its authority's timeline, and all that the application made durable of it."""
    instance = store.row(instance_id).instance
    scope = instance.scope
    return {
        "instance": {
            "id": instance.id,
            "organisation": scope.organisation,
            "principal": scope.principal,
            "run": scope.run,
            "action": instance.action_text,
            "policy_epoch": instance.policy_epoch,
            "expires_at": instance.expires_at,
            "allowed_effects": instance.allowed_effects,
            "approval": instance.approval,
        },
        "authority": [
            {"fact": fact, "value": value, "at": at}
            for fact, said in (
                *((fact, store.said(fact, scope)) for fact in Fact),
                ("dependency", store.records("answers", ("answer", "at"), instance_id)),
            )
            for value, at in said
        ],
        "consumptions": [
            {"instance": consumer, "at": at} for consumer, at in store.consumptions(instance.approval)
        ],
        **{
            table: [
                dict(zip(columns, cells, strict=True)) for cells in store.records(table, columns, instance_id)
            ]
            for table, columns in _LISTS.items()
        },
        "reservation": store.reservation(instance_id),
    }
