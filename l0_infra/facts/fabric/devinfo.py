"""`ibv_devinfo -v`: the only one that tells the MTU that a port has agreed on."""

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv6Address

from l0_infra.facts.bundle import Source
from l0_infra.facts.fabric import words
from l0_infra.schemas import FabricPort, Gid

__all__ = ["DEVINFO", "parse_devinfo"]

DEVINFO = Source(
    name="ibv_devinfo.txt",
    program="ibv_devinfo",
    command="ibv_devinfo -v",
    also=("*ibv*devinfo*",),
    marks=("hca_id:\t",),
)
Told = Mapping[str, str]
KINDS = {"RoCE v1": "IB/RoCE v1", "RoCE v2": "RoCE v2"}


def parse_devinfo(text: str) -> tuple[FabricPort, ...]:
    """List the ports; what the short form (without `-v`) does not print is None."""
    return tuple(_port(*block) for block in _blocks(text))


def _blocks(text: str) -> Iterator[tuple[int, Told, tuple[Gid, ...]]]:
    number = 0
    about: dict[str, str] = {}
    told: dict[str, str] = {}
    gids: list[Gid] = []
    for line in text.split("\n"):
        key, found, value = (part.strip() for part in line.partition(":"))
        if key in ("hca_id", "port") and number:
            yield number, told, tuple(gids)
        if key == "hca_id":
            number, about = 0, {key: value}
        elif key == "port":
            number, told, gids = (words.number(value) or 0), dict(about), []
        elif key.startswith("GID["):
            gids += _gid(key, value)
        elif found:
            (told if number else about)[key] = value
    if number:
        yield number, told, tuple(gids)


def _port(number: int, told: Told, gids: tuple[Gid, ...]) -> FabricPort:
    layer = words.link_layer(told.get("link_layer", ""))
    return FabricPort(
        device=told.get("hca_id") or "?",
        port=number,
        board=told.get("board_id") or None,
        firmware_version=told.get("fw_ver") or None,
        link_layer=layer,
        state=words.state(told.get("state", "")),
        physical_state=words.physical_state(told.get("phys_state", "")),
        rate_bits_per_s=_rate(told),
        width=words.width(told.get("active_width", "")),
        mtu_bytes=_mtu(told.get("active_mtu", "")),
        lid=words.number(told.get("port_lid")),
        subnet_manager_lid=words.number(told.get("sm_lid")),
        gids=gids or None,
    )


def _rate(told: Told) -> int | None:
    """Multiply lanes by the speed of one; `invalid speed` makes neither."""
    lanes = words.width(told.get("active_width", ""))
    speed = re.match(r"([0-9.]{1,6}) Gbps", told.get("active_speed", ""))
    lane = words.rate(speed[1]) if speed else None
    return lanes * lane if lanes and lane else None


def _mtu(text: str) -> int | None:
    match = re.match(r"(256|512|1024|2048|4096)\b", text)
    return int(match[1]) if match else None


def _gid(key: str, value: str) -> Iterator[Gid]:
    index = re.fullmatch(r"GID\[\s{0,4}([0-9]{1,5})\]", key)
    address, _, kind = value.partition(", ")
    try:
        if index:
            gid = IPv6Address(address.strip()).exploded
            yield Gid(index=int(index[1]), gid=gid, kind=KINDS.get(kind.strip()))
    except ValueError:
        return
