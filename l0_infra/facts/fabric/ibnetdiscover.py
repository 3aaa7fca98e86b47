"""`ibnetdiscover`: all switches of an InfiniBand fabric and their cables, as one node with access sees them.

A block for each switch, adapter and router: lines of ids, a head, and a line for each port that is cabled. The
blocks of switches tell every cable of a switch, those of adapters the same cables once more, so they are passed over.
Form: out_switch_detail and out_switch_port in rdma-core's infiniband-diags/ibnetdiscover.c.
"""

import re
from collections.abc import Iterator, Sequence

from l0_infra.facts.fabric import words
from l0_infra.schemas import FabricMap, FabricSwitch, HostPort

__all__ = ["parse_ibnetdiscover"]

HEAD = re.compile(r'(Switch|Ca|Rt|\?\?\?)\t[0-9]+ "[SHR?]-([0-9a-f]{16})"(?:\s+# "(.*)"(?: .*)?)?')
PORT = re.compile(
    r'\[[0-9]+\](?:\[ext [0-9]+\])?\s+"([SHR?])-([0-9a-f]{16})"\[[0-9]+\](?:\[ext [0-9]+\])?'
    r'(?:\(([0-9a-f]{1,16})\))?\s*(?:# "(.*)" lid .*)?'
)
"""A port of a switch: kind and GUID at the other end, the GUID of the port there unless it is a switch's, its name."""


def parse_ibnetdiscover(text: str) -> FabricMap:
    """Read the switches; of a text without any, none."""
    return FabricMap(switches=tuple(_switch(*block) for block in _blocks(text.replace("\r\n", "\n"))))


def _blocks(text: str) -> Iterator[tuple[str, str, Sequence[re.Match[str]]]]:
    """Yield (GUID, name, ports) of each switch."""
    guid, name = "", ""
    ports: list[re.Match[str]] = []
    for line in text.split("\n"):
        head = HEAD.fullmatch(line.rstrip())
        if head:
            if guid:
                yield guid, name, ports
            guid, name, ports = (head[2] if head[1] == "Switch" else ""), head[3] or "", []
        elif guid and (port := PORT.fullmatch(line.rstrip())):
            ports.append(port)
    if guid:
        yield guid, name, ports


def _switch(guid: str, name: str, ports: Sequence[re.Match[str]]) -> FabricSwitch:
    return FabricSwitch(
        guid=f"0x{guid}",
        name=name.strip(),
        hosts=tuple(
            HostPort(guid=port, name=(one[4] or "").strip())
            for one in ports
            if one[1] == "H" and (port := words.guid((one[3] or one[2]).zfill(16)))
        ),
        switches=tuple(dict.fromkeys(f"0x{one[2]}" for one in ports if one[1] == "S")),
    )
