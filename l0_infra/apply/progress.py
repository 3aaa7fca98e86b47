"""What is told of a plan that is carried out: on the way, and at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from l0_infra.schemas import ApplyRole, Step

__all__ = ["Ended", "OnProgress", "Progress", "name_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How a step ended: done, failed by itself, or held by another that failed.

    `changed` counts the tasks that changed something (of a command that is not known); `log` is the file with all that
    its playbook said.
    """

    step: Step
    state: Literal["done", "failed", "held"]
    message: str = ""
    task: str = ""
    log: str = ""
    seconds: float = 0.0
    changed: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Something to show: a step begins, is at a task, or has ended."""

    node: str
    name: str
    state: Literal["begun", "task", "done", "failed", "held"]
    task: str = ""
    message: str = ""
    seconds: float = 0.0
    changed: int = 0


OnProgress = Callable[[Progress], None]


def name_of(step: Step) -> str:
    """Name a step as people see it: the role, else what its id has after the node."""
    return step.action.role if isinstance(step.action, ApplyRole) else step.id.partition(":")[2]
