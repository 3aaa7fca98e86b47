"""What is attached to a machine: disks and network interfaces."""

from typing import Annotated

from msgspec import Meta

from l0_infra.core.documents import Bytes, Count, Part
from l0_infra.schemas.board import DiskHealth

__all__ = ["Disk", "Mount", "NetworkInterface"]


class Mount(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file system of a disk, where it is mounted."""

    source: Annotated[str, Meta(description="Block device that holds it: `nvme0n1p2`.")]
    mountpoint: Annotated[str, Meta(description="Where it is mounted.")]
    filesystem: Annotated[str, Meta(description="Type of file system: `ext4`, `xfs`.")]


class Disk(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One whole disk."""

    name: Annotated[str, Meta(description="Kernel name: `nvme0n1`.")]
    model: Annotated[str | None, Meta(description="Model.")] = None
    serial: Annotated[str | None, Meta(description="Serial number.")] = None
    size_bytes: Annotated[Bytes | None, Meta(description="Size.")] = None
    rotational: Annotated[bool | None, Meta(description="Whether it reports spinning platters.")] = None
    transport: Annotated[
        str | None, Meta(description="How it is attached: `nvme`, `sata`, `sas`, `virtio`.")
    ] = None
    mounts: Annotated[
        tuple[Mount, ...], Meta(description="File systems on it, those of its parts included.")
    ] = ()
    health: Annotated[DiskHealth | None, Meta(description="What it says of itself; null: not read.")] = None


class NetworkInterface(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One network interface: a port, or a virtual one that carries an address."""

    name: Annotated[str, Meta(description="Kernel name.")]
    mac: Annotated[str | None, Meta(description="Hardware address.")] = None
    driver: Annotated[str | None, Meta(description="Kernel driver.")] = None
    speed_bits_per_s: Annotated[
        Count | None, Meta(description="Negotiated speed; null: down or not told.")
    ] = None
    state: Annotated[
        str | None, Meta(description="Operational state, in the kernel's word: `up`, `down`.")
    ] = None
    mtu: Annotated[Count | None, Meta(description="Largest packet, in bytes.")] = None
    addresses: Annotated[
        tuple[str, ...] | None,
        Meta(description="Addresses with prefix length: `10.0.0.7/24`; null: not read."),
    ] = None
    pci: Annotated[str | None, Meta(description="PCI address: `0000:c1:00.0`.")] = None
    members: Annotated[
        tuple[str, ...], Meta(description="Interfaces that it bonds; none: it is no bond.")
    ] = ()
