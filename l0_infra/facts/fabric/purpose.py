"""What each port is for: a fast NIC for storage or management is not part of the fabric that trains.

The compute fabric is the family of like ports that lies next to the accelerators, or else leads in rate and number.
Use shows the rest: a port that the default route or a mounted storage server is reached by. What neither decides
stays unknown.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from l0_infra.schemas import FabricPort, Nearest

__all__ = ["Use", "judge_purposes"]

Family = tuple[str | None, str | None, str | None]
Verdict = tuple[Literal["compute", "storage", "management"], str]
"""A purpose, and what it was judged from."""

BESIDE = ("pix", "pxb")
"""Reached without crossing a host bridge."""


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """Which network interfaces are used for what else."""

    management: str | None = None
    """The one that the default route leaves by."""
    storage: frozenset[str] = frozenset()
    """Those by which servers of mounted file systems are reached."""


def judge_purposes(
    ports: Sequence[FabricPort], nearest: Sequence[Nearest], use: Use, *, accelerators: int
) -> tuple[FabricPort, ...]:
    """Fill in purpose and reason; `nearest` tells of those of the accelerators whose place is known."""
    families: dict[Family, list[FabricPort]] = {}
    for port in ports:
        families.setdefault(_family(port), []).append(port)
    beside = {
        name: [one.accelerator for one in nearest if one.path in BESIDE and name in one.ports]
        for name in {port.device for port in ports}
    }
    compute = _compute_family(families, beside, use) if accelerators else None
    chosen = {(port.device, port.port) for port in _without_used(families, compute, nearest, use)}
    return tuple(
        _told(port, ("compute", compute[1]) if compute and key in chosen else _use(port, use))
        for port in ports
        for key in [(port.device, port.port)]
    )


def _family(port: FabricPort) -> Family:
    """Ports are alike when link layer, type and board are; not the rate, which a fault may lower."""
    return port.link_layer, port.device_type, port.board


def _use(port: FabricPort, use: Use) -> Verdict | None:
    if port.interface and port.interface == use.management:
        return "management", f"the default route leaves by {port.interface}"
    if port.interface in use.storage:
        return "storage", f"a server of a mounted file system is reached by {port.interface}"
    return None


def _compute_family(
    families: Mapping[Family, Sequence[FabricPort]], beside: Mapping[str, Sequence[str]], use: Use
) -> tuple[Family, str] | None:
    """Choose the family that trains, and say why; None where two have as good a claim."""
    free = {family: ports for family, ports in families.items() if not all(_use(port, use) for port in ports)}
    candidates = free if len(families) > 1 else families
    if len(candidates) <= 1:
        return next(((family, _alone(families)) for family in candidates), None)
    near = {
        family: len({one for port in ports for one in beside[port.device]})
        for family, ports in candidates.items()
    }
    weight = {family: (_rate(ports), len(ports)) for family, ports in candidates.items()}
    for family in candidates:
        rest = [other for other in candidates if other != family]
        if all(near[family] > near[other] for other in rest):
            return family, f"such ports lie next to {near[family]} accelerators, others to fewer"
        if all(near[family] == near[other] and _leads(weight[family], weight[other]) for other in rest):
            return family, "such ports are the fastest and the most"
    return None


def _alone(families: Mapping[Family, Sequence[FabricPort]]) -> str:
    if len(families) > 1:
        return "all other RDMA ports are used for something else"
    return "all RDMA ports are alike" if sum(map(len, families.values())) > 1 else "it is the only RDMA port"


def _leads(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one != other and one[0] >= other[0] and one[1] >= other[1]


def _rate(ports: Sequence[FabricPort]) -> int:
    return max((port.rate_bits_per_s or 0 for port in ports if port.state == "active"), default=0)


def _without_used(
    families: Mapping[Family, Sequence[FabricPort]],
    compute: tuple[Family, str] | None,
    nearest: Sequence[Nearest],
    use: Use,
) -> Iterator[FabricPort]:
    """Leave out a port used for something else, unless an accelerator has no other beside it."""
    ports = families[compute[0]] if compute else ()
    only = {one.ports[0] for one in nearest if one.path in BESIDE and len(one.ports) == 1}
    unused = [port for port in ports if not _use(port, use)]
    for port in ports:
        if port in unused or not unused or port.device in only:
            yield port


def _told(port: FabricPort, verdict: Verdict | None) -> FabricPort:
    purpose, reason = verdict or (None, None)
    return msgspec.structs.replace(port, purpose=purpose, purpose_reason=reason)
