"""Accelerators of every vendor: asked of each vendor's own tool, where it is installed."""

from collections.abc import Mapping

import msgspec

from l0_infra.core.errors import FactsMissingError
from l0_infra.core.exec import Runner
from l0_infra.devices import load_devices, match_device
from l0_infra.facts import amd, ascend, nvidia
from l0_infra.facts.ask import ask
from l0_infra.facts.bundle import NOT_ASKED, Answer, Source
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator, Vendor

__all__ = ["SOURCES", "find_counted", "parse_accelerators", "probe_accelerators"]

SOURCES = (*nvidia.SOURCES, *ascend.SOURCES, *amd.SOURCES)
LISTING: Mapping[Vendor, tuple[Source, ...]] = {
    "amd": amd.LISTING,
    "ascend": ascend.LISTING,
    "nvidia": nvidia.LISTING,
}
TOOLS: Mapping[Vendor, tuple[str, ...]] = {
    "amd": ("amd-smi", "rocm-smi"),
    "ascend": ("npu-smi",),
    "nvidia": ("nvidia-smi",),
}
PARTIAL = frozenset(("denied", "driver mismatch", "garbled", "hung"))
"""Reasons for which a tool may have accelerators that it did not tell of."""
QUICK = (*nvidia.QUICK, *ascend.QUICK, *amd.QUICK)
"""What tells which accelerators there are and who holds them; a scheduler asks it again and again."""


def probe_accelerators(runner: Runner, *, limit_s: int = 10) -> tuple[Accelerator, ...]:
    """Ask the vendors' tools for accelerators and the processes on them; () where no such tool is installed.

    Raises FactsMissingError when a tool is there but told of none and failed: that is not "no accelerator".
    """
    unasked = {source.name: NOT_ASKED for source in SOURCES}
    found = parse_accelerators(unasked | dict(ask(runner, QUICK, limit_s)))
    if found.unread and not found.accelerators:
        first = found.unread[0]
        raise FactsMissingError(
            f"{runner.target}: {first.what}",
            found=f"{first.reason}: {first.detail}",
            expected="a list of accelerators",
            hint=first.hint,
            retry=first.reason == "hung",
        )
    return found.accelerators


def parse_accelerators(answers: Mapping[str, Answer]) -> Found:
    """Put the vendors' accelerators together, in order of vendor and index."""
    found = (
        amd.parse_amd(answers),
        ascend.parse_ascend(answers),
        nvidia.parse_nvidia(answers),
    )
    return Found(
        accelerators=tuple(_recognised(one) for vendor in found for one in vendor.accelerators),
        unread=tuple(fault for vendor in found for fault in vendor.unread),
        software=tuple(one for vendor in found for one in vendor.software),
        fabric=tuple(port for vendor in found for port in vendor.fabric),
        names={name: own for vendor in found for name, own in vendor.names.items()},
    )


def find_counted(answers: Mapping[str, Answer], found: Found) -> tuple[Vendor, ...]:
    """List the vendors of whose accelerators none is missing: their tool told of all, or is not installed."""
    return tuple(vendor for vendor in LISTING if _is_counted(vendor, answers, found))


def _is_counted(vendor: Vendor, answers: Mapping[str, Answer], found: Found) -> bool:
    ends = {answers[source.name].end for source in LISTING[vendor]}
    if ends == {"absent"}:
        return True
    reasons = {fault.reason for fault in found.unread if fault.what.startswith(TOOLS[vendor])}
    told = any(one.vendor == vendor for one in found.accelerators) or "failed" in reasons
    return "exit" in ends and told and not reasons & PARTIAL


def _recognised(one: Accelerator) -> Accelerator:
    """Name the data sheet that it matches."""
    device = match_device(one, load_devices())
    return msgspec.structs.replace(one, device=device.name) if device else one
