"""Links lost, as the kernel's log tells, put to the ports they belong to."""

from collections.abc import Mapping, Sequence

import msgspec

from l0_infra.schemas import FabricPort

__all__ = ["Flaps", "with_flaps"]

Flaps = Mapping[str, tuple[int, float | None]]
"""How often a link was lost, and when last in seconds since boot; by network interface or RDMA device."""


def with_flaps(ports: Sequence[FabricPort], flaps: Flaps | None) -> tuple[FabricPort, ...]:
    """Fill in the flaps of each port: 0 where the log tells of none, and nothing where no log was read."""
    return tuple(ports) if flaps is None else tuple(_with_flaps(port, flaps) for port in ports)


def _with_flaps(port: FabricPort, flaps: Flaps) -> FabricPort:
    told = [flaps[name] for name in (port.interface, port.device) if name and name in flaps]
    times = [last for _, last in told if last is not None]
    return msgspec.structs.replace(
        port, flaps=max((count for count, _ in told), default=0), last_lost_uptime_s=max(times, default=None)
    )
