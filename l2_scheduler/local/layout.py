"""Names of everything the engine keeps on disk (drawn in ARCHITECTURE.md)."""

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
        """Make the folders; `private` is readable by its owner only. Raises OSError."""
        for folder, mode in ((self.root, 0o700), (self.private, 0o700), (self.jobs, 0o700)):
            folder.mkdir(mode=mode, exist_ok=True)
        return self
