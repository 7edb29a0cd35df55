"""The workflow of the study, alone in its file: Temporal's sandbox loads it anew for each worker."""

from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy

with workflow.unsafe.imports_passed_through():
    from abhyasa.recovery import Report

ACTIVITY = "refund"
#: How long an attempt may take before another worker is given the activity: as long as a dead worker
#: is waited for, and much longer than a living one needs.
ATTEMPT = timedelta(seconds=4)


@workflow.defn
class Refund:
    """One activity, given to a second worker if the first does not come back."""

    @workflow.run
    async def run(self, instance_id: str) -> Report:
        return await workflow.execute_activity(
            ACTIVITY,
            instance_id,
            result_type=Report,
            start_to_close_timeout=ATTEMPT,
            retry_policy=RetryPolicy(maximum_attempts=2, initial_interval=timedelta(milliseconds=1)),
        )
