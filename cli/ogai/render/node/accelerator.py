"""How an accelerator looks to a person: what it is, how it does, and what is wrong with it."""

from collections.abc import Iterator

from l0_infra.core.units import format_bytes, format_count
from l0_infra.schemas import Accelerator, Ecc, FabricMembership, MemoryRepair, PcieLink
from ogai.render.node.words import Field, joined, named, size

__all__ = ["describe_accelerator", "pcie_link"]

HARMLESS = ("idle", "application clocks")
"""What holds clocks back and is no fault."""


def describe_accelerator(one: Accelerator) -> Iterator[Field]:
    """Yield a line that names it, and below it those lines of which something is known."""
    busy = None if one.utilization_percent is None else f"{one.utilization_percent:g} % busy"
    yield f"  {one.id}", joined(one.model, _memory_use(one), busy)
    driver = named("driver", one.driver_version)
    yield "", joined(one.pci, named("NUMA", one.numa_node), pcie_link(one.pcie), driver, _holders(one))
    yield from (("", line) for line in (_doing(one), _memory(one), _links(one), _partitions(one)) if line)


def pcie_link(link: PcieLink | None) -> str | None:
    """Write a PCI Express link as it is, and what it could be where that is more lanes."""
    if link is None or link.width is None:
        return None
    generation = "" if link.generation is None else f" {link.generation}"
    most = f" of {link.width_max}" if link.width_max is not None and link.width_max > link.width else ""
    return f"PCIe{generation} x{link.width}{most}"


def _memory_use(one: Accelerator) -> str:
    if one.memory_used_bytes is None:
        return "memory unknown" if one.memory_bytes is None else format_bytes(one.memory_bytes)
    return f"{format_bytes(one.memory_used_bytes)} of {size(one.memory_bytes)} used"


def _holders(one: Accelerator) -> str:
    if one.processes is None:
        return "processes unknown"
    held = (f"{each.pid} ({each.name})" if each.name else str(each.pid) for each in one.processes)
    pids = ", ".join(held)
    return f"held by process {pids}" if pids else "free"


def _doing(one: Accelerator) -> str:
    if one.condition is None:
        return joined(_clock(one), _throttle(one))
    state = one.condition
    wanted = None if state.recovery_action in (None, "None") else f"driver asks: {state.recovery_action}"
    return joined(
        named("health", state.health),
        named("error codes", " ".join(state.error_codes or ())),
        _celsius(state.temperature_c),
        named("memory", _celsius(state.memory_temperature_c)),
        _power(state.power_w, state.power_limit_w),
        _clock(one),
        _throttle(one),
        "persistence off" if state.persistence is False else None,
        wanted,
    )


def _celsius(degrees: float | None) -> str | None:
    return None if degrees is None else f"{degrees:g} °C"


def _power(drawn_w: float | None, limit_w: float | None) -> str | None:
    if drawn_w is None:
        return None
    return f"{drawn_w:.0f} W" if limit_w is None else f"{drawn_w:.0f} of {limit_w:.0f} W"


def _clock(one: Accelerator) -> str | None:
    if one.clocks is None or one.clocks.core_hz is None:
        return None
    most = one.clocks.core_max_hz
    return f"{one.clocks.core_hz / 1e6:.0f}{'' if most is None else f' of {most / 1e6:.0f}'} MHz"


def _throttle(one: Accelerator) -> str | None:
    reasons = () if one.clocks is None else one.clocks.held_back_by or ()
    faults = [reason for reason in reasons if reason not in HARMLESS]
    return f"held back: {', '.join(faults)}" if faults else None


def _memory(one: Accelerator) -> str:
    return joined(*_ecc(one.ecc), *_repair(one.memory_repair))


def _ecc(ecc: Ecc | None) -> Iterator[str]:
    if ecc is None:
        return
    if ecc.enabled is not None:
        yield f"ECC {'on' if ecc.enabled else 'off'}"
    counts = (
        (ecc.uncorrected_volatile, "uncorrected"),
        (ecc.corrected_volatile, "corrected"),
        (ecc.uncorrected_aggregate, "uncorrected in its life"),
        (ecc.corrected_aggregate, "corrected in its life"),
    )
    yield from (f"{count} {what}" for count, what in counts if count)
    if all(count == 0 for count, _ in counts if count is not None) and ecc.uncorrected_volatile == 0:
        yield "no errors"


def _repair(repair: MemoryRepair | None) -> Iterator[str]:
    if repair is None:
        return
    pages = repair.retired_pages_corrected, repair.retired_pages_uncorrected
    rows = repair.remapped_rows_corrected, repair.remapped_rows_uncorrected
    for parts, what, verb in ((pages, "page", "retired"), (rows, "row", "remapped")):
        if number := sum(part for part in parts if part is not None):
            yield f"{format_count(number, what)} {verb}"
    if repair.retirement_pending or repair.remapping_pending or repair.repair_pending:
        yield "repair waits for a reset"
    if repair.remapping_failed or repair.unrepairable:
        yield "cannot be repaired"


def _links(one: Accelerator) -> str:
    return joined(*_direct_links(one), *_switched_fabric(one.fabric))


def _direct_links(one: Accelerator) -> Iterator[str]:
    if one.links:
        up = "unknown how many" if one.links_up is None else one.links_up
        yield f"{up} of {format_count(len(one.links), f'{one.links[0].kind} link')} up"
        if errors := sum(link.errors for link in one.links if link.errors is not None):
            yield format_count(errors, "link error")


def _switched_fabric(fabric: FabricMembership | None) -> Iterator[str | None]:
    if fabric is not None:
        yield named("fabric", joined(fabric.state, fabric.status, fabric.health))
        yield from fabric.complaints


def _partitions(one: Accelerator) -> str:
    if one.partitioning is None or not one.partitioning.enabled:
        return ""
    cut = [each.profile or each.id for each in one.partitioning.partitions]
    return f"partitioned: {', '.join(cut) or 'no partition'}"
