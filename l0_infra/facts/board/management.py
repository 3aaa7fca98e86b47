"""The management controller: by `ipmitool`, by the kernel's device, and by what the firmware tells of it."""

import re
from collections.abc import Sequence
from importlib.resources import files
from ipaddress import ip_address

from l0_infra.facts.board.dmi import Structure, told
from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.tree import settings
from l0_infra.schemas import ManagementController

__all__ = ["IPMI", "parse_management"]

IPMI = Source(
    name="ipmitool.txt",
    also=("ipmitool*",),
    program="sh",
    when="[ -e /dev/ipmi0 ] || [ -e /dev/ipmi/0 ] || [ -e /dev/ipmidev/0 ]",
    command=files(__package__).joinpath("ipmi.sh").read_text("utf-8"),
)

IPMI_DEVICE, HOST_INTERFACE = 38, 42
"""SMBIOS types of a management controller: its IPMI device, its network to the host."""

MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


def parse_management(answer: Answer, structures: Sequence[Structure]) -> ManagementController | None:
    """Put it together; None when nothing tells of a controller."""
    said = settings(tuple(answer.out.split("\n")), ":")
    mac = said.get("MAC Address", "").lower()
    found = ManagementController(
        address=_address(said.get("IP Address")),
        mac=mac if MAC.fullmatch(mac) and mac != "00:00:00:00:00:00" else None,
        firmware_version=_version(said.get("Firmware Revision")),
        device=_device(said.get("Device")),
        redfish_address=_redfish(structures),
    )
    by_firmware = any(one.type == IPMI_DEVICE for one in structures)
    return found if by_firmware or found != ManagementController() else None


def _address(word: str | None) -> str | None:
    """Read an IP address; a channel without one shows zeros."""
    try:
        address = ip_address((word or "").strip())
    except ValueError:
        return None
    return None if address.is_unspecified else str(address)


def _version(word: str | None) -> str | None:
    return word if re.fullmatch(r"[0-9]{1,3}\.[0-9a-zA-Z.]{1,12}", word or "") else None


def _device(word: str | None) -> str | None:
    return word if re.fullmatch(r"/dev/ipmi\w*(/[0-9]+)?", word or "") else None


def _redfish(structures: Sequence[Structure]) -> str | None:
    told_of = (
        _address(told(one, "IPv4 Redfish Service Address", "IPv6 Redfish Service Address"))
        for one in structures
        if one.type == HOST_INTERFACE
    )
    return next((address for address in told_of if address), None)
