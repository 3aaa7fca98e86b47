"""`lsblk` in shapes that other versions and other hands make."""

import json

from l0_infra.schemas import Disk, Mount
from tests.support.facts import facts_of


def disks(*rows: dict[str, object], mounts: str = "") -> tuple[Disk, ...]:
    return facts_of({"lsblk.json": json.dumps({"blockdevices": rows}), "proc-mounts.txt": mounts}).disks


def test_whole_paths_and_mounts_of_its_own() -> None:
    part = {"name": "/dev/nvme3n1p1", "type": "part", "size": 5, "mountpoint": "/scratch", "fstype": "xfs"}
    swap = {"name": "/dev/nvme3n1p2", "type": "part", "size": 5, "mountpoint": "[SWAP]", "fstype": "swap"}
    row = {"name": "/dev/nvme3n1", "type": "disk", "size": 10, "rota": False, "children": [part, swap]}
    assert disks(row) == (
        Disk(
            name="nvme3n1",
            size_bytes=10,
            rotational=False,
            transport="nvme",
            mounts=(Mount(source="nvme3n1p1", mountpoint="/scratch", filesystem="xfs"),),
        ),
    )


def test_versions_from_2_37_list_all_places_of_a_mount() -> None:
    row = {"name": "sdb", "type": "disk", "fstype": "ext4", "mountpoints": ["/a", None, "/b"]}
    assert [mount.mountpoint for disk in disks(row) for mount in disk.mounts] == ["/a", "/b"]


def test_the_kernel_s_own_list_of_mounts_counts_first() -> None:
    row = {"name": "sdb", "kname": "sdb", "type": "disk", "fstype": "ext4", "mountpoint": "/old"}
    found = disks(row, mounts="/dev/sdb /new ext4 rw 0 0\n")
    assert [mount.mountpoint for disk in found for mount in disk.mounts] == ["/new"]


def test_a_path_to_a_disk_is_no_disk() -> None:
    block = (
        "/sys/block/nvme0n1/size:2000409264\n/sys/block/nvme0c0n1/size:2000409264\n"
        "/sys/block/nvme0c1n1/size:2000409264\n"
    )
    assert [disk.name for disk in facts_of({"sys-block.txt": block}).disks] == ["nvme0n1"]


def test_devices_within_devices_without_end_are_garbled() -> None:
    depth = 30_000
    text = '{"blockdevices":[' + '{"name":"a","type":"disk","children":[' * depth + "]}" * depth + "]}"
    assert [one.reason for one in facts_of({"lsblk.json": text}).unread] == ["garbled"]
