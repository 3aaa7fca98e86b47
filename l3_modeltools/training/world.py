"""The ranks of a run: who this process is among them, on which device, and how they add up numbers."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeVar

import torch
import torch.distributed as dist

__all__ = ["DeviceKind", "World", "find_device_kind", "open_world"]

Told = TypeVar("Told")

DeviceKind = Literal["cpu", "cuda", "npu"]

BACKENDS: dict[DeviceKind, str] = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl", "npu": "cpu:gloo,npu:hccl"}
"""What carries collectives; those of an accelerator also have gloo, for tensors in host memory."""


@dataclass(frozen=True, kw_only=True, slots=True)
class World:
    """One rank's view: its number, how many there are, and the device it computes on."""

    rank: int
    size: int
    device: torch.device

    @property
    def is_chief(self) -> bool:
        """Whether this rank writes what is written once."""
        return self.rank == 0

    def add_up(self, numbers: torch.Tensor) -> torch.Tensor:
        """Replace `numbers`, a tensor on the device, by their sums over all ranks, and return it."""
        if self.size > 1:
            dist.all_reduce(numbers)
        return numbers

    def from_chief(self, number: int) -> int:
        """Return the chief's number on every rank."""
        box = torch.tensor([number])
        if self.size > 1:
            dist.broadcast(box, src=0)
        return int(box)

    def told_by_chief(self, value: Told) -> Told:
        """Return the chief's value, which `pickle` knows, on every rank."""
        box = [value]
        if self.size > 1:
            dist.broadcast_object_list(box, src=0)
        return box[0]

    def told_by_all(self, value: Told) -> list[Told]:
        """Return what each rank gave, in the order of ranks, on every rank."""
        values = [value] * self.size
        if self.size > 1:
            dist.all_gather_object(values, value)
        return values


@contextmanager
def open_world() -> Iterator[World]:
    """Join the process group that torchrun's variables describe, and leave it at the end."""
    kind = find_device_kind()
    local_rank = int(os.environ.get("LOCAL_RANK", "0"))
    device = torch.device(kind) if kind == "cpu" else torch.device(kind, local_rank)
    if kind != "cpu":
        getattr(torch, kind).set_device(device)
    dist.init_process_group(BACKENDS[kind], device_id=None if kind == "cpu" else device)
    try:
        yield World(rank=dist.get_rank(), size=dist.get_world_size(), device=device)
        dist.barrier()  # who leaves early breaks connections that others still use
    finally:
        dist.destroy_process_group()


def find_device_kind() -> DeviceKind:
    """Say on what this process can compute: the first accelerator that torch knows here, else the CPU."""
    if torch.cuda.is_available():
        return "cuda"
    npu = getattr(torch, "npu", None)
    return "npu" if npu is not None and npu.is_available() else "cpu"
