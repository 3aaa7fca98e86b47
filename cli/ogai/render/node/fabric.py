"""How the ports of a node, the ways between its devices and what follows from them look to a person."""

from collections.abc import Iterator, Sequence

from l0_infra.schemas import FabricManager, FabricPort, Neighbor, NodeFacts, RoceSettings, Topology
from ogai.render.node.accelerator import pcie_link
from ogai.render.node.words import Field, counted, joined, named, optional_section, rate

__all__ = ["describe_fabric"]


def describe_fabric(facts: NodeFacts) -> Iterator[Field]:
    """Yield the RDMA ports, the fabric manager, who is heard by LLDP and the topology; nothing of what was not read."""
    yield from optional_section("Fabric", (line for port in facts.fabric or () for line in _port(port)))
    if facts.fabric_manager is not None:
        yield from optional_section("Fabric manager", _manager(facts.fabric_manager))
    yield from optional_section("Neighbors", map(_neighbor, facts.neighbors or ()))
    if facts.topology is not None:
        yield from optional_section("Topology", _topology(facts.topology))


def _manager(manager: FabricManager) -> Iterator[Field]:
    yield "  version", manager.software_version or ""
    for event in manager.events:
        times = f"{event.count} times" if event.count > 1 else None
        yield (
            f"  {event.level.lower()}",
            joined(event.text, event.device, times, named("last", event.last_at)),
        )


def _port(port: FabricPort) -> Iterator[Field]:
    state = port.state if port.state == "active" else joined(port.state, port.physical_state)
    yield (
        f"  {port.device}/{port.port}",
        joined(
            port.link_layer, state, rate(port.rate_bits_per_s), port.interface, named("for", port.purpose)
        ),
    )
    where = joined(port.pci, named("NUMA", port.numa_node), pcie_link(port.pcie))
    yield "", joined(where, named("firmware", port.firmware_version), named("MTU", port.mtu_bytes))
    yield "", joined(*_roce(port.roce))
    lost = f"link lost {counted(port.flaps, 'time')}" if port.flaps else None
    yield "", joined(lost, *(f"{each.name} {each.value}" for each in port.counters or ()))


def _roce(roce: RoceSettings | None) -> Iterator[str]:
    if roce is None:
        return
    if roce.trust is not None:
        yield f"trusts {roce.trust}"
    for name, priorities in (("PFC", roce.pfc_priorities), ("ECN", roce.ecn_priorities)):
        if priorities is not None:
            yield f"{name} on {' '.join(map(str, priorities)) or 'none'}"


def _neighbor(neighbor: Neighbor) -> Field:
    who = neighbor.name or neighbor.chassis or "a device without a name"
    return f"  {neighbor.interface}", joined(who, neighbor.port, *(neighbor.capabilities or ()))


def _topology(topology: Topology) -> Iterator[Field]:
    for near in topology.nearest:
        if near.ports:
            yield (
                f"  {near.accelerator}",
                f"next to {joined(*near.ports)}{f' ({near.path})' if near.path else ''}",
            )
    for group in topology.groups:
        yield "  linked", _short(group)
    if topology.ring:
        yield "  ring", _short(topology.ring)
    for advice in topology.advice:
        yield "  set", f"{advice.name}={advice.value}"
        yield "", f"because {advice.reason}"


def _short(ids: Sequence[str]) -> str:
    """Write ids of one vendor with the vendor once: `nvidia: 0 1 3 2`."""
    vendors = {one.partition(":")[0] for one in ids}
    if len(vendors) == 1:
        return f"{vendors.pop()}: {' '.join(one.partition(':')[2] for one in ids)}"
    return " ".join(ids)
