"""Where a run would go, as the cost model sees it: by the data sheet of its accelerators."""

from collections.abc import Iterable

from l0_infra import load_devices, match_device
from l0_infra.schemas import Accelerator, Device
from l2_scheduler.schemas import Resources
from l3_modeltools import AcceleratorSize, Place, Site, load_calibration
from l3_modeltools.schemas import Machine

__all__ = ["find_site"]


def find_site(place: Place, resources: Resources) -> Site | None:
    """Say what the accelerators are; None without any, for one that has no data sheet, and for several kinds.

    Of several nodes nothing is known yet of what joins them.
    """
    asked = place.accelerators[: resources.gpus_per_node]
    if not asked or resources.nodes > 1:
        return None
    sheets = {one.name: one for one in load_devices()}
    names = {_sheet(one, sheets.values()) for one in asked}
    device = sheets.get(names.pop() or "")
    if device is None or names:
        return None
    machine = Machine(name="here", device=device.name, nodes=1, devices_per_node=len(asked))
    return Site(machine=machine, device=device, calibration=load_calibration())


def _sheet(one: AcceleratorSize, sheets: Iterable[Device]) -> str | None:
    """The name of its data sheet; a driver tells a little less memory than is on the sheet."""
    seen = Accelerator(
        id=f"{one.vendor}:0", vendor=one.vendor, index=0, model=one.model, memory_bytes=one.memory_bytes
    )
    device = match_device(seen, sheets)
    return device.name if device else None
