"""What a person types to bring about a change that `why` suggests."""

from collections.abc import Sequence

__all__ = ["Command", "cancel", "hold", "release", "resubmit", "set_priority", "set_throttle"]

Command = tuple[str, ...]
JOB = ("ogai", "job")
AS_BEFORE = "…"


def release(job_id: str) -> Command:
    """Lift a hold."""
    return (*JOB, "release", job_id)


def hold(job_id: str) -> Command:
    """Keep a waiting job back."""
    return (*JOB, "hold", job_id)


def cancel(job_id: str) -> Command:
    """End a job."""
    return (*JOB, "cancel", job_id)


def set_priority(job_id: str, priority: int) -> Command:
    """Change the priority of a waiting job."""
    return (*JOB, "priority", job_id, str(priority))


def set_throttle(array: str, throttle: int) -> Command:
    """Change how many elements of an array run at once."""
    return (*JOB, "throttle", array, str(throttle))


def resubmit(options: Sequence[str]) -> Command:
    """Submit again with these options changed; `…` stands for everything else, as it was."""
    return (*JOB, "submit", AS_BEFORE, *options)
