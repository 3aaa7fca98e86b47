"""What the frameworks differ in: the program of a job's tasks, its environment, its resources."""

from collections.abc import Mapping
from dataclasses import dataclass

from l2_scheduler.schemas import Resources

__all__ = ["GRACE_S", "Launch"]

GRACE_S = 300.0
"""How long a run that is told to end may take to save its state."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """The part of a job that its framework decides."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    resources: Resources
    directory: str | None
    """None: where the job is submitted."""
    secrets: tuple[str, ...] = ()
    final_exit_codes: tuple[int, ...] = ()
    """After these it makes no sense to start it again."""
