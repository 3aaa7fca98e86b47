"""The state of a training in memory that outlives the process, so that a lost rank costs a step, not an interval."""

import hashlib
import mmap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from time import perf_counter

import msgspec
import torch
from torch import nn
from torch.distributed.tensor import DTensor
from torch.optim import Optimizer

from l0_infra.core.units import format_bytes
from l3_modeltools.checkpoint.slots import SLOTS, Kept, SlotFile, choose_kept, skips_before
from l3_modeltools.checkpoint.state import training_state
from l3_modeltools.memory import available_memory
from l3_modeltools.schemas import SkippedSteps

__all__ = ["MemoryCopies", "Owned", "owned_by"]

ROOM = 4
"""One in so many bytes of what is available may be taken."""

ALIGNED = 64
"""Bytes to a multiple of which every tensor is laid."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Owned:
    """The state that copies are of, and whose it is."""

    run: str
    model: nn.Module
    weights: Mapping[str, nn.Parameter]
    """Those that are trained, under the model's names, gathered between two steps: FSDP swaps them within one."""
    optimizer: Optimizer
    sharded: bool
    ranks: int

    def tensors(self) -> list[torch.Tensor]:
        """Return what this rank holds of weights and moments, in an order that is always the same."""
        with torch.no_grad():
            return [one.to_local() if isinstance(one, DTensor) else one.detach() for one in self._all()]

    def like(self) -> Kept:
        """Describe what states of this training have in common."""
        told = [f"{name} {one.dtype} {list(one.shape)}" for name, one in sorted(self.weights.items())]
        layout = hashlib.sha256("\n".join([type(self.optimizer).__name__, *told]).encode()).hexdigest()
        return Kept(
            run=self.run, layout=layout, ranks=self.ranks, sharded=self.sharded, skipped="", step=0, tokens=0
        )

    def _all(self) -> Iterator[torch.Tensor]:
        for _, weight in sorted(self.weights.items()):
            yield weight
            yield from (value for _, value in sorted(self.optimizer.state[weight].items()))


def owned_by(run: str, model: nn.Module, optimizer: Optimizer, *, sharded: bool, ranks: int) -> Owned:
    """Gather the state of a training, between two steps."""
    weights = {name: one for name, one in model.named_parameters() if one.requires_grad}
    return Owned(run=run, model=model, weights=weights, optimizer=optimizer, sharded=sharded, ranks=ranks)


class MemoryCopies:
    """Copies of a rank's state in its memory file, which its supervisor keeps; each is whole or not there.

    `files` are the memory files of all ranks of this node in their order, none where nobody keeps them; `rank` is
    which of them is this rank's. `available` returns how many bytes of memory all ranks could take now.
    """

    def __init__(
        self,
        files: Sequence[int],
        rank: int,
        owned: Owned,
        *,
        available: Callable[[], int] = available_memory,
    ) -> None:
        self.available = available
        self.files = [SlotFile(descriptor) for descriptor in files]
        self.own = self.files[rank] if files else None
        self.owned = owned
        self.refusal = ""
        """Why there is no copy, for a person; empty: there is, or nothing was to be copied yet."""

    def keep(
        self,
        *,
        step: int,
        tokens: int,
        skipped: Sequence[SkippedSteps],
        loss: float | None = None,
        grad_norm: float | None = None,
        learning_rate: float | None = None,
    ) -> float | None:
        """Copy the state after `step` into the older slot; return the seconds it took, None where it cannot be kept.

        The first call also takes the memory, which is not in the time. A state that is there already is not copied.
        """
        if self.own is None or not self.owned.optimizer.state:  # before its first step it has no moments
            return None
        kept = msgspec.structs.replace(
            self.owned.like(),
            skipped=skips_before(skipped, step),
            step=step,
            tokens=tokens,
            loss=loss,
            grad_norm=grad_norm,
            learning_rate=learning_rate,
        )
        held = self.own.read()
        if kept in held:
            return 0.0
        tensors = self.owned.tensors()
        if not self._reserve(self.own, tensors):
            return None
        return _write(self.own, _older(held), kept, tensors)

    def newest(self, skipped: Sequence[SkippedSteps]) -> tuple[int, Kept] | None:
        """Choose the newest state that all ranks can go on from: whose file to read, and what it is.

        For the first rank to decide, which sees the files of all.
        """
        return choose_kept([file.read() for file in self.files], self.owned.like(), skipped)

    def load(self, *, step: int, source: int) -> None:
        """Bring back the state after `step` from the file of rank `source`; where weights are sharded, from the own.

        Raises ValueError where no slot has that step.
        """
        file = self.own if self.owned.sharded and self.own else self.files[source]
        slot = [kept.step if kept else None for kept in file.read()].index(step)
        training_state(
            self.owned.model, self.owned.optimizer
        )  # makes the moments, which a new optimizer has not
        tensors = self.owned.tensors()
        with torch.no_grad():
            torch._foreach_copy_(tensors, _views(file, slot, tensors))

    def forget(self) -> None:
        """Make the own copies void: what is on the disk counts alone."""
        if self.own is not None:
            self.own.forget()

    def _reserve(self, own: SlotFile, tensors: Sequence[torch.Tensor]) -> bool:
        """Take room for the slots, or note why not."""
        size = slot_bytes(tensors)
        if own.is_reserved(size):
            return True
        needed, share = SLOTS * size, self.available() // ROOM // len(self.files)
        if needed > share:
            self.refusal = (
                f"no copies of the state in memory: they would take {format_bytes(needed)} of each rank,"
                f" more than the {format_bytes(share)} that may be taken"
            )
            return False
        try:
            own.reserve(size)
        except OSError as error:
            self.refusal = f"no copies of the state in memory: {error.strerror}"
            return False
        return True


def slot_bytes(tensors: Sequence[torch.Tensor]) -> int:
    """Return how large a slot for these tensors is: whole pages."""
    return -(-sum(map(_laid_bytes, tensors)) // mmap.PAGESIZE) * mmap.PAGESIZE


def _older(held: Sequence[Kept | None]) -> int:
    steps = [kept.step if kept else -1 for kept in held]
    return steps.index(min(steps))


def _write(file: SlotFile, slot: int, kept: Kept, tensors: Sequence[torch.Tensor]) -> float:
    views = _views(file, slot, tensors)
    began = perf_counter()
    file.begin(slot)
    torch._foreach_copy_(views, list(tensors))
    file.end(slot, kept)
    return perf_counter() - began


def _views(file: SlotFile, slot: int, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """View a slot as tensors like these, one behind the other."""
    size = slot_bytes(tensors)
    content = torch.frombuffer(file.reach(size), dtype=torch.uint8)[file.content(slot, size) :]
    begins = accumulate(map(_laid_bytes, tensors), initial=0)
    return [
        content[begin : begin + one.numel() * one.element_size()].view(one.dtype).view(one.shape)
        for begin, one in zip(begins, tensors, strict=False)
    ]


def _laid_bytes(tensor: torch.Tensor) -> int:
    return -(-tensor.numel() * tensor.element_size() // ALIGNED) * ALIGNED
