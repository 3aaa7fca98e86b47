"""Parts on the board that software does not see at work: memory modules, the management controller."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Part, Text

__all__ = ["DiskHealth", "ManagementController", "MemoryErrors", "MemoryModule"]


class MemoryModule(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One slot for a memory module."""

    slot: Annotated[Text, Meta(description="Its label: `DIMM_A1`.")]
    size_bytes: Annotated[
        Bytes | None, Meta(description="Size; null: not told; an empty slot is not listed.")
    ] = None
    kind: Annotated[str | None, Meta(description="`DDR4`, `DDR5`.")] = None
    transfers_per_s: Annotated[Count | None, Meta(description="Rate it runs at.")] = None
    transfers_per_s_max: Annotated[Count | None, Meta(description="Rate it is made for.")] = None
    maker: Annotated[str | None, Meta(description="Maker.")] = None
    part_number: Annotated[str | None, Meta(description="Part number.")] = None
    serial: Annotated[str | None, Meta(description="Serial number.")] = None


class MemoryErrors(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Errors of main memory that the kernel counted since boot (EDAC)."""

    corrected: Annotated[Count | None, Meta(description="Errors corrected.")] = None
    uncorrected: Annotated[Count | None, Meta(description="Errors not corrected.")] = None
    modules: Annotated[
        tuple[str, ...], Meta(description="Modules they came from, by the labels of the kernel's driver.")
    ] = ()


class ManagementController(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The baseboard management controller."""

    address: Annotated[str | None, Meta(description="Its IP address.")] = None
    mac: Annotated[str | None, Meta(description="Its hardware address.")] = None
    firmware_version: Annotated[str | None, Meta(description="Version of its firmware.")] = None
    device: Annotated[str | None, Meta(description="Where the kernel reaches it: `/dev/ipmi0`.")] = None
    redfish_address: Annotated[
        str | None, Meta(description="Where this machine reaches its Redfish service, as the firmware tells.")
    ] = None


class DiskHealth(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a disk says of itself (NVMe health log, SMART)."""

    passed: Annotated[bool | None, Meta(description="Its own verdict.")] = None
    critical_warning: Annotated[Count | None, Meta(description="NVMe critical warning bits; 0: none.")] = None
    wear_percent: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="Rated endurance used; may exceed 100.")
    ] = None
    spare_percent: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None, Meta(description="Spare blocks left.")
    ] = None
    spare_threshold_percent: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None, Meta(description="Spare below which it counts as worn.")
    ] = None
    media_errors: Annotated[Count | None, Meta(description="Errors of the medium.")] = None
    reallocated_sectors: Annotated[
        Count | None, Meta(description="Sectors moved; pending ones not counted.")
    ] = None
    pending_sectors: Annotated[Count | None, Meta(description="Sectors that could not be read and wait.")] = (
        None
    )
    temperature_c: Annotated[float | None, Meta(description="Temperature in degrees Celsius.")] = None
    powered_on_s: Annotated[
        Annotated[float, Meta(ge=0)] | None, Meta(description="Time it has been powered, in seconds.")
    ] = None
