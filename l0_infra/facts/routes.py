"""Where packets leave the node: its routing table, and the servers of mounted network file systems."""

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import msgspec

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import integer

__all__ = ["ROUTES", "Route", "default_interface", "interface_to", "parse_routes", "storage_servers"]

ROUTES = Source(
    name="ip-route.txt",
    program="ip",
    quick=True,
    command="ip -o route show table all || ip -o route show",
    also=("ip?route*", "ip?r.*"),
)

Address = IPv4Address | IPv6Address
NETWORK_FILE_SYSTEMS = frozenset(("nfs", "nfs4", "lustre", "ceph", "cifs", "smb3", "fuse.glusterfs"))
ROUTE = re.compile(r"(?:unicast )?(default|[0-9a-f.:]+(?:/[0-9]{1,3})?)\s(.*)")
SOURCE = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9.])|(?<=\[)[0-9a-f:]{2,39}(?=\])")
OPTION = re.compile(r"(?:^|,)(?:mount)?addr=([0-9a-f.:]{2,39})(?=,|$)")
"""Where /proc/mounts has addresses of servers; `clientaddr=` is the node's own."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """One route of the main table."""

    network: IPv4Network | IPv6Network
    interface: str
    metric: int = 0


def parse_routes(text: str) -> tuple[Route, ...]:
    """Read `ip -o route show`; the first hop of several counts, and what leads nowhere is left out.

    Only the main table counts, whose routes do not name it.
    """
    return tuple(_routes(text))


def default_interface(routes: Sequence[Route]) -> str | None:
    """Return the interface of the default route, IPv4 before IPv6; None where there is none."""
    defaults = [route for route in routes if route.network.prefixlen == 0]
    first = min(defaults, key=lambda route: (route.network.version, route.metric), default=None)
    return first.interface if first else None


def interface_to(address: Address, routes: Sequence[Route]) -> str | None:
    """Return the interface that packets to an address leave by."""
    fitting = [route for route in routes if address in route.network]
    best = min(fitting, key=lambda route: (-route.network.prefixlen, route.metric), default=None)
    return best.interface if best else None


def storage_servers(mounts: str) -> tuple[Address, ...]:
    """List the servers of network file systems that /proc/mounts gives the addresses of."""
    rows = [line.split(" ") for line in mounts.split("\n") if line]
    told = [row for row in rows if len(row) >= 4 and row[2] in NETWORK_FILE_SYSTEMS]
    words = [word for row in told for word in (*SOURCE.findall(row[0]), *OPTION.findall(row[3]))]
    return tuple(dict.fromkeys(address for word in words if (address := _address(word))))


def _routes(text: str) -> Iterator[Route]:
    for line in text.split("\n"):
        match = None if " table " in line else ROUTE.match(line)
        device = re.search(r"\bdev (\S+)", match[2]) if match else None
        network = _network(match[1], line) if match else None
        if device and network:
            metric = re.search(r"\bmetric ([0-9]{1,10})\b", line)
            yield Route(network=network, interface=device[1], metric=integer(metric[1]) or 0 if metric else 0)


def _network(word: str, line: str) -> IPv4Network | IPv6Network | None:
    try:
        if word == "default":
            return ip_network("::/0" if re.search(r"\bvia (inet6 )?[0-9a-f]*:", line) else "0.0.0.0/0")
        return ip_network(word, strict=False)
    except ValueError:
        return None


def _address(word: str) -> Address | None:
    try:
        return ip_address(word)
    except ValueError:
        return None
