"""When a training saves its state, and what it does after a fault."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Part, Positive, Seconds
from l0_infra.core.errors import Fault

__all__ = ["Checkpointing", "Resilience"]


class Checkpointing(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When state is saved and how much of it is kept."""

    interval: Annotated[
        Literal["auto", "steps"],
        Meta(description="`auto`: from measured save time and fault rate; `steps`: every `every_steps`."),
    ] = "steps"
    every_steps: Annotated[Positive, Meta(description="Steps between two saves.")] = 500
    keep_last: Annotated[Positive, Meta(description="Newest checkpoints kept.")] = 3
    keep_every_steps: Annotated[
        Positive | None, Meta(description="Those at multiples of this stay too; null: none.")
    ] = None
    max_bytes: Annotated[
        Bytes | None, Meta(description="Disk space that all may take; null: what is free.")
    ] = None

    def faults(self) -> Iterator[Fault]:
        """Yield a keeping rhythm that no save meets."""
        keep = self.keep_every_steps
        if self.interval == "steps" and keep is not None and keep % self.every_steps:
            found = f"{keep}, no multiple of every_steps {self.every_steps}"
            expected = "steps at which a checkpoint is saved"
            yield Fault(path=("keep_every_steps",), found=found, expected=expected)


class Resilience(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One budget of restarts, of workers and of the job alike, and the policy for a loss that jumps."""

    max_restarts: Annotated[Count, Meta(description="Restarts within the window before giving up.")] = 10
    window_s: Annotated[Seconds, Meta(description="Restarts longer ago do not count.")] = 86400.0
    backoff_s: Annotated[
        Seconds,
        Meta(
            description="Wait before a restart when nothing was done since the last one; doubles each time."
        ),
    ] = 1.0
    on_spike: Annotated[
        Literal["report", "skip_batches", "roll_back"],
        Meta(
            description="What is done when loss or gradient norm jumps: tell it and go on; leave the batch out;"
            " go back to the last checkpoint and leave out all batches since."
        ),
    ] = "report"
    on_not_finite: Annotated[
        Literal["give_up", "skip_batches"],
        Meta(description="What is done when a loss is not finite and is so again when it is computed again."),
    ] = "give_up"
