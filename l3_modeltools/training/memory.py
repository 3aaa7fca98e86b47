"""How much memory a rank held at most."""

import resource

import torch

__all__ = ["peak_memory"]


def peak_memory(device: torch.device) -> int:
    """Return the most bytes held so far: by the device's allocator, or on the CPU by this process."""
    if device.type == "cpu":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return int(getattr(torch, device.type).max_memory_allocated(device))
