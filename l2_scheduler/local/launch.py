"""From a decision to a running shim: the attempt's folder, what the shim is told, the process itself."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from l0_infra.core.store import append_line, save_file
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.ledger import HeldClaim
from l2_scheduler.local.records import Record
from l2_scheduler.local.shim import engine_environment, shim_command
from l2_scheduler.schemas import NodeShare

__all__ = ["describe_launch", "launch", "visible_devices"]

VISIBLE_DEVICES = {
    "nvidia": "CUDA_VISIBLE_DEVICES",
    "ascend": "ASCEND_RT_VISIBLE_DEVICES",
    "amd": "ROCR_VISIBLE_DEVICES",
}
"""As in: CUDA C++ Programming Guide, CUDA Environment Variables; CANN, Environment Variables; ROCm, GPU isolation."""


def visible_devices(share: NodeShare, vendors: frozenset[str]) -> dict[str, str]:
    """Say which accelerators the job may use, for every vendor on this machine; those it did not get are hidden."""
    variables = {}
    for vendor in sorted(vendors & VISIBLE_DEVICES.keys()):
        mine = [held.partition(":")[2] for held in share.accelerators if held.startswith(vendor + ":")]
        variables[VISIBLE_DEVICES[vendor]] = ",".join(mine)
        if vendor == "nvidia":
            variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # the order of nvidia-smi's indices
    return variables


def describe_launch(
    record: Record, layout: Layout, vendors: frozenset[str], default_time_s: float | None
) -> dict[str, object]:
    """Say everything the shim must know, except the captured environment."""
    status, job = record.status, record.status.job
    share = status.allocation[0]
    extra: dict[str, str] = {"OGAI_JOB_NAME": job.name, **visible_devices(share, vendors)}
    if status.array_index is not None:
        extra["OGAI_ARRAY_INDEX"] = str(status.array_index)
        extra["OGAI_ARRAY_JOB_ID"] = str(record.submission)
    return {
        "job_id": record.job_id,
        "attempt": status.attempt,
        "token": os.urandom(16).hex(),
        "command": job.command,
        "directory": job.directory,
        "tasks": job.resources.tasks_per_node,
        "environment_file": str(layout.environment(record.submission)),
        "environment": extra,
        "time_limit_s": job.limits.time_s if job.limits.time_s is not None else default_time_s,
        "warn_signal": job.limits.warn_signal,
        "warn_before_s": job.limits.warn_before_s,
        "grace_s": job.limits.grace_s,
        "memory_limit_bytes": job.resources.memory_bytes_per_node,
        "rotate_bytes": job.logs.rotate_bytes,
        "keep_logs": job.logs.keep,
        "events": str(layout.events(record.job_id)),
        "bell": str(layout.bell),
    }


def launch(
    record: Record, layout: Layout, told: Mapping[str, object], claim: HeldClaim | None
) -> subprocess.Popen[bytes]:
    """Start the shim of this attempt, which inherits the claim if there is one. Raises OSError; then nothing runs."""
    attempt = layout.attempt(record.job_id, record.status.attempt)
    attempt.mkdir(mode=0o700, parents=True, exist_ok=True)
    if record.status.attempt == 1:
        line = {"at": record.status.submitted_at, "event": "submitted", "attempt": 0}
        append_line(layout.events(record.job_id), json.dumps(line))
    whole = {**told, "claim": str(claim.path) if claim else ""}
    save_file(attempt / "launch.json", json.dumps(whole).encode(), durable=False)
    descriptor = claim.descriptor if claim else -1
    return start_detached(shim_command(attempt, descriptor), attempt / "shim.log", descriptor)


def start_detached(command: tuple[str, ...], log: Path, claim: int) -> subprocess.Popen[bytes]:
    """Start a process of its own session that keeps nothing of ours but the claim."""
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            cwd="/",
            env=engine_environment({"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}),
            start_new_session=True,
            pass_fds=() if claim < 0 else (claim,),
        )
    finally:
        os.close(descriptor)
