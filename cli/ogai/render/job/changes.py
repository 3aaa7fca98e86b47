"""What came of wishes about jobs, one sentence for each job, one for all elements of an array that fared alike."""

from collections.abc import Callable, Iterable, Sequence

from l2_scheduler.schemas import FINAL_STATES, JobStatus
from ogai.flows.job.queue import Change
from ogai.render.job.fold import fold_ids
from ogai.render.moment import brief

__all__ = ["describe_cancelled", "describe_changes", "describe_ends"]


def describe_cancelled(changes: Sequence[Change], *, now: bool) -> list[str]:
    """Say whether each job was waiting, is being ended, or had ended already."""

    def word(change: Change) -> str:
        status = change.status
        if not change.changed:
            return f"had ended already: {status.state}"
        if status.state not in FINAL_STATES:
            grace = (
                "SIGKILL at once"
                if now
                else f"SIGTERM, then SIGKILL after {brief(status.job.limits.grace_s)}"
            )
            return f"is being ended ({grace})"
        return "was running and has ended" if status.attempt else "was waiting and will not start"

    return told(changes, word)


def describe_changes(changes: Sequence[Change], done: str, otherwise: str) -> list[str]:
    """Say `done` of the jobs that changed (`{}` is the job's id); say of the others why not, if some did."""
    if not any(change.changed for change in changes):
        return []
    return told(
        changes,
        lambda change: (
            done.format(change.status.job_id)
            if change.changed
            else f"stays {change.status.state}: it is not {otherwise}"
        ),
    )


def describe_ends(statuses: Sequence[JobStatus]) -> str:
    """Say how jobs ended, one alone with run time and reason."""
    if len(statuses) > 1:
        good = sum(status.state == "COMPLETED" for status in statuses)
        return f"{good} of {len(statuses)} jobs completed"
    status = statuses[0]
    ran = f" after {brief(status.elapsed_s)}" if status.elapsed_s is not None else ""
    why = f": {status.reason}" if status.reason else ""
    return f"job {status.job_id} ({status.job.name}) {status.state}{ran}{why}"


def told(changes: Iterable[Change], word: Callable[[Change], str]) -> list[str]:
    """Group the jobs of one submission of which the same is said."""
    groups: dict[tuple[str, str], list[JobStatus]] = {}
    for change in changes:
        said = word(change).replace(change.status.job_id, "{}")
        groups.setdefault((change.status.submission, said), []).append(change.status)
    return [
        f"job {fold_ids(group)} ({group[0].job.name}) {said.replace('{}', group[0].job_id)}"
        for (_, said), group in groups.items()
    ]
