"""What `ogai job prune` would remove."""

import time
from collections import Counter
from collections.abc import Sequence

from l0_infra.core.units import format_bytes
from l2_scheduler import Pruned
from ogai.render.moment import local_time

__all__ = ["describe_pruned"]


def describe_pruned(plan: Sequence[Pruned]) -> str:
    """Say how many jobs, how many bytes, from when to when."""
    if not plan:
        return "no job ended that long ago: nothing to forget"
    now = time.time()
    states = ", ".join(
        f"{count} {state}" for state, count in Counter(job.state for job in plan).most_common()
    )
    ends = sorted((job.ended_at, job.job_id) for job in plan)
    (oldest, first), (newest, last) = ends[0], ends[-1]
    what = "1 job with its logs" if len(plan) == 1 else f"{len(plan)} jobs with their logs"
    return (
        f"forget {what}, {format_bytes(sum(job.size_bytes for job in plan))}: {states}\n"
        f"oldest: job {first}, ended {local_time(oldest, now)}; newest: job {last}, ended {local_time(newest, now)}"
    )
