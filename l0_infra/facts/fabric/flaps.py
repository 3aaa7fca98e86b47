"""Links lost, as the kernel's log tells, put to the ports they belong to."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from l0_infra.schemas import FabricPort

__all__ = ["Flap", "with_flaps"]


class Flap(Protocol):
    """How often one link was lost."""

    @property
    def count(self) -> int:
        """Times that it was lost and came back."""

    @property
    def last_uptime_s(self) -> float | None:
        """When it was last lost, in seconds since boot."""


def with_flaps(ports: Sequence[FabricPort], flaps: Mapping[str, Flap] | None) -> tuple[FabricPort, ...]:
    """Fill in flaps by network interface or RDMA device: 0 where the log tells of none; None: no log was read."""
    return tuple(ports) if flaps is None else tuple(_with_flaps(port, flaps) for port in ports)


def _with_flaps(port: FabricPort, flaps: Mapping[str, Flap]) -> FabricPort:
    told = [flaps[name] for name in (port.interface, port.device) if name and name in flaps]
    times = [flap.last_uptime_s for flap in told if flap.last_uptime_s is not None]
    return msgspec.structs.replace(
        port,
        flaps=max((flap.count for flap in told), default=0),
        last_lost_uptime_s=max(times, default=None),
    )
