"""The answer to an id that no job has: the job most likely meant."""

from collections.abc import Sequence

from l0_infra.core.errors import UsageError
from l2_scheduler.schemas import JobStatus

__all__ = ["unknown_job"]


def unknown_job(reference: str, known: Sequence[JobStatus]) -> UsageError:
    """Make the error; it names the job of that name, the array's elements, or the nearest id."""
    return UsageError(
        f"job {reference}",
        found="no such job",
        expected="an id such as `12`, or `12_3` for an element of an array",
        hint=f"{nearest(reference, known)}`ogai job list --all` shows every job",
    )


def nearest(reference: str, known: Sequence[JobStatus]) -> str:
    named = [status.job_id for status in known if status.job.name == reference]
    if named:
        return f"{named[-1]} is the newest job named {reference}; "
    array, _, index = reference.partition("_")
    elements = [status.job_id for status in known if status.submission == array]
    if index and len(elements) > 1:
        return f"array {array} goes from {elements[0]} to {elements[-1]}; "
    if not array.isdecimal() or len(array) > 18 or not known:
        return ""
    close = min(known, key=lambda status: abs(int(status.submission) - int(array)))
    return f"the nearest is {close.job_id} ({close.job.name}); "
