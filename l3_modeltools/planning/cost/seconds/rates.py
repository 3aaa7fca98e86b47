"""How fast a device and what joins it work in training: data sheets, scaled by a calibration."""

from dataclasses import dataclass
from typing import Self

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.schemas import Calibration, Machine, Practice

__all__ = ["Group", "Rates"]

REFERENCE_FLOP_PER_S = 312e12
"""Peak of the device that `matmul_depth` is told for."""

ACHIEVED = {
    "matmul": 0.8,
    "attention_forward": 0.4,
    "attention_backward": 0.33,
    "own_attention_forward": 0.6,
    "own_attention_backward": 0.5,
}
"""Shares of the peak taken for a device of which nothing measured is known: the middle of those that are known."""

OWN_LINKS = ("nvlink", "hccs", "xgmi")


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks that exchange with each other, and how many of them share a domain of the device's own links."""

    ranks: int
    local: int

    @property
    def domains(self) -> int:
        """Domains that it spreads over."""
        return -(-self.ranks // self.local)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """Rates of one accelerator in training, in FLOP/s and bytes/s of one direction, and seconds that are lost."""

    matmul: float
    """Of matrix products in the format of the operands."""
    plain_matmul: float
    """Of those that stay in 16 bits where the others are fp8: the output, and attention's when it is not fused."""
    depth: float
    """Rows of the inner dimension that a tile could have gone through while it begins and ends."""
    attention_forward: float
    attention_backward: float
    memory: float
    link: float
    network: float
    domain: int
    calibration: Calibration

    @classmethod
    def of(cls, machine: Machine, device: Device, practice: Practice, calibration: Calibration) -> Self:
        """Work them out; UnsatisfiableError for a number format that the device's sheet has no peak of."""
        plain = "bf16" if practice.compute == "fp8" else practice.compute
        forward, backward = (_attention(device, way, plain, practice, calibration) for way in WAYS)
        return cls(
            matmul=_achieved(device, "matmul", practice.compute) * calibration.matmul_share,
            plain_matmul=_achieved(device, "matmul", plain) * calibration.matmul_share,
            depth=calibration.matmul_depth * _peak(device, plain) / REFERENCE_FLOP_PER_S,
            attention_forward=forward,
            attention_backward=backward,
            memory=device.memory_bandwidth_bytes_per_s * calibration.memory_share,
            link=_link(device) * calibration.link_share,
            network=_network(machine) * calibration.network_share,
            domain=machine.domain,
            calibration=calibration,
        )

    def group(self, ranks: int, stride: int) -> Group:
        """So many ranks, each `stride` after the one before; those of a domain lie next to each other."""
        return Group(ranks, min(ranks, max(1, self.domain // stride)))

    def ring(self, group: Group) -> tuple[float, float]:
        """Bytes/s and latency of a ring: it enters a domain by one port and leaves by another, for each member one.

        A domain's ports work together, for what one of them brings in, its links hand on (NCCL's channels).
        """
        figures = self.calibration
        latency = figures.link_latency_s + (group.local - 1) * figures.link_hop_s
        if group.domains == 1:
            return self.link, latency
        latency += (group.domains - 1) * figures.network_latency_s
        return min(self.link, group.local * self.network), latency


WAYS = ("forward", "backward")


def _attention(
    device: Device, way: str, precision: str, practice: Practice, calibration: Calibration
) -> float:
    """Of fused attention over long sequences; generation 3 falls back to 2 where the device has none of its own."""
    share = calibration.attention_share
    known = {one.kernel for one in device.achieved}
    if practice.flash_generation == 3 and (
        f"own_attention_{way}" in known or f"attention_{way}" not in known
    ):
        return _achieved(device, f"own_attention_{way}", precision) * share
    if practice.flash_generation == 1:
        share *= (
            calibration.early_attention_forward if way == "forward" else calibration.early_attention_backward
        )
    return _achieved(device, f"attention_{way}", precision) * share


def _peak(device: Device, precision: str) -> float:
    known = {peak.precision: peak.flop_per_s for peak in device.peak}
    if precision not in known:
        raise UnsatisfiableError(
            f"device `{device.name}`",
            found=f"no peak for {precision}",
            expected=f"one of {', '.join(known) or 'none'}",
            hint="compute in a format that the device has, or add its peak to the data sheet",
        )
    return known[precision]


def _achieved(device: Device, kernel: str, precision: str) -> float:
    for one in device.achieved:
        if one.kernel == kernel and one.precision == precision:
            return one.flop_per_s
    return _peak(device, precision) * ACHIEVED[kernel]


def _link(device: Device) -> float:
    own = [link.bandwidth_bytes_per_s for link in device.links if link.kind in OWN_LINKS]
    return max(own or [link.bandwidth_bytes_per_s for link in device.links], default=1e9)


def _network(machine: Machine) -> float:
    if machine.network is None:
        return 1e9  # never asked: all accelerators are in one domain
    return machine.network.bytes_per_s_per_device / machine.network.oversubscription
