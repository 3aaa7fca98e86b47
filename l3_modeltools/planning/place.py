"""Where a training would run, as far as planning has to know it."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["AcceleratorSize", "DeviceKind", "Place"]

DeviceKind = Literal["cpu", "cuda", "npu"]
"""What torch calls the device; AMD's is `cuda` there too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AcceleratorSize:
    """One accelerator: its vendor, its name as the driver gives it, and its memory."""

    vendor: Literal["amd", "ascend", "nvidia"]
    model: str
    memory_bytes: int

    @property
    def kind(self) -> DeviceKind:
        """What torch calls it."""
        return "npu" if self.vendor == "ascend" else "cuda"


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A cluster of like nodes, or this machine as one; cpus, memory and accelerators are those of a node.

    `disk_free_bytes` is free on the file system of the run directory.
    """

    nodes: int
    cpus: int
    memory_bytes: int
    accelerators: tuple[AcceleratorSize, ...] = ()
    disk_free_bytes: int
