"""Whole disks and what is mounted from them: `lsblk` where it answers, else the kernel's own files."""

import re
from collections.abc import Iterator

import msgspec

from l0_infra.facts.bundle import Source
from l0_infra.facts.tree import Tree, integer, text_at
from l0_infra.schemas import Disk, Mount

__all__ = ["BLOCK", "LSBLK", "MOUNTS", "parse_block", "parse_lsblk", "parse_mounts"]

NOT_A_DISK = re.compile(r"(loop|ram|zram|sr|fd|nbd|dm-|md)[0-9]|nvme[0-9]+c[0-9]+n")
"""What is no disk of its own; `nvme0c1n1` is one of several paths to the disk `nvme0n1`."""

LSBLK = Source(
    name="lsblk.json",
    program="lsblk",
    quick=True,
    command="lsblk -J -b -o NAME,KNAME,TYPE,SIZE,MODEL,SERIAL,ROTA,TRAN",
    marks=('"blockdevices": [', '"blockdevices":['),
)
BLOCK = Source(
    name="sys-block.txt",
    program="grep",
    quick=True,
    command="grep -H '' /sys/block/*/size /sys/block/*/queue/rotational /sys/block/*/device/model"
    " /sys/block/*/device/serial /sys/block/*/*/dev",
)
MOUNTS = Source(name="proc-mounts.txt", program="cat", command="cat /proc/mounts", quick=True)


class _Row(msgspec.Struct):
    """One device as `lsblk` prints it; older ones print numbers and booleans as text.

    A list gathered by hand may lack columns, give whole paths (`-p`), and tell where a device is mounted.
    """

    name: str
    type: str
    kname: str | None = None
    size: int | str | None = None
    model: str | None = None
    serial: str | None = None
    rota: bool | str | None = None
    tran: str | None = None
    fstype: str | None = None
    mountpoint: str | None = None
    mountpoints: list[str | None] = msgspec.field(default_factory=list)
    children: "list[_Row]" = msgspec.field(default_factory=list)


class _Listing(msgspec.Struct):
    blockdevices: list[_Row]


def parse_lsblk(text: str, mounts: tuple[Mount, ...]) -> tuple[Disk, ...]:
    """Read `lsblk -J -b`; where `mounts` are not known, it may tell them itself.

    Raises msgspec.DecodeError or RecursionError when it is not what `lsblk` prints.
    """
    rows = msgspec.json.decode(text, type=_Listing).blockdevices
    known = mounts or tuple(mount for row in rows for mount in _mounts(row))
    return tuple(
        _disk(row, known) for row in rows if row.type == "disk" and not NOT_A_DISK.match(_kernel_name(row))
    )


def parse_block(tree: Tree, mounts: tuple[Mount, ...]) -> tuple[Disk, ...]:
    """Read /sys/block; sizes are in units of 512 bytes whatever the disk's own sector is."""
    names = [match[1] for path in tree if (match := re.fullmatch(r"/sys/block/([^/]+)/size", path))]
    return tuple(_disk_of(name, tree, mounts) for name in names if not NOT_A_DISK.match(name))


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """List what is mounted from block devices, of /proc/mounts; `\\040` and the like are blanks again."""
    rows = [line.split(" ") for line in text.split("\n")]
    return tuple(
        Mount(source=_plain(row[0]).rpartition("/")[2], mountpoint=_plain(row[1]), filesystem=row[2])
        for row in rows
        if len(row) >= 4 and row[0].startswith("/dev/")
    )


def _disk(row: _Row, mounts: tuple[Mount, ...]) -> Disk:
    names = set(_names(row))
    return Disk(
        name=_kernel_name(row),
        model=_text(row.model),
        serial=_text(row.serial),
        size_bytes=integer(str(row.size)),
        rotational={"true": True, "1": True, "false": False, "0": False}.get(str(row.rota).lower()),
        transport=_text(row.tran) or _transport(_kernel_name(row)),
        mounts=tuple(mount for mount in mounts if mount.source in names),
    )


def _disk_of(name: str, tree: Tree, mounts: tuple[Mount, ...]) -> Disk:
    place = f"/sys/block/{name}"
    parts = {match[1] for path in tree if (match := re.fullmatch(rf"{place}/([^/]+)/dev", path))}
    sectors = integer(text_at(tree, f"{place}/size"))
    return Disk(
        name=name,
        model=text_at(tree, f"{place}/device/model"),
        serial=text_at(tree, f"{place}/device/serial"),
        size_bytes=None if sectors is None else sectors * 512,
        rotational={"1": True, "0": False}.get(text_at(tree, f"{place}/queue/rotational") or ""),
        transport=_transport(name),
        mounts=tuple(mount for mount in mounts if mount.source in {name, *parts}),
    )


def _names(row: _Row) -> Iterator[str]:
    yield row.name.rpartition("/")[2]
    yield _kernel_name(row)
    for child in row.children:
        yield from _names(child)


def _kernel_name(row: _Row) -> str:
    return (row.kname or row.name).rpartition("/")[2]


def _mounts(row: _Row) -> Iterator[Mount]:
    """Yield where a device and those on it are mounted, as `lsblk` says; swap is not."""
    places = [place for place in (*row.mountpoints, row.mountpoint) if place and place.startswith("/")]
    for place in dict.fromkeys(places):
        if row.fstype:
            yield Mount(source=row.name.rpartition("/")[2], mountpoint=place, filesystem=row.fstype)
    for child in row.children:
        yield from _mounts(child)


def _transport(name: str) -> str | None:
    return next(
        (word for start, word in (("nvme", "nvme"), ("vd", "virtio")) if name.startswith(start)), None
    )


def _text(text: str | None) -> str | None:
    return (text or "").strip() or None


def _plain(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
