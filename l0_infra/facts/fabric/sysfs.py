"""RDMA devices as the kernel shows them under /sys/class/infiniband: the first source, and no tool is needed."""

import re
from collections.abc import Iterator

from l0_infra.core.nodeset import natural_key
from l0_infra.facts.bundle import Source
from l0_infra.facts.fabric import words
from l0_infra.facts.fabric.counters import parse_counters
from l0_infra.facts.pcie import parse_pcie_link
from l0_infra.facts.tree import Tree, integer, settings, text_at
from l0_infra.facts.vendor import pci_address
from l0_infra.schemas import Counter, FabricPort, Gid

__all__ = ["SYSFS", "parse_sysfs"]

ROOT = "/sys/class/infiniband"
SYSFS = Source(
    name="sys-class-infiniband.txt",
    program="grep",
    quick=True,
    command=f"""[ ! -d {ROOT} ] || {{
grep -Hs '' {ROOT}/*/fw_ver {ROOT}/*/hca_type {ROOT}/*/board_id {ROOT}/*/node_guid {ROOT}/*/device/uevent \
{ROOT}/*/device/numa_node {ROOT}/*/device/current_link_* {ROOT}/*/device/max_link_* {ROOT}/*/device/../max_link_speed \
{ROOT}/*/device/net/*/dev_port {ROOT}/*/ports/*/state {ROOT}/*/ports/*/phys_state {ROOT}/*/ports/*/rate \
{ROOT}/*/ports/*/lid {ROOT}/*/ports/*/sm_lid {ROOT}/*/ports/*/link_layer \
{ROOT}/*/ports/*/counters/port_rcv_packets {ROOT}/*/ports/*/gid_attrs/*/*
grep -Hsv -e '^0$' -e '^0000:0000:0000:0000:0000:0000:0000:0000$' \
{ROOT}/*/ports/*/counters/* {ROOT}/*/ports/*/hw_counters/* {ROOT}/*/ports/*/gids/*
true
}}""",
)
"""Counters at 0 and GIDs that are not set are left out; one counter is always told, so that none is not unread."""


def parse_sysfs(tree: Tree) -> tuple[FabricPort, ...]:
    """List the ports in natural order."""
    devices: dict[str, dict[str, tuple[str, ...]]] = {}
    for path, lines in tree.items():
        if match := re.fullmatch(rf"{ROOT}/([^/]+)/(.+)", path):
            devices.setdefault(match[1], {})[match[2]] = lines
    return tuple(
        port for device in sorted(devices, key=natural_key) for port in _ports_of(device, devices[device])
    )


def _ports_of(device: str, files: Tree) -> Iterator[FabricPort]:
    ports: dict[int, dict[str, tuple[str, ...]]] = {}
    for path, lines in files.items():
        if match := re.fullmatch(r"ports/([0-9]{1,3})/(.+)", path):
            ports.setdefault(int(match[1]), {})[match[2]] = lines
    for number in sorted(ports):
        yield _port(device, number, files, ports[number])


def _port(device: str, number: int, files: Tree, port: Tree) -> FabricPort:
    uevent = settings(files.get("device/uevent", ()), "=")
    rate = text_at(port, "rate") or ""
    gids = _gids(port)
    return FabricPort(
        device=device,
        port=number,
        interface=_interface(gids, files, number),
        pci=pci_address(uevent.get("PCI_SLOT_NAME", "")),
        numa_node=integer(text_at(files, "device/numa_node")),
        device_type=text_at(files, "hca_type"),
        board=text_at(files, "board_id"),
        firmware_version=text_at(files, "fw_ver"),
        link_layer=words.link_layer(text_at(port, "link_layer") or ""),
        state=words.state(text_at(port, "state") or ""),
        physical_state=words.physical_state(text_at(port, "phys_state") or ""),
        rate_bits_per_s=words.rate(rate),
        width=words.width(rate),
        guid=_port_guid(gids),
        lid=words.number(text_at(port, "lid")),
        subnet_manager_lid=words.number(text_at(port, "sm_lid")),
        gids=gids or None,
        counters=_counters(port),
        pcie=parse_pcie_link(files, "device"),
    )


def _gids(port: Tree) -> tuple[Gid, ...]:
    entries = [(int(match[1]), path) for path in port if (match := re.fullmatch(r"gids/([0-9]{1,5})", path))]
    return tuple(
        Gid(
            index=index,
            gid=gid,
            kind=text_at(port, f"gid_attrs/types/{index}"),
            interface=text_at(port, f"gid_attrs/ndevs/{index}"),
        )
        for index, path in sorted(entries)
        if (gid := text_at(port, path)) and re.fullmatch(r"[0-9a-f]{4}(:[0-9a-f]{4}){7}", gid)
    )


def _interface(gids: tuple[Gid, ...], files: Tree, number: int) -> str | None:
    """Prefer what the GIDs belong to: it is the bond where there is one, and never a representor."""
    owners = [gid.interface for gid in gids if gid.interface]
    if owners:
        return owners[0].partition(".")[0]
    names = [
        match[1]
        for path in files
        if (match := re.fullmatch(r"device/net/([^/.]+)/dev_port", path))
        and integer(text_at(files, path)) == number - 1
    ]
    return names[0] if len(names) == 1 else None


def _port_guid(gids: tuple[Gid, ...]) -> str | None:
    """Read it from the first GID: a link's own GID ends with it (InfiniBand specification, 4.1.1)."""
    first = next((gid.gid for gid in gids if gid.index == 0), "")
    return None if first.startswith("0000:") else words.guid(first[20:])


def _counters(port: Tree) -> tuple[Counter, ...] | None:
    told = [
        (path.rpartition("/")[2], text_at(port, path) or "")
        for path in port
        if re.match("(hw_)?counters/", path)
    ]
    return parse_counters(told) if told else None
