"""Which file system holds a path, and whether state may live there."""

from pathlib import Path

import pytest

from l0_infra.core.store import is_network, mount_of, parse_mounts, read_mounts

MOUNTINFO = """\
24 1 253:0 / / rw,relatime - ext4 /dev/vda1 rw
25 24 0:22 / /proc rw - proc proc rw
30 24 0:40 / /home rw,relatime shared:1 - nfs4 filer:/export/home rw,vers=4.2
31 30 0:41 / /home/local rw - xfs /dev/vdb rw
32 24 0:42 / /mnt/my\\040share rw - cifs //server/share rw
33 24 0:43 / /ro ro,relatime - ext4 /dev/vdc ro
34 24 0:44 / /sshfs rw - fuse.sshfs me@host:/data rw
35 24 0:45 / /ntfs rw - fuseblk /dev/vdd rw
36 24 0:46 / /scratch rw - lustre 10.0.0.1@o2ib:/scratch rw
37 24 0:47 / /layered rw - overlay overlay rw,lowerdir=/a
38 24 0:48 / /weka rw - wekafs weka/fs rw
39 36 0:49 / /scratch rw - tmpfs tmpfs rw
garbage
40 24 0:50 / /own rw - fuse.myfs nas:/vol rw
41 24 0:51 / /bucket rw - fuse.s3fs s3fs rw
"""


@pytest.mark.parametrize(
    ("path", "point", "network"),
    [
        ("/var/tmp/x", "/", False),
        ("/home/ada/.local/share/ogai", "/home", True),
        ("/home/local/ogai", "/home/local", False),
        ("/homework", "/", False),
        ("/mnt/my share/x", "/mnt/my share", True),
        ("/sshfs/x", "/sshfs", True),
        ("/ntfs/x", "/ntfs", False),
        ("/scratch/x", "/scratch", False),
        ("/layered", "/layered", False),
        ("/weka/a", "/weka", True),
        ("/own/a", "/own", True),
        ("/bucket", "/bucket", True),
    ],
)
def test_mount_of_a_path(path: str, point: str, network: bool) -> None:
    mount = mount_of(Path(path), parse_mounts(MOUNTINFO))
    assert mount is not None
    assert (mount.point, is_network(mount)) == (point, network)


def test_read_only_is_seen() -> None:
    mount = mount_of(Path("/ro/x"), parse_mounts(MOUNTINFO))
    assert mount is not None
    assert mount.read_only


def test_this_machine_has_its_mounts() -> None:
    mount = mount_of(Path("/proc/self"), read_mounts())
    assert mount is not None
    assert mount.type == "proc"
