"""How fast a device and what joins it work in training: data sheets, scaled by a calibration."""

from dataclasses import dataclass
from math import sqrt
from typing import Self

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.schemas import Device
from l3_modeltools.schemas import Calibration, Machine, Practice

__all__ = ["Rates"]

REFERENCE_FLOP_PER_S = 312e12
"""Peak of the device that `matmul_edge` is told for."""

ACHIEVED = {"matmul": 0.8, "attention_forward": 0.4, "attention_backward": 0.33}
"""Shares of the peak taken for a device of which nothing measured is known: the middle of those that are known."""

OWN_LINKS = ("nvlink", "hccs", "xgmi")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rates:
    """Rates of one accelerator in training, in FLOP/s and bytes/s of one direction, and seconds that are lost."""

    matmul: float
    """Of matrix products in the format of the operands."""
    plain_matmul: float
    """Of those that stay in 16 bits where the others are fp8: the output, and attention's when it is not fused."""
    edge: float
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
        peak = _peak(device, plain)
        return cls(
            matmul=_achieved(device, "matmul", practice.compute) * calibration.matmul_share,
            plain_matmul=_achieved(device, "matmul", plain) * calibration.matmul_share,
            edge=calibration.matmul_edge * sqrt(peak / REFERENCE_FLOP_PER_S),
            attention_forward=_achieved(device, "attention_forward", plain)
            * calibration.attention_forward_share,
            attention_backward=_achieved(device, "attention_backward", plain)
            * calibration.attention_backward_share,
            memory=device.memory_bandwidth_bytes_per_s * calibration.memory_share,
            link=_link(device) * calibration.link_share,
            network=_network(machine) * calibration.network_share,
            domain=machine.domain,
            calibration=calibration,
        )

    def between(self, ranks: int) -> tuple[float, float]:
        """Bytes/s and latency of an exchange among so many neighbouring ranks."""
        if ranks <= self.domain:
            return self.link, self.calibration.link_latency_s
        return self.network, self.calibration.network_latency_s


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
