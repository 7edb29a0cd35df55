"""A consequential action as a Temporal activity.

Temporal starts an attempt anew when a worker does not answer in time, dead or only slow, and neither
the number of attempts nor a limit on them says what the last one did. This activity may be started
again at any time: the application's store knows how far it got, and fences a worker that was replaced.

Rule 1: the workflow names the instance. Whose scope it is run in, the worker says.
Rule 2: a denial and an unknown outcome are results, which Temporal does not retry: the workflow may
        wait, and call again. Whatever else is raised is retried, but for what no retry can mend: what is
        refused, and a scope that cannot be told. A StoreError says what to mend meanwhile.
Rule 3: an attempt that Temporal gives up runs to its end. The SDK would raise CancelledError in its
        thread, perhaps inside the tool, between the intent and the request: nobody could tell then.

The activity is synchronous: give the worker an `activity_executor`, and the call a
`start_to_close_timeout` that is longer than the tool takes. Of a slower one the next attempt sees
nothing yet, and returns UNKNOWN; it is for a later call to find what the slow one did.
"""

from collections.abc import Callable
from typing import TypeAlias

from abhyasa.core.errors import Refused
from abhyasa.hosts.run import Opening, run
from abhyasa.recovery import LeaseLost, Report, Scope

try:
    from temporalio import activity
    from temporalio.exceptions import ApplicationError
except ModuleNotFoundError as missing:
    missing.add_note("abhyasa.hosts.temporal needs Temporal's SDK: install abhyasa[temporal]")
    raise

Activity: TypeAlias = Callable[[str], Report]


def recovery_activity(
    opening: Opening,
    *,
    name: str,
    scope: Callable[[activity.Info], Scope],
    worker: str | None = None,
) -> Activity:
    """Return an activity of a name: it takes an instance's id, runs it, and returns the Report.

    `scope` says, from what is known of the call (its `workflow_id`, say), who acts. `worker` names the
    process, by default by host and number.
    """

    def told(info: activity.Info) -> Scope:
        try:
            return scope(info)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise _hopeless("Scope", error) from error

    @activity.defn(name=name, no_thread_cancel_exception=True)
    def recover(instance_id: str) -> Report:
        try:
            return run(opening, instance_id, told(activity.info()), worker)
        except LeaseLost:
            raise
        except Refused as error:
            raise _hopeless("Refused", error) from error

    return recover


def _hopeless(kind: str, error: Exception) -> ApplicationError:
    return ApplicationError(str(error), type=kind, non_retryable=True)
