"""Which data sheet an accelerator's name and memory stand for; never a guess between two."""

from collections.abc import Iterable
from functools import lru_cache

from l0_infra.schemas import Accelerator, Device

__all__ = ["match_device"]

BRANDS = frozenset({"amd", "ascend", "huawei", "instinct", "nvidia", "tesla"})
"""Words that tools put before a model's name, or not, as the version will have it."""

LEAST, MOST = 0.85, 1.02
"""How much of its nominal memory a tool may report: ECC without memory of its own and firmware take some of it."""


def match_device(accelerator: Accelerator, devices: Iterable[Device]) -> Device | None:
    """Return the data sheet that fits; None when none does, or several, or when it is a part of a device.

    The name must be one that tools print for the device, whole; the memory must fit where it is known.
    """
    if accelerator.model is None or _is_part(accelerator):
        return None
    name = _bare(accelerator.model)
    fitting = [
        device
        for device in devices
        if device.vendor == accelerator.vendor
        and any(_bare(printed) == name for printed in device.printed_names)
        and _holds(device, accelerator.memory_bytes)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _is_part(accelerator: Accelerator) -> bool:
    """Say whether it is a partition that counts as an accelerator; a MIG instance does not."""
    cut = accelerator.partitioning
    return accelerator.vendor == "amd" and cut is not None and cut.enabled is True


@lru_cache(maxsize=1024)
def _bare(name: str) -> str:
    """Take the brand off a name; what is left is compared without letter case and double blanks."""
    words = name.casefold().split()
    while words[1:] and words[0] in BRANDS:
        del words[0]
    return " ".join(words)


def _holds(device: Device, memory_bytes: int | None) -> bool:
    return memory_bytes is None or LEAST <= memory_bytes / device.memory_bytes <= MOST
