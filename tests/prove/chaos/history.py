"""What was done to the engine, as far as the verdict depends on it."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Literal

from chaos.kinds import Kind

__all__ = ["Disturbance", "History", "JobKey", "Submission"]

JobKey = tuple[str, str]
"""World and job id (or name)."""

Disturbance = Literal["cancelled", "requeued", "shim killed", "task killed", "forgotten"]


@dataclass(kw_only=True, slots=True)
class Submission:
    """One call of `ogai job submit`; `ids` are what it printed if it ended with 0."""

    world: str
    name: str
    kind: Kind
    count: int
    ids: tuple[str, ...] = ()
    exit_code: int | None = None
    words: str = ""


@dataclass(slots=True)
class History:
    """Everything done so far."""

    submissions: list[Submission] = field(default_factory=list)
    disturbed: dict[Disturbance, set[JobKey]] = field(default_factory=lambda: defaultdict(set))
    forgotten_names: set[JobKey] = field(default_factory=set)
    events: Counter[str] = field(default_factory=Counter)

    def note(self, event: str) -> None:
        self.events[event] += 1

    def disturb(self, how: Disturbance, world: str, *jobs: str) -> None:
        self.disturbed[how].update((world, job) for job in jobs)

    def was(self, key: JobKey, *how: Disturbance) -> bool:
        """Tell whether the job, or the array it belongs to, was disturbed like this."""
        array = (key[0], key[1].partition("_")[0])
        return any(key in self.disturbed[kind] or array in self.disturbed[kind] for kind in how)

    def ids(self, world: str) -> list[str]:
        """List the jobs known to exist, the newest last."""
        forgotten = self.disturbed["forgotten"]
        return [
            job
            for submission in self.submissions
            if submission.world == world
            for job in submission.ids
            if (world, job) not in forgotten
        ]
