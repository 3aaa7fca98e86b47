"""A topology from what several sources tell: the tools first, then the links, then the PCI tree."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from l0_infra.core.nodeset import natural_key
from l0_infra.facts.topology.ring import order_ring
from l0_infra.facts.topology.tail import Place
from l0_infra.facts.topology.told import Told, Way, way_between
from l0_infra.facts.topology.tree import path_between
from l0_infra.facts.topology.words import DIRECT, distance
from l0_infra.schemas import (
    Accelerator,
    Affinity,
    FabricPort,
    Nearest,
    NumaNode,
    Pair,
    PciDevice,
    Topology,
)

__all__ = ["Node", "derive_topology"]

Ways = Mapping[tuple[str, str], Way]
VENDORS = ("amd:", "ascend:", "nvidia:")


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a node's devices."""

    accelerators: tuple[Accelerator, ...]
    own_ports: frozenset[str] = frozenset()
    """Accelerators that have a port of their own."""
    ports: tuple[FabricPort, ...] | None
    """None: not read."""
    devices: tuple[PciDevice, ...]
    numa: tuple[NumaNode, ...]


def derive_topology(node: Node, told: Sequence[Told]) -> Topology:
    """Derive pairs, nearest RDMA devices, affinities, groups and ring order."""
    named = {name for one in told for pair in one.ways for name in pair} | {
        name for one in told for name in one.places
    }
    accelerators = {one.id for one in node.accelerators} | {
        name for name in named if name.startswith(VENDORS)
    }
    rdma = {port.device for port in node.ports or ()} or (named - accelerators)
    first, second = sorted(accelerators, key=natural_key), sorted(rdma, key=natural_key)
    ways = _ways(first, second, told, node)
    return Topology(
        pairs=tuple(
            Pair(first=one, second=other, path=way.path, links=way.links)
            for (one, other), way in ways.items()
        ),
        nearest=tuple(_nearest(first, second, ways, node)),
        affinities=tuple(_affinities(first, told, node)),
        groups=tuple(_groups(first, ways)),
        ring=order_ring(first, ways),
    )


def _ways(accelerators: Sequence[str], rdma: Sequence[str], told: Sequence[Told], node: Node) -> Ways:
    """Find a way for every two: the first source that knows one counts, then the PCI tree.

    Of two accelerators the tree counts only where it is known that no link of their own joins them.
    """
    on_bus = _on_bus(node)
    joined = {*combinations(accelerators, 2)}
    over_pci = {pair for source in told for pair in source.over_pci}
    found: dict[tuple[str, str], Way] = {}
    for one, other in combinations((*accelerators, *rdma), 2):
        way = next((way for source in told if (way := way_between(one, other, source.ways))), None)
        by_tree = (one, other) not in joined or not over_pci.isdisjoint({(one, other), (other, one)})
        if way is None and by_tree and one in on_bus and other in on_bus:
            path = path_between(on_bus[one], on_bus[other], numa_nodes=len(node.numa))
            way = Way(path=path) if path else None
        if way:
            found[one, other] = way
    return found


def _on_bus(node: Node) -> Mapping[str, PciDevice]:
    devices = {device.address: device for device in node.devices}
    addresses = [(one.id, one.pci) for one in node.accelerators]
    addresses += [(port.device, port.pci) for port in node.ports or ()]
    return {name: devices[address] for name, address in addresses if address in devices}


def _nearest(accelerators: Sequence[str], rdma: Sequence[str], ways: Ways, node: Node) -> Iterator[Nearest]:
    """Choose an accelerator's own port, else the RDMA devices at the least distance where all ways are known.

    A device that is not at work, and that no source places, is passed over: a table may leave it out.
    """
    idle = {port.device for port in node.ports or () if port.state not in (None, "active")}
    placed = {device for _, device in ways}
    rdma = [device for device in rdma if device in placed or device not in idle]
    for accelerator in accelerators:
        if accelerator in node.own_ports:
            yield Nearest(accelerator=accelerator, ports=(accelerator,))
            continue
        reach = {device: way for device in rdma if (way := ways.get((accelerator, device)))}
        if len(reach) < len(rdma) or not (rdma or node.ports is not None):
            continue
        paths = {device: way.path for device, way in reach.items()}
        least = min(paths.values(), key=distance, default=None)
        yield Nearest(
            accelerator=accelerator,
            ports=tuple(device for device, path in paths.items() if path == least),
            path=least,
        )


def _affinities(accelerators: Sequence[str], told: Sequence[Told], node: Node) -> Iterator[Affinity]:
    on_bus = _on_bus(node)
    own = {one.id: one.numa_node for one in node.accelerators}
    cpus_of = {one.id: one.cpus for one in node.numa}
    for name in accelerators:
        place = next((one.places[name] for one in told if name in one.places), Place())
        device = on_bus.get(name)
        nodes = (place.numa_node, device.numa_node if device else None, own.get(name))
        numa = next((one for one in nodes if one is not None), None)
        cpus = place.cpus or (cpus_of.get(numa) if numa is not None else None)
        if cpus or numa is not None:
            yield Affinity(accelerator=name, cpus=cpus or None, numa_node=numa)


def _groups(accelerators: Sequence[str], ways: Ways) -> Iterator[tuple[str, ...]]:
    """Yield what hangs together by direct links, in order of the first of each group."""
    left = list(accelerators)
    while left:
        group = [left.pop(0)]
        for member in group:
            joined = [one for one in left if (way := way_between(member, one, ways)) and way.path in DIRECT]
            group += joined
            left = [one for one in left if one not in joined]
        if len(group) > 1:
            yield tuple(sorted(group, key=natural_key))
