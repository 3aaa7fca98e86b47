"""How two devices reach each other through PCI Express, by the bridges above them and their NUMA nodes.

The words mean what NVML means by its levels (nvmlGpuTopologyLevel_t): a switch shows as one bridge towards the root
and one towards each device, so that below the last bridge two devices share, one more on either side is still that
same switch.
"""

from l0_infra.schemas import PairPath, PciDevice

__all__ = ["path_between"]


def path_between(one: PciDevice, other: PciDevice, *, numa_nodes: int) -> PairPath | None:
    """Return the path between two devices; None where their place is not known.

    `numa_nodes` is how many the machine has, 0 where that is not known: the kernel gives a device of a machine with
    one node no number.
    """
    if one.bridges is None or other.bridges is None:
        return None
    if _root(one) == _root(other):
        shared = _shared(one.bridges, other.bridges)
        if not shared:
            return "phb"
        deepest = max(len(one.bridges), len(other.bridges)) - shared
        return "pix" if deepest <= 1 else "pxb"
    if one.numa_node is None or other.numa_node is None:
        return "node" if numa_nodes == 1 else None
    return "node" if one.numa_node == other.numa_node else "sys"


def _root(device: PciDevice) -> str:
    """Return domain and bus of what hangs on the host bridge itself."""
    return (*(device.bridges or ()), device.address)[0].rpartition(":")[0]


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    same = [left == right for left, right in zip(one, other, strict=False)]
    return same.index(False) if False in same else len(same)
