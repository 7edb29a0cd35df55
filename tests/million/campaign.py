"""Many batches on all cores: each is another part of the same seed, audited and dropped where it ran."""

import signal
from collections import Counter
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context

from tests.million.batch import Failure, run_batch


def run(seed: int, batches: int, workers: int, report: Callable[[Counter], None]) -> Counter | Failure:
    """Run the batches 0 to `batches` - 1, and return all counts, or the first failure.

    `report` is given the counts so far after each batch.
    """
    counts: Counter[str] = Counter()
    with get_context("spawn").Pool(workers, initializer=_leave_interrupts_to_the_parent) as pool:
        for outcome in pool.imap_unordered(partial(run_batch, seed), range(batches), chunksize=4):
            if isinstance(outcome, Failure):
                return outcome
            counts.update(outcome)
            report(counts)
    return counts


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
