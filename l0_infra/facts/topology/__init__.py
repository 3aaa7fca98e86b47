"""How the devices of a node lie to each other: what the tools tell, and what the PCI tree tells where they do not."""

from collections.abc import Iterator, Mapping, Sequence

from l0_infra.facts.bundle import Answers
from l0_infra.facts.topology import amd, matrix, pci
from l0_infra.facts.topology.advice import advise
from l0_infra.facts.topology.derive import Node, derive_topology
from l0_infra.facts.topology.links import parse_links
from l0_infra.facts.topology.pci import parse_pci
from l0_infra.facts.topology.tail import numbers
from l0_infra.facts.topology.told import Told
from l0_infra.facts.vendor import Found
from l0_infra.schemas import FabricPort, NumaNode, PciDevice, Topology, Unread

__all__ = ["SOURCES", "advise", "parse_pci", "parse_topology"]

TABLES = (matrix.TOPO, matrix.NPU_TOPO)
LISTINGS = {
    amd.AMD_TOPOLOGY: amd.parse_amd_topology,
    amd.ROCM_TOPOLOGY: amd.parse_rocm_topology,
}
SOURCES = (pci.SYS_BUS_PCI, pci.LSPCI, *TABLES, *LISTINGS)


def parse_topology(
    answers: Answers,
    found: Found,
    ports: Sequence[FabricPort] | None,
    devices: Sequence[PciDevice] | None,
    numa: Sequence[NumaNode],
) -> tuple[Topology | None, tuple[Unread, ...]]:
    """Put together how accelerators and RDMA devices lie, without advice; None when no source told any of it."""
    cpus = {node.id: cpus for node in numa if (cpus := numbers(node.cpus))}
    told = (*_tools(answers, cpus, found.names), parse_links(found.accelerators))
    unread = (*(fault for one in told for fault in one.unread), *_faults(answers, told))
    on_tree = any(device.bridges is not None for device in devices or ())
    if not (on_tree or devices == () or any(one.ways or one.places for one in told)):
        return None, unread
    node = Node(
        accelerators=found.accelerators,
        own_ports=frozenset(port.device for port in found.fabric),
        ports=None if ports is None else tuple(ports),
        devices=tuple(devices or ()),
        numa=tuple(numa),
    )
    return derive_topology(node, told), unread


def _tools(answers: Answers, numa: Mapping[int, frozenset[int]], names: Mapping[str, str]) -> Iterator[Told]:
    for source in TABLES:
        yield matrix.parse_matrix(answers[source.name].out, source.command, numa, names)
    for listing, parse in LISTINGS.items():
        yield parse(answers[listing.name].out)


def _faults(answers: Answers, told: Sequence[Told]) -> Iterator[Unread]:
    for source in SOURCES:
        what = source.name if source.program == "grep" else source.command.rpartition("|| ")[2]
        yield from answers[source.name].unread(what)
    for source, one in zip((*TABLES, *LISTINGS), told, strict=False):
        answer = answers[source.name]
        if answer.ok and answer.out.strip() and not one.read:
            yield Unread(
                what=source.command.rpartition("|| ")[2], reason="garbled", detail=answer.out.strip()[:200]
            )
