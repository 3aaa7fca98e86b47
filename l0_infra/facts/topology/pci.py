"""Devices on PCI: the kernel's files tell where they hang, `lspci -nn` what they are called."""

import re
from collections.abc import Mapping

import msgspec

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.pcie import PCIE_FILES, parse_pcie_link
from l0_infra.facts.tree import Tree, integer, parse_tree, settings, text_at
from l0_infra.facts.vendor import pci_address
from l0_infra.schemas import PciDevice

__all__ = ["LSPCI", "SYS_BUS_PCI", "parse_lspci", "parse_pci", "parse_sys_bus_pci"]

ROOT = "/sys/bus/pci/devices"
KINDS = ("0108", "02", "03", "0680", "12")
"""NVMe disks, network controllers, displays (with GPUs), other bridges (NVSwitches), accelerators."""

IDS = "names=; for file in /usr/share/misc/pci.ids /usr/share/hwdata/pci.ids; do [ ! -e $file ] || names=$file; done"
"""Looks for the list of names that `lspci` has, which takes much longer to read all of it."""

NAMES_OF_IDS = """
    /^[0-9a-f]/ { vendor = substr($0, 1, 4); wanted = index(ids, " " vendor ":"); maker = substr($0, 7); next }
    /^[^\t]/ { wanted = 0 }
    wanted && /^\t[0-9a-f]/ {
        id = vendor ":" substr($0, 2, 4)
        if (index(ids, " " id " ")) print id " " maker " " substr($0, 8)
    }
"""
"""awk's way through that list: vendors, and below each its devices."""

SYS_BUS_PCI = Source(
    name="sys-bus-pci.txt",
    program="grep",
    quick=True,
    command=f"""{IDS}
ids=
set --
for place in {ROOT}/*; do
    [ -e "$place/class" ] && read -r class <"$place/class" || continue
    case $class in {"|".join(f"0x{kind}*" for kind in KINDS)}) ;; *) continue ;; esac
    if [ -e "$place/vendor" ] && read -r vendor <"$place/vendor" && read -r device <"$place/device"; then
        ids="$ids ${{vendor#0x}}:${{device#0x}}"
    fi
    for file in uevent numa_node {" ".join(PCIE_FILES)}; do
        set -- "$@" "$place/$file"
    done
    cd -P "$place" && echo "${{place##*/}} -> $PWD"
done
cd /
[ $# -eq 0 ] || grep -Hs '' "$@"
[ -z "$ids" ] || [ -z "$names" ] || awk -v ids="$ids " '{NAMES_OF_IDS}' "$names"
true""",
)
LSPCI = Source(
    name="lspci-nn.txt",
    program="lspci",
    when=f'{IDS}; [ -z "$names" ]',
    quick=True,
    command="lspci -D -nn",
    also=("*lspci*",),
    marks=(" bridge [0600]: ", " bridge [0604]: ", " controller [0302]: "),
)

NAMED = re.compile(r"^([0-9a-f]{4}:[0-9a-f]{4}) (.{1,300}?)[ \t\r]*$", re.M)
"""An id and its name."""

LINE = re.compile(
    r"((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) .{0,80}?\[([0-9a-f]{4})\]: (.{0,300}?)"
    r" ?\[([0-9a-f]{4}):([0-9a-f]{4})\](?: \([^()]{0,80}\))*\s*"
)


def parse_pci(answers: Answers) -> tuple[PciDevice, ...] | None:
    """List the devices that matter, in order of address; None: neither source told."""
    files, listing = answers["sys-bus-pci.txt"], answers["lspci-nn.txt"]
    named = {device.address: device for device in parse_lspci(listing.out)}
    found = {device.address: device for device in parse_sys_bus_pci(files.out)}
    merged = {address: _named(device, named.get(address)) for address, device in found.items()}
    told = merged or named
    return tuple(told[address] for address in sorted(told)) if told or files.ok or listing.ok else None


def parse_sys_bus_pci(text: str) -> tuple[PciDevice, ...]:
    """Read the kernel's files, and the links that say where in the tree a device is."""
    links = (line.rpartition(" -> ") for line in text.split("\n") if " -> " in line)
    places = {left.rpartition(" ")[2]: right.strip() for left, _, right in links}
    tree, names = parse_tree(text), dict(NAMED.findall(text))
    addresses = {match[1] for path in tree if (match := re.match(rf"{ROOT}/([^/]+)/", path))}
    return tuple(
        _device(address, name, tree, places.get(name), names)
        for name in sorted(addresses)
        if (address := pci_address(name))
    )


def parse_lspci(text: str) -> tuple[PciDevice, ...]:
    """Read `lspci -nn`, with or without domains; more (`-k`, `-v`) may stand between the lines."""
    devices = [_of_line(match) for line in text.split("\n") if (match := LINE.fullmatch(line))]
    return tuple(device for device in devices if (device.class_id or "").startswith(KINDS))


def _of_line(match: re.Match[str]) -> PciDevice:
    return PciDevice(
        address=pci_address(match[1]) or match[1],
        class_id=match[2],
        vendor_id=match[4],
        device_id=match[5],
        name=match[3].strip() or None,
    )


def _named(device: PciDevice, named: PciDevice | None) -> PciDevice:
    return msgspec.structs.replace(device, name=named.name) if named else device


def _device(address: str, name: str, tree: Tree, place: str | None, names: Mapping[str, str]) -> PciDevice:
    uevent = settings(tree.get(f"{ROOT}/{name}/uevent", ()), "=")
    ids = re.fullmatch(r"([0-9A-F]{4}):([0-9A-F]{4})", uevent.get("PCI_ID", ""))
    kind = re.fullmatch(r"([0-9A-F]{3,4})[0-9A-F]{2}", uevent.get("PCI_CLASS", ""))
    return PciDevice(
        address=address,
        class_id=kind[1].lower().zfill(4) if kind else None,
        vendor_id=ids[1].lower() if ids else None,
        device_id=ids[2].lower() if ids else None,
        name=names.get(f"{ids[1]}:{ids[2]}".lower()) if ids else None,
        driver=uevent.get("DRIVER") or None,
        numa_node=integer(text_at(tree, f"{ROOT}/{name}/numa_node")),
        bridges=_bridges(place, name),
        link=parse_pcie_link(tree, f"{ROOT}/{name}"),
    )


def _bridges(place: str | None, name: str) -> tuple[str, ...] | None:
    """Read the bridges from `../../../devices/pci0000:c0/0000:c0:01.0/0000:c1:00.0`, the root complex left out."""
    steps = (place or "").split("/")
    if not steps or steps[-1] != name:
        return None
    return tuple(address for step in steps[:-1] if (address := pci_address(step)))
