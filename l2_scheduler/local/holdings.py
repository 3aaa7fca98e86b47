"""What the agent holds open for each running job: its claim, its shim's process, a watch on the shim."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from l2_scheduler.local.ledger import HeldClaim
from l2_scheduler.local.shim import EXIT_TRY_AGAIN

__all__ = ["Holding", "Holdings"]


@dataclass(kw_only=True, slots=True)
class Holding:
    """One job's. After the agent was replaced only `pidfd` is there: the shim itself still holds the claim."""

    claim: HeldClaim | None = None
    shim: subprocess.Popen[bytes] | None = None
    pidfd: int | None = None


class Holdings:
    """All of them, by job id."""

    def __init__(self) -> None:
        self.by_job: dict[str, Holding] = {}
        self.leaving: list[subprocess.Popen[bytes]] = []

    def of(self, job_id: str) -> Holding:
        return self.by_job.setdefault(job_id, Holding())

    def is_launching(self, job_id: str) -> bool:
        """Tell whether our own shim process is alive and not yet seen at work."""
        held = self.by_job.get(job_id)
        return bool(held and held.shim and held.pidfd is None and held.shim.poll() is None)

    def was_refused(self, job_id: str) -> bool:
        """Tell whether our own shim process left without beginning, for want of disk space or the like."""
        held = self.by_job.get(job_id)
        return bool(held and held.shim and held.shim.poll() == EXIT_TRY_AGAIN)

    def is_watched(self, job_id: str) -> bool:
        held = self.by_job.get(job_id)
        return bool(held and held.pidfd is not None)

    def watch(self, job_id: str, pid: int) -> None:
        """Be woken when the process ends; one that is gone already is found by the next look."""
        with contextlib.suppress(ProcessLookupError):
            self.of(job_id).pidfd = os.pidfd_open(pid)

    def descriptors(self) -> Iterator[int]:
        return (held.pidfd for held in self.by_job.values() if held.pidfd is not None)

    def drop(self, job_id: str) -> None:
        """Let go of everything, once the job's processes are gone."""
        held = self.by_job.pop(job_id, Holding())
        if held.pidfd is not None:
            os.close(held.pidfd)
        if held.shim is not None:
            self.leaving.append(held.shim)
        if held.claim is not None:
            held.claim.release()
        self.leaving = [shim for shim in self.leaving if shim.poll() is None]
