"""One port from what several sources say of it: the first that knows a thing counts."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from l0_infra.core.nodeset import natural_key
from l0_infra.facts.fabric.ethtool import Interface
from l0_infra.facts.filled import filled
from l0_infra.schemas import Counter, FabricPort, RoceSettings

__all__ = ["merge_ports", "merge_roce", "with_interface"]


def merge_ports(told: Iterable[Sequence[FabricPort]]) -> tuple[FabricPort, ...]:
    """Put the ports of all sources together, in natural order; earlier sources count first."""
    found: dict[tuple[str, int], FabricPort] = {}
    for port in (port for ports in told for port in ports):
        key = (port.device, port.port)
        found[key] = filled(found[key], port) if key in found else port
    return tuple(found[key] for key in sorted(found, key=lambda key: (natural_key(key[0]), key[1])))


def merge_roce(told: Iterable[RoceSettings | None]) -> RoceSettings | None:
    """Put settings together; None when no source knows any."""
    whole = RoceSettings()
    for settings in told:
        whole = filled(whole, settings) if settings else whole
    return None if whole == RoceSettings() else whole


def with_interface(port: FabricPort, told: Mapping[str, Interface]) -> FabricPort:
    """Fill in what `ethtool` says of the port's interface, its counters beside those of RDMA."""
    interface = told.get(port.interface or "")
    if interface is None:
        return port
    pauses = RoceSettings(pause_rx=interface.pause_rx, pause_tx=interface.pause_tx)
    more = FabricPort(
        device=port.device,
        port=port.port,
        rate_bits_per_s=interface.rate_bits_per_s,
        width=interface.width,
        firmware_version=interface.firmware_version,
        board=interface.board,
    )
    return msgspec.structs.replace(
        filled(port, more),
        roce=merge_roce((port.roce, pauses)) if port.link_layer == "ethernet" else port.roce,
        counters=_joined(port.counters, interface.counters),
    )


def _joined(
    first: tuple[Counter, ...] | None, second: tuple[Counter, ...] | None
) -> tuple[Counter, ...] | None:
    if first is None or second is None:
        return second if first is None else first
    named = {counter.name: counter for counter in (*second, *first)}
    return tuple(named[name] for name in sorted(named))
