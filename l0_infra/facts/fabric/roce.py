"""How RDMA traffic on Ethernet is kept apart and unlost: `mlnx_qos`, `dcb`, and the drivers' own files.

`cma_roce_tos` is not run: to read the type of service it mounts a file system and makes a directory.
"""

import re
from collections.abc import Mapping

from l0_infra.facts.bundle import Source
from l0_infra.facts.fabric.sections import ANY_DEVICE, each_port, sections
from l0_infra.facts.tree import Tree, integer, text_at
from l0_infra.schemas import RoceSettings

__all__ = ["DCB", "MLNX_QOS", "ROCE_FILES", "parse_dcb", "parse_mlnx_qos", "parse_roce_files"]

NET = "/sys/class/net"
TC = "/sys/class/infiniband/{}/tc/{}/traffic_class"
TOS = "/sys/kernel/config/rdma_cm/{}/ports/{}/default_roce_tos"

MLNX_QOS = Source(
    name="mlnx_qos.txt",
    program="mlnx_qos",
    when=ANY_DEVICE,
    command=each_port("mlnx_qos -i {}", ethernet=True),
    also=("mlnx?qos*",),
    marks=("Priority trust state: ",),
)
DCB = Source(
    name="dcb.txt",
    program="dcb",
    when=ANY_DEVICE,
    also=("dcb*",),
    marks=("prio-pfc ",),
    command=each_port("dcb pfc show dev {}", "dcb -N app show dev {}", ethernet=True),
)
ROCE_FILES = Source(
    name="roce-settings.txt",
    program="grep",
    quick=True,
    command=f"grep -Hs '' {NET}/*/ecn/roce_*/enable/* {NET}/*/qos/trust"
    f" {TC.format('*', '*')} {TOS.format('*', '*')}; true",
)


def parse_mlnx_qos(text: str) -> Mapping[str, RoceSettings]:
    """Read trust and priorities with flow control, by interface."""
    return {name: _mlnx_qos(output) for name, output in sections(text, "mlnx_qos") if output.strip()}


def parse_dcb(text: str) -> Mapping[str, RoceSettings]:
    """Read the same of iproute2's `dcb`; a table of DSCP values makes a port trust them."""
    told: dict[str, list[str]] = {}
    for name, output in sections(text, "dcb"):
        told.setdefault(name, []).append(output)
    return {name: _dcb("\n".join(outputs)) for name, outputs in told.items() if "".join(outputs).strip()}


def parse_roce_files(tree: Tree, device: str, port: int, interface: str | None) -> RoceSettings:
    """Read congestion control and the forced type of service of one port."""
    marked, heeded = (
        _enabled(tree, f"{NET}/{interface}/ecn/{side}/enable") for side in ("roce_np", "roce_rp")
    )
    forced = re.fullmatch(r"Global tclass=([0-9]{1,3})", text_at(tree, TC.format(device, port)) or "")
    return RoceSettings(
        trust=_trust(text_at(tree, f"{NET}/{interface}/qos/trust") or ""),
        ecn_priorities=tuple(one for one in marked if one in heeded)
        if marked is not None and heeded
        else None,
        traffic_class=_octet(forced[1] if forced else text_at(tree, TOS.format(device, port))),
    )


def _mlnx_qos(text: str) -> RoceSettings:
    trust = re.search(r"^Priority trust state: (\w+)", text, re.M)
    row = re.search(r"^\s+enabled\s+((?:[01]\s+){7}[01])\s*$", text, re.M)
    flags = row[1].split() if row else None
    return RoceSettings(
        trust=_trust(trust[1]) if trust else None,
        pfc_priorities=None if flags is None else tuple(at for at, flag in enumerate(flags) if flag == "1"),
    )


def _dcb(text: str) -> RoceSettings:
    row = re.search(r"^prio-pfc ((?:[0-7]:(?:on|off)\s*){8})$", text, re.M)
    flags = re.findall(r"([0-7]):on\b", row[1]) if row else None
    return RoceSettings(
        trust="dscp" if re.search(r"^dscp-prio ", text, re.M) else None,
        pfc_priorities=None if flags is None else tuple(int(flag) for flag in flags),
    )


def _enabled(tree: Tree, place: str) -> tuple[int, ...] | None:
    told = {priority: text_at(tree, f"{place}/{priority}") for priority in range(8)}
    on = tuple(priority for priority, flag in told.items() if flag == "1")
    return on if all(flag in ("0", "1") for flag in told.values()) else None


def _trust(word: str) -> str | None:
    return word if word in ("pcp", "dscp") else None


def _octet(text: str | None) -> int | None:
    value = integer(text)
    return value if value is not None and value <= 255 else None
