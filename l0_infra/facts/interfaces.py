"""Network interfaces: every port, and each virtual one that carries an address."""

import re
from collections.abc import Mapping

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, integer, settings, text_at
from l0_infra.schemas import NetworkInterface

__all__ = ["ADDRESSES", "NET", "parse_addresses", "parse_interfaces"]

NICS = "/sys/class/net"
UNKNOWN_SPEED = 2**32 - 1
PCI = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")

NET = Source(
    name="sys-class-net.txt",
    program="grep",
    quick=True,
    command="grep -H '' "
    + " ".join(
        f"{NICS}/*/{file}"
        for file in (
            "address",
            "mtu",
            "operstate",
            "speed",
            "device/uevent",
            "device/../uevent",
            "bonding/slaves",
        )
    ),
)
ADDRESSES = Source(name="ip-address.txt", program="ip", command="ip -o address show", quick=True)

Addresses = Mapping[str, tuple[str, ...]]


def parse_addresses(text: str) -> Addresses:
    """Read `ip -o address`: addresses with prefix length by interface."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.split("\n"):
        match = re.match(r"[0-9]+: ([^\s@:]+)\S*\s+inet6? ([0-9a-f.:]+(?:/[0-9]{1,3})?)\s", line)
        if match:
            found[match[1]] = (*found.get(match[1], ()), match[2])
    return found


def parse_interfaces(tree: Tree, addresses: Addresses | None) -> tuple[NetworkInterface, ...]:
    """List interfaces in order of name; `addresses` is None when they could not be read."""
    names = sorted({match[1] for path in tree if (match := re.match(rf"{NICS}/([^/]+)/", path))} - {"lo"})
    carried = addresses or {}
    return tuple(
        _interface(name, tree, None if addresses is None else carried.get(name, ()))
        for name in names
        if f"{NICS}/{name}/device/uevent" in tree or name in carried
    )


def _interface(name: str, tree: Tree, addresses: tuple[str, ...] | None) -> NetworkInterface:
    place = f"{NICS}/{name}"
    device = settings(tree.get(f"{place}/device/uevent", ()), "=")
    parent = settings(tree.get(f"{place}/device/../uevent", ()), "=")
    pci = (device.get("PCI_SLOT_NAME") or parent.get("PCI_SLOT_NAME") or "").lower()
    return NetworkInterface(
        name=name,
        mac=text_at(tree, f"{place}/address"),
        driver=device.get("DRIVER") or None,
        speed_bits_per_s=_speed(text_at(tree, f"{place}/speed")),
        state=text_at(tree, f"{place}/operstate"),
        mtu=integer(text_at(tree, f"{place}/mtu")),
        addresses=addresses,
        pci=pci if PCI.fullmatch(pci) else None,
        members=tuple((text_at(tree, f"{place}/bonding/slaves") or "").split()),
    )


def _speed(text: str | None) -> int | None:
    megabits = integer(text)
    return megabits * 10**6 if megabits and megabits != UNKNOWN_SPEED else None
