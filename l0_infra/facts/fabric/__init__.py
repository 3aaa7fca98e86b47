"""Ports of RDMA devices: what every source says of them, put together."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.fabric import devinfo, ethtool, ibstat, rdma, roce, sysfs
from l0_infra.facts.fabric.flaps import Flap, with_flaps
from l0_infra.facts.fabric.merge import merge_ports, merge_roce, with_interface
from l0_infra.facts.fabric.purpose import judge_purposes
from l0_infra.facts.tree import Tree, parse_tree
from l0_infra.schemas import FabricPort, RoceSettings, Unread

__all__ = ["SOURCES", "Flap", "is_active", "judge_purposes", "parse_fabric", "with_flaps"]

PARSERS: Mapping[Source, Callable[[str], tuple[FabricPort, ...]]] = {
    sysfs.SYSFS: lambda text: sysfs.parse_sysfs(parse_tree(text)),
    devinfo.DEVINFO: devinfo.parse_devinfo,
    ibstat.IBSTAT: ibstat.parse_ibstat,
    rdma.LINKS: rdma.parse_links,
    rdma.LINKS_TEXT: rdma.parse_links_text,
    rdma.IBDEV2NETDEV: rdma.parse_ibdev2netdev,
}
"""What lists ports; of several that know a thing the first counts."""

SOURCES = (*PARSERS, ethtool.ETHTOOL, roce.MLNX_QOS, roce.DCB, roce.ROCE_FILES)


def parse_fabric(answers: Answers) -> tuple[tuple[FabricPort, ...] | None, tuple[Unread, ...]]:
    """List the ports in natural order and what could not be read; None: nobody could tell.

    The kernel's own files count first, then the tools. What a port is for is judged later (`judge_purposes`), and
    flaps are put to it from the kernel's log (`with_flaps`).
    """
    told = {source: parse(answers[source.name].out) for source, parse in PARSERS.items()}
    ports = merge_ports(told.values())
    if not ports and _none_is_there(answers):
        return (), ()
    return _with_settings(ports, answers) or None, tuple(dict.fromkeys(_faults(answers, told)))


def is_active(port: FabricPort) -> bool | None:
    """Tell whether a port carries traffic: active, with a physical link below; None where that is not known."""
    if port.state is None or port.physical_state is None:
        return None
    return port.state == "active" and port.physical_state == "linkup"


def _none_is_there(answers: Answers) -> bool:
    """Tell whether the kernel, or a tool asked in its stead, says that there is no RDMA device."""
    tool = answers["ibv_devinfo.txt"]
    return answers["sys-class-infiniband.txt"].ok or "No IB devices found" in tool.out + tool.err


def _with_settings(ports: tuple[FabricPort, ...], answers: Answers) -> tuple[FabricPort, ...]:
    interfaces = ethtool.parse_ethtool(answers["ethtool.txt"].out)
    qos = roce.parse_mlnx_qos(answers["mlnx_qos.txt"].out)
    dcb = roce.parse_dcb(answers["dcb.txt"].out)
    files = parse_tree(answers["roce-settings.txt"].out)
    return tuple(with_interface(_with_roce(port, qos, files, dcb), interfaces) for port in ports)


def _with_roce(
    port: FabricPort, qos: Mapping[str, RoceSettings], files: Tree, dcb: Mapping[str, RoceSettings]
) -> FabricPort:
    if port.link_layer != "ethernet":
        return port
    name = port.interface or ""
    own = roce.parse_roce_files(files, port.device, port.port, port.interface)
    return msgspec.structs.replace(port, roce=merge_roce((qos.get(name), own, dcb.get(name))))


def _faults(answers: Answers, told: Mapping[Source, tuple[FabricPort, ...]]) -> Iterator[Unread]:
    for source in SOURCES:
        what = source.name if source.program == "grep" else source.program
        answer = answers[source.name]
        yield from ibstat.ibstat_faults(answer) if source is ibstat.IBSTAT else answer.unread(what)
        said = answer.out.strip()
        if answer.ok and not told.get(source, True) and said.strip("[] "):
            yield Unread(what=what, reason="garbled", detail=said[:200])
