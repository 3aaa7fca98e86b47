"""Names of everything the engine keeps on disk (drawn in ARCHITECTURE.md)."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """The engine's folder, `OGAI_HOME/scheduler`."""

    root: Path

    @property
    def database(self) -> Path:
        return self.root / "queue.db"

    @property
    def queues(self) -> Path:
        return self.root / "queues.yaml"

    @property
    def bell(self) -> Path:
        return self.root / "bell"

    @property
    def agent_lock(self) -> Path:
        return self.root / "agent.lock"

    @property
    def agent_identity(self) -> Path:
        return self.root / "agent.json"

    @property
    def agent_log(self) -> Path:
        return self.root / "agent.log"

    @property
    def private(self) -> Path:
        return self.root / "private"

    @property
    def jobs(self) -> Path:
        return self.root / "jobs"

    def environment(self, submission: int) -> Path:
        return self.private / f"{submission}.json"

    def job(self, job_id: str) -> Path:
        return self.jobs / job_id

    def events(self, job_id: str) -> Path:
        return self.job(job_id) / "events.jsonl"

    def attempt(self, job_id: str, attempt: int) -> Path:
        return self.job(job_id) / str(attempt)

    def prepare(self) -> "Layout":
        """Make the folders, for this user only; those of another user are refused. Raises OSError."""
        for folder in (self.root, self.private, self.jobs):
            folder.mkdir(mode=0o700, exist_ok=True)
            keep_private(folder)
        return self


def keep_private(folder: Path) -> None:
    """Shut others out of a folder of ours that they could enter. Raises OSError for another user's."""
    status = folder.stat()
    if status.st_uid != os.geteuid():
        raise OSError(errno.EPERM, f"a folder of uid {status.st_uid}", str(folder))
    if status.st_mode & 0o077:
        folder.chmod(0o700)
