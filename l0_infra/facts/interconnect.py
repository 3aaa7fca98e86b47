"""What joins the devices of a node, and the node to others: PCI, RDMA ports, neighbors, topology, and what follows."""

from collections.abc import Sequence

import msgspec

from l0_infra.facts import fabric, lldp, topology
from l0_infra.facts.bundle import Answers
from l0_infra.facts.fabric.purpose import Use
from l0_infra.facts.routes import ROUTES, default_interface, interface_to, parse_routes, storage_servers
from l0_infra.facts.vendor import Found
from l0_infra.schemas import (
    FabricPort,
    Neighbor,
    NetworkInterface,
    NumaNode,
    PciDevice,
    Topology,
    Unread,
)

__all__ = ["SOURCES", "Interconnect", "parse_interconnect"]

SOURCES = (*fabric.SOURCES, *topology.SOURCES, ROUTES, lldp.NEIGHBORS)


class Interconnect(msgspec.Struct, frozen=True, kw_only=True):
    """What was found; None: not read."""

    pci: tuple[PciDevice, ...] | None
    fabric: tuple[FabricPort, ...] | None
    topology: Topology | None
    unread: tuple[Unread, ...]
    neighbors: tuple[Neighbor, ...] | None = None


def parse_interconnect(
    answers: Answers,
    found: Found,
    interfaces: Sequence[NetworkInterface],
    numa: Sequence[NumaNode],
) -> Interconnect:
    """Read ports and PCI devices, place them, judge what ports are for, and advise.

    Accelerators count that only a table names. Those with ports of their own train over them, not over the node's.
    """
    devices = topology.parse_pci(answers)
    ports, faults = fabric.parse_fabric(answers)
    placed, more = topology.parse_topology(answers, found, ports, devices, numa)
    neighbors, unheard = lldp.parse_neighbors(answers[lldp.NEIGHBORS.name])
    routes = parse_routes(answers["ip-route.txt"].out)
    servers = storage_servers(answers["proc-mounts.txt"].out)
    default = default_interface(routes)
    use = Use(
        management=_port(default),
        storage=frozenset(name for server in servers if (name := _port(interface_to(server, routes)))),
    )
    nearest = placed.nearest if placed else ()
    named = {one.id for one in found.accelerators} | {one.accelerator for one in nearest}
    training = 0 if found.fabric else len(named)
    judged = ports and fabric.judge_purposes(ports, nearest, use, accelerators=training)
    advice = topology.advise({name.partition(":")[0] for name in named}, judged, interfaces, default)
    return Interconnect(
        pci=devices,
        fabric=judged,
        topology=msgspec.structs.replace(placed or Topology(), advice=advice) if placed or advice else None,
        unread=(*faults, *more, *answers["ip-route.txt"].unread("ip route"), *unheard),
        neighbors=neighbors,
    )


def _port(interface: str | None) -> str | None:
    """Return the interface below a VLAN (`ens1np0.100`)."""
    return interface.partition(".")[0] if interface else None
