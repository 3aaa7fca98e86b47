"""The processes that save together: a group of their own, so that saving never mixes with training."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

import torch.distributed as dist

from l0_infra.core.errors import OgaiError
from l3_modeltools.checkpoint.trouble import Cause, StorageError, cause_of

__all__ = ["Ranks"]

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """An error of the first rank on its way to the others."""

    where: str
    found: str
    expected: str
    hint: str
    cause: Cause

    def error(self) -> StorageError:
        return StorageError(
            self.where, found=self.found, expected=self.expected, hint=self.hint, cause=self.cause
        )


class Ranks:
    """All ranks of torch.distributed where it is initialised, else this process alone.

    Every rank makes one at the same point of its program, for that makes the group (gloo).
    """

    def __init__(self) -> None:
        together = dist.is_initialized()
        self.group = dist.new_group(backend="gloo") if together else None
        self.rank = dist.get_rank() if together else 0
        self.world_size = dist.get_world_size() if together else 1

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def agree(self, decide: Callable[[], Answer]) -> Answer:
        """Let the first rank decide and return its answer on every rank.

        What it raises of OSError and OgaiError is raised as a StorageError by all.
        """
        told = [_tried(decide) if self.is_first else None]
        if self.group is not None:
            dist.broadcast_object_list(told, src=0, group=self.group)
        answer = cast("Answer | Refusal", told[0])
        if isinstance(answer, Refusal):
            raise answer.error()
        return answer

    def part(self) -> None:
        """Let go of the group, if the whole is still there; no rank may agree on anything afterwards."""
        if self.group is not None and dist.is_initialized():
            dist.destroy_process_group(self.group)
        self.group = None


def _tried(decide: Callable[[], Answer]) -> Answer | Refusal:
    try:
        return decide()
    except OgaiError as error:
        return Refusal(
            where=error.where,
            found=error.found,
            expected=error.expected,
            hint=error.hint,
            cause=cause_of(error),
        )
    except OSError as error:
        found = (error.strerror or "trouble").lower()
        return Refusal(
            where=str(error.filename or "checkpoints"),
            found=found,
            expected="a folder that can be written",
            hint="",
            cause=cause_of(error),
        )
