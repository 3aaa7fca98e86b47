"""How an accelerator does: clocks, errors, repairs, links, partitions; the same words for every vendor."""

from typing import Annotated, Literal

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Part, Text

__all__ = [
    "AcceleratorLink",
    "Clocks",
    "Condition",
    "Ecc",
    "HeldBack",
    "MemoryRepair",
    "Partition",
    "Partitioning",
    "PcieLink",
    "Throttle",
]

Measured = Annotated[float, Meta(ge=0)]

Throttle = Literal[
    "idle",
    "application clocks",
    "power cap",
    "hardware slowdown",
    "hardware thermal slowdown",
    "hardware power brake",
    "software thermal slowdown",
    "sync boost",
    "display clocks",
    "current limit",
    "other",
]
"""What holds clocks back; `idle` and `application clocks` are no faults."""


class Condition(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Temperatures, power, modes, and the vendor's own verdict."""

    health: Annotated[str | None, Meta(description="The vendor's own word: `OK`, `Warning`, `Alarm`.")] = None
    error_codes: Annotated[
        tuple[str, ...] | None, Meta(description="Error codes its tool lists now; null: not told.")
    ] = None
    temperature_c: Annotated[
        float | None, Meta(description="Temperature of the chip, in degrees Celsius.")
    ] = None
    memory_temperature_c: Annotated[
        float | None, Meta(description="Temperature of its memory, in degrees Celsius.")
    ] = None
    temperature_margin_c: Annotated[
        float | None,
        Meta(
            description="Degrees Celsius left until it is slowed down for its temperature; negative: beyond."
        ),
    ] = None
    power_w: Annotated[Measured | None, Meta(description="Power drawn, in watts.")] = None
    power_limit_w: Annotated[Measured | None, Meta(description="Power limit in force, in watts.")] = None
    power_limit_default_w: Annotated[
        Measured | None, Meta(description="Power limit it is shipped with, in watts.")
    ] = None
    persistence: Annotated[
        bool | None, Meta(description="Whether the driver stays loaded while nobody uses it.")
    ] = None
    compute_mode: Annotated[
        str | None,
        Meta(
            description="Who may use it, in the vendor's word: `Default`, `Exclusive_Process`, `Prohibited`."
        ),
    ] = None
    addressing_mode: Annotated[
        str | None,
        Meta(
            description="How it shares addresses with the host, in the vendor's word: `HMM`, `ATS`, `None`."
        ),
    ] = None
    recovery_action: Annotated[
        str | None,
        Meta(
            description="What the driver says must be done: `None`, `Reset`, `Reboot`, `Drain P2P`, `Drain and Reset`."
        ),
    ] = None


class HeldBack(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long the clocks were held back, for one reason."""

    reason: Annotated[Throttle, Meta(description="The reason.")]
    total_s: Annotated[Measured, Meta(description="Time in all since the driver was loaded, in seconds.")]


class Clocks(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Clock rates, and what holds them back."""

    core_hz: Annotated[Count | None, Meta(description="Clock of the cores now.")] = None
    core_max_hz: Annotated[Count | None, Meta(description="Highest clock of the cores.")] = None
    memory_hz: Annotated[Count | None, Meta(description="Clock of the memory now.")] = None
    memory_max_hz: Annotated[Count | None, Meta(description="Highest clock of the memory.")] = None
    held_back_by: Annotated[
        tuple[Throttle, ...] | None, Meta(description="What holds the clocks back now; null: not told.")
    ] = None
    held_back_for: Annotated[
        tuple[HeldBack, ...] | None,
        Meta(description="How long they were held back, by reason, 0 included; null: not told."),
    ] = None


class Ecc(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Error correction of the memory.

    Volatile counts begin when the driver is loaded, aggregate ones with the life of the card.
    """

    enabled: Annotated[bool | None, Meta(description="Whether it is on.")] = None
    pending: Annotated[bool | None, Meta(description="Whether it will be on after the next reset.")] = None
    corrected_volatile: Annotated[
        Count | None, Meta(description="Errors corrected since the driver was loaded.")
    ] = None
    uncorrected_volatile: Annotated[
        Count | None, Meta(description="Errors not corrected since the driver was loaded.")
    ] = None
    corrected_aggregate: Annotated[Count | None, Meta(description="Errors corrected in its life.")] = None
    uncorrected_aggregate: Annotated[Count | None, Meta(description="Errors not corrected in its life.")] = (
        None
    )
    sram_threshold_exceeded: Annotated[
        bool | None,
        Meta(description="Whether its caches had more uncorrected errors in its life than its maker bears."),
    ] = None
    uncorrected_sram_in: Annotated[
        tuple[str, ...] | None,
        Meta(description="Units whose SRAM had errors in its life that were not corrected: `l2`, `sm`."),
    ] = None


class MemoryRepair(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Memory taken out of use: pages retired (older chips) and rows remapped."""

    retired_pages_corrected: Annotated[
        Count | None, Meta(description="Pages retired after several corrected errors.")
    ] = None
    retired_pages_uncorrected: Annotated[
        Count | None, Meta(description="Pages retired after an error that was not corrected.")
    ] = None
    retirement_pending: Annotated[
        bool | None, Meta(description="Whether a page waits for a reset to be retired.")
    ] = None
    remapped_rows_corrected: Annotated[
        Count | None, Meta(description="Rows remapped after corrected errors.")
    ] = None
    remapped_rows_uncorrected: Annotated[
        Count | None, Meta(description="Rows remapped after errors that were not corrected.")
    ] = None
    remapping_pending: Annotated[
        bool | None, Meta(description="Whether a row waits for a reset to be remapped.")
    ] = None
    remapping_failed: Annotated[bool | None, Meta(description="Whether a row could not be remapped.")] = None
    banks_without_spare: Annotated[
        Count | None, Meta(description="Memory banks that have no spare row left.")
    ] = None
    repair_pending: Annotated[
        bool | None,
        Meta(description="Whether a memory channel or a group of cores waits for a reset to be repaired."),
    ] = None
    unrepairable: Annotated[bool | None, Meta(description="Whether its memory is damaged beyond repair.")] = (
        None
    )


class PcieLink(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A PCI Express link: as it is now, and at most."""

    generation: Annotated[
        Count | None, Meta(description="Generation now; many devices lower it while idle.")
    ] = None
    generation_max: Annotated[
        Count | None, Meta(description="Highest generation that device and slot have in common.")
    ] = None
    generation_device_max: Annotated[
        Count | None, Meta(description="Highest generation of the device, whatever the slot has.")
    ] = None
    width: Annotated[Count | None, Meta(description="Lanes now.")] = None
    width_max: Annotated[Count | None, Meta(description="Most lanes.")] = None
    replays: Annotated[Count | None, Meta(description="Packets sent again since the last reset.")] = None


class AcceleratorLink(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One link to other accelerators."""

    index: Annotated[Count, Meta(description="Its number.")]
    kind: Annotated[Literal["nvlink", "hccs", "xgmi"], Meta(description="Kind of link.")]
    active: Annotated[bool | None, Meta(description="Whether it is up.")] = None
    bandwidth_bytes_per_s: Annotated[
        Measured | None, Meta(description="Bandwidth in one direction, as the tool tells.")
    ] = None
    peer: Annotated[
        str | None, Meta(description="What it leads to: a PCI address or an id, as the tool tells.")
    ] = None
    errors: Annotated[
        Count | None,
        Meta(description="Errors counted on it together: replays, CRC errors, malformed and lost packets."),
    ] = None
    recoveries: Annotated[
        Count | None, Meta(description="How often it was trained anew, or that was tried.")
    ] = None


class Partition(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One partition of an accelerator (a MIG instance)."""

    id: Annotated[Text, Meta(description="Its id: `1/0` is GPU instance 1, compute instance 0.")]
    uuid: Annotated[str | None, Meta(description="The vendor's unique id.")] = None
    profile: Annotated[str | None, Meta(description="Profile: `1g.10gb`.")] = None
    memory_bytes: Annotated[Bytes | None, Meta(description="Device memory.")] = None
    memory_used_bytes: Annotated[Bytes | None, Meta(description="Device memory in use.")] = None


class Partitioning(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether the accelerator is cut into partitions (MIG)."""

    enabled: Annotated[bool | None, Meta(description="Whether it is on.")] = None
    pending: Annotated[bool | None, Meta(description="Whether it will be on after the next reset.")] = None
    partitions: Annotated[tuple[Partition, ...], Meta(description="The partitions.")] = ()
