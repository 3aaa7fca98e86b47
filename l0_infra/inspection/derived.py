"""Numbers that no tool prints but rules need: counts that two sources should agree on."""

from collections.abc import Iterator

from l0_infra.core.documents import Part
from l0_infra.schemas import NodeFacts, PciDevice, Vendor

__all__ = ["Derived", "derive"]

PCI_VENDORS: tuple[tuple[Vendor, str, tuple[str, ...]], ...] = (
    ("nvidia", "10de", ("0300", "0302")),
    ("amd", "1002", ("0300", "0380", "1200")),
    ("ascend", "19e5", ("1200",)),
)
"""PCI vendor, and the classes of its accelerators: bridges and sound functions of the same boards are others."""

OPEN_FILES = 65536
"""Enough for the ranks, data shards and sockets of one process."""


class Derived(Part, frozen=True, kw_only=True):
    """What follows from several facts together."""

    accelerators_on_bus: int | None = None
    accelerators_listed: int | None = None
    on_bus: bool | None = None
    accelerators: bool | None = None
    nvidia: bool | None = None
    rdma: bool | None = None
    peer_memory: bool | None = None
    open_files_wanted: int = OPEN_FILES
    """How many files a process should be able to open: no more than all of a container may."""
    memory_gib: int | None = None
    """Main memory in whole GiB: the kernel keeps a little more or less for itself on equal machines."""


def derive(facts: NodeFacts) -> Derived:
    """Work them out; unknown stays unknown."""
    on_bus = None if facts.pci is None else sum(_vendor(device) is not None for device in facts.pci)
    listed = None if facts.pci is None else _listed(facts)
    total = facts.memory.total_bytes
    return Derived(
        accelerators_on_bus=on_bus,
        accelerators_listed=listed,
        on_bus=None if on_bus is None else on_bus > 0,
        accelerators=True if facts.accelerators else None if listed is None else False,
        nvidia=any(one.vendor == "nvidia" for one in facts.accelerators),
        rdma=None if facts.fabric is None else any(port.state == "active" for port in facts.fabric),
        peer_memory=_peer_memory(facts),
        open_files_wanted=min([OPEN_FILES, *_bounds(facts)]),
        memory_gib=None if total is None else round(total / 2**30),
    )


def _listed(facts: NodeFacts) -> int | None:
    """Count what the tools of the vendors on the bus list; None where one of them did not tell of all."""
    vendors = {_vendor(device) for device in facts.pci or ()} - {None}
    if not vendors <= set(facts.counted):
        return None
    return sum(one.vendor in vendors for one in facts.accelerators)


def _peer_memory(facts: NodeFacts) -> bool | None:
    """Tell whether GPU memory and network cards can reach each other through a module."""
    if facts.kernel.modules is None:
        return None
    modules = {module.name for module in facts.kernel.modules}
    return bool(modules & {"nvidia_peermem", "nv_peer_mem"})


def _bounds(facts: NodeFacts) -> Iterator[int]:
    """Yield the most files that anything on this node can open, where it is a container that cannot raise it."""
    for limit in facts.resource_limits:
        if (limit.name, limit.scope) == ("nofile", "node") and limit.hard is not None:
            yield limit.hard


def _vendor(device: PciDevice) -> Vendor | None:
    """Return whose accelerator a device is; None for any other device."""
    own = (
        vendor
        for vendor, number, classes in PCI_VENDORS
        if device.vendor_id == number and device.class_id in classes
    )
    return next(own, None)
