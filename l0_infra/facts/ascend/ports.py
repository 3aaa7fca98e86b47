"""The RoCE ports that NPUs have of their own, as `hccn_tool` shows them; each is asked for by its physical id."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from l0_infra.facts.tree import integer
from l0_infra.schemas import Accelerator, Counter, FabricPort

__all__ = ["Port", "fabric_port", "parse_ports"]

ASKED = re.compile(r"hccn_tool\s{1,9}-i\s{1,9}([0-9]{1,4})\s")
OWN = re.compile(r"^\[dev(?:id|ice) [0-9]{1,4}\]")
RECORD = re.compile(r"LINK (?:UP|DOWN)$")
TROUBLE = re.compile(
    r"(?:mac|roce|nic)_\w{0,60}(?:err|bad|pause|pfc|cnp|rty|out_of_order|unexpected)\w{0,60}"
)
STATES = {"UP": ("active", "linkup"), "DOWN": ("down", None)}
MEGA = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Port:
    """What the tool said of one port: values by their labels, and its records of links that came and went."""

    fields: Mapping[str, str]
    records: tuple[str, ...]


def parse_ports(texts: Iterable[str]) -> Mapping[int, Port]:
    """Read the answers to any of the tool's options, each headed by its command, by the physical id of the chip."""
    found: dict[int, list[str]] = {}
    for text in texts:
        lines: list[str] | None = None
        for line in text.split("\n"):
            asked = ASKED.search(line)
            if asked:
                lines = found.setdefault(int(asked[1]), [])
            elif lines is not None:
                lines.append(OWN.sub("", line.strip()).strip())
    ports = {number: _port(lines) for number, lines in found.items()}
    return {number: port for number, port in ports.items() if port.fields or port.records}


def fabric_port(accelerator: Accelerator, said: Port) -> FabricPort:
    """Describe the port of one accelerator; it is named as the accelerator is."""
    state, physical = STATES.get(said.fields.get("link status", ""), (None, None))
    return FabricPort(
        device=accelerator.id,
        port=1,
        pci=accelerator.pci,
        link_layer="ethernet",
        state=state,
        physical_state=physical,
        rate_bits_per_s=_rate(said.fields.get("Speed", "")),
        counters=tuple(_counters(said.fields))
        if any(TROUBLE.fullmatch(name) for name in said.fields)
        else None,
        flaps=said.records.count("LINK DOWN") if said.records else None,
        purpose="compute",
    )


def _port(lines: list[str]) -> Port:
    """Sort the lines about a port; of equal labels the first counts."""
    fields: dict[str, str] = {}
    for line in lines:
        label, colon, value = line.partition(":")
        if colon and not RECORD.search(line):
            fields.setdefault(label.strip(), value.strip())
    return Port(fields=fields, records=tuple(match[0] for line in lines if (match := RECORD.search(line))))


def _rate(word: str) -> int | None:
    match = re.fullmatch(r"([0-9]{1,9})\s{0,9}Mb/s", word)
    return int(match[1]) * MEGA if match else None


def _counters(fields: Mapping[str, str]) -> Iterator[Counter]:
    for name, word in sorted(fields.items()):
        value = integer(word)
        if value and TROUBLE.fullmatch(name):
            yield Counter(name=name, value=value)
