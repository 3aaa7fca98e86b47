"""The data sheets that come with the package, one file each."""

from functools import cache
from importlib.resources import files

from l0_infra.core.documents import parse_document
from l0_infra.schemas import Device

__all__ = ["load_devices"]


@cache
def load_devices() -> tuple[Device, ...]:
    """Read all data sheets, in order of their names; they are read once a process."""
    sheets = [entry for entry in files("l0_infra.devices").iterdir() if entry.name.endswith(".yaml")]
    devices = (
        parse_document(sheet.read_text(encoding="utf-8"), source=sheet.name, expect=Device)
        for sheet in sheets
    )
    return tuple(sorted(devices, key=lambda device: device.name))
