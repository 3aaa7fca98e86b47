"""The few phrases in which jobs are spoken of everywhere."""

from collections.abc import Container

from l0_infra.core.units import format_bytes, format_count
from l2_scheduler.schemas import ACTIVE_STATES, FINAL_STATES, JobStatus, Resources
from ogai.flows.job.fate import signal_name
from ogai.render.moment import ago, brief

__all__ = ["describe_note", "describe_resources", "describe_wait", "run_or_wait_s"]


def run_or_wait_s(status: JobStatus, now: float) -> float:
    """Say how long a job ran, has been running, or has waited."""
    if status.state in ACTIVE_STATES:
        return now - (status.started_at or now)
    if status.state in FINAL_STATES:
        return status.elapsed_s or 0.0
    return now - status.submitted_at


def describe_note(status: JobStatus, opened: Container[str], now: float) -> str:
    """Say the one thing most worth knowing: what it waits for, how it failed, when it ended."""
    if status.state == "PENDING":
        return describe_wait(status, opened, now)
    if status.state in ACTIVE_STATES:
        return f"attempt {status.attempt}" if status.attempt > 1 else ""
    if status.state == "FAILED" and status.signal is not None:
        return signal_name(status.signal)
    if status.state == "FAILED" and status.exit_code:
        return f"exit code {status.exit_code}"
    if status.state == "COMPLETED" and not status.reason:
        return ago(now - (status.ended_at or now))
    return status.reason


def describe_wait(status: JobStatus, opened: Container[str], now: float) -> str:
    """Say what a waiting job waits for, as far as the job alone tells."""
    if status.held:
        return status.reason or "held"
    if status.not_before is not None and status.not_before > now:
        return f"in {brief(status.not_before - now)}: {status.reason}"
    awaited = [dependency.job for dependency in status.job.depends_on if dependency.job in opened]
    if awaited:
        return f"after {', '.join(awaited)}"
    return status.reason or "waits its turn"


def describe_resources(resources: Resources) -> str:
    """Write `2 tasks, 4 CPUs each, 8 GiB, 1 GPU`."""
    tasks = resources.tasks_per_node
    cpus = format_count(resources.cpus_per_task, "CPU")
    parts = [cpus] if tasks == 1 else [f"{tasks} tasks", f"{cpus} each"]
    if resources.memory_bytes_per_node is not None:
        parts.append(f"{format_bytes(resources.memory_bytes_per_node)} of memory")
    if resources.gpus_per_node:
        parts.append(format_count(resources.gpus_per_node, "GPU"))
    return ", ".join(parts)
