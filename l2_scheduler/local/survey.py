"""How the machine and its queue stand now, and what the agent's next pass would decide."""

import msgspec

from l1_podsys.schemas import ClusterState
from l2_scheduler.placement import Cancel, Decisions, Start, Wait, decide
from l2_scheduler.schemas import JobStatus, Queues

__all__ = ["Survey", "Verdict", "verdict_on"]

Verdict = Start | Wait | Cancel


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of a placement pass, and its outcome; `cluster` tells what other queues hold."""

    cluster: ClusterState
    queues: Queues
    jobs: tuple[JobStatus, ...]
    decisions: Decisions


def verdict_on(
    observed: tuple[ClusterState, Queues, tuple[JobStatus, ...]], status: JobStatus, now: float
) -> Verdict:
    """Decide with one more waiting job in the queue, and say what becomes of it."""
    cluster, queues, jobs = observed
    decisions = decide(cluster, queues, (*jobs, status), now)
    verdicts: tuple[Verdict, ...] = (*decisions.starts, *decisions.waits, *decisions.cancels)
    return next(verdict for verdict in verdicts if verdict.job_id == status.job_id)
