"""`rdma link` of iproute2, as JSON and as text, and `ibdev2netdev`: which interface a port has."""

import re
from collections.abc import Iterator, Mapping

from l0_infra.facts.bundle import Source
from l0_infra.facts.fabric import words
from l0_infra.facts.fabric.sections import ANY_DEVICE
from l0_infra.facts.json_value import Json, decode, dig, items, keys, word
from l0_infra.facts.tree import integer
from l0_infra.schemas import FabricPort

__all__ = ["IBDEV2NETDEV", "LINKS", "LINKS_TEXT", "parse_ibdev2netdev", "parse_links", "parse_links_text"]

LINKS = Source(
    name="rdma-link.json",
    program="rdma",
    when=ANY_DEVICE,
    command="rdma -j link show",
    also=("*rdma*link*.json",),
)
LINKS_TEXT = Source(
    name="rdma-link.txt",
    program="rdma",
    when=ANY_DEVICE,
    command="rdma -j link show >/dev/null 2>&1 || rdma link show",
    also=("*rdma*link*",),
)
"""Asked only of an `rdma` too old to print JSON."""

IBDEV2NETDEV = Source(
    name="ibdev2netdev.txt",
    program="ibdev2netdev",
    command="ibdev2netdev",
    also=("*ibdev2netdev*",),
    marks=(" ==> ",),
)


def parse_links(text: str) -> tuple[FabricPort, ...]:
    """Read `rdma -j link show`; older ones put the port into the name: `mlx5_0/1`."""
    return tuple(port for entry in items(decode(text)) for port in _of_json(entry))


def parse_links_text(text: str) -> tuple[FabricPort, ...]:
    """Read `rdma link show`: `link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1np0`."""
    return tuple(port for line in text.split("\n") for port in _of_line(line))


def parse_ibdev2netdev(text: str) -> tuple[FabricPort, ...]:
    """Read `mlx5_0 port 1 ==> ib0 (Up)`, and the longer lines of `ibdev2netdev -v`."""
    return tuple(port for line in text.split("\n") if " ==> " in line for port in _of_arrow(line))


def _of_json(entry: Json) -> Iterator[FabricPort]:
    device, _, port = word(dig(entry, "ifname")).partition("/")
    number = integer(port) or integer(word(dig(entry, "port")))
    if device and number:
        yield _port(device, number, {key: word(dig(entry, key)) for key in keys(entry)})


def _of_line(line: str) -> Iterator[FabricPort]:
    head = re.match(r"(?:link |[0-9]{1,5}/[0-9]{1,3}: )([^/:\s]{1,64})/([0-9]{1,3}):?\s", line)
    if head:
        pairs = line[head.end() :].split()
        yield _port(head[1], int(head[2]), dict(zip(pairs[::2], pairs[1::2], strict=False)))


def _port(device: str, number: int, told: Mapping[str, str]) -> FabricPort:
    return FabricPort(
        device=device,
        port=number,
        interface=told.get("netdev") or None,
        state=words.state(told.get("state", "")),
        physical_state=words.physical_state(told.get("physical_state", "")),
        lid=integer(told.get("lid")),
        subnet_manager_lid=integer(told.get("sm_lid")),
    )


def _of_arrow(line: str) -> Iterator[FabricPort]:
    left, _, right = line.partition(" ==> ")
    number = re.search(r"\sport ([0-9]{1,3})(?: \([A-Z]+\))?\s*$", left)
    names = [name for name in left.split()[:2] if re.fullmatch(r"[a-zA-Z][\w.-]{0,63}", name)]
    interface = re.match(r"(\S{1,64}) \((?:Up|Down)\)", right)
    if number and names and interface:
        yield FabricPort(device=names[0], port=int(number[1]), interface=interface[1])
