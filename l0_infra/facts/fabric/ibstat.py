"""`ibstat`: it prints device by device and gives up at the first that it cannot read."""

import re
from collections.abc import Iterator, Mapping

from l0_infra.facts.bundle import Answer, Source
from l0_infra.facts.fabric import words
from l0_infra.schemas import FabricPort, Unread

__all__ = ["IBSTAT", "ibstat_faults", "parse_ibstat"]

IBSTAT = Source(
    name="ibstat.txt",
    program="ibstat",
    command="ibstat",
    also=("*ibstat*",),
    marks=("\tCA type: ", "\tNumber of ports: "),
)
Told = Mapping[str, str]


def parse_ibstat(text: str) -> tuple[FabricPort, ...]:
    """List the ports it came to; what it did not come to is None."""
    return tuple(_port(device, number, told) for device, number, told in _blocks(text))


def ibstat_faults(answer: Answer) -> Iterator[Unread]:
    """Yield where it gave up, also when what it printed was kept without its exit code."""
    panic = re.search(r"^ibpanic:.*", f"{answer.out}\n{answer.err}", re.M)
    if panic:
        hint = "look into `dmesg` for the device that it names"
        yield Unread(what="ibstat", reason="failed", detail=panic[0].strip()[:200], hint=hint)
    else:
        yield from answer.unread("ibstat")


def _blocks(text: str) -> Iterator[tuple[str, int, Told]]:
    device, number = "", 0
    about: dict[str, str] = {}
    told: dict[str, str] = {}
    for line in text.split("\n"):
        head = "'" in line and re.fullmatch(r"\S.{0,40} '([^']{1,64})'\s*", line)
        port = "Port " in line and re.fullmatch(r"\s*Port ([0-9]{1,3}):\s*", line)
        if (head or port) and number:
            yield device, number, told
        if head:
            device, number, about = head[1], 0, {}
        elif port:
            number, told = (int(port[1]) if device else 0), dict(about)
        elif line.startswith("ibpanic:"):
            break
        else:
            key, _, value = line.partition(":")
            (told if number else about)[key.strip()] = value.strip()
    if number:
        yield device, number, told


def _port(device: str, number: int, told: Told) -> FabricPort:
    return FabricPort(
        device=device,
        port=number,
        device_type=told.get("CA type") or told.get("iWARP RNIC type") or None,
        firmware_version=told.get("Firmware version") or None,
        link_layer=words.link_layer(told.get("Link layer", "")),
        state=words.state(told.get("State", "")),
        physical_state=words.physical_state(told.get("Physical state", "")),
        rate_bits_per_s=words.rate(told.get("Rate", "")),
        guid=words.guid(told.get("Port GUID", "")),
        lid=words.number(told.get("Base lid")),
        subnet_manager_lid=words.number(told.get("SM lid")),
    )
