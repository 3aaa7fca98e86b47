"""Which file system a path lies on, and whether state may be kept there."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Mount", "is_network", "mount_of", "parse_mounts", "read_mounts"]

NETWORK_TYPES = frozenset(
    [
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fhgfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "panfs",
        "pvfs2",
        "smb2",
        "smb3",
        "smbfs",
        "virtiofs",
        "wekafs",
    ]
)
NETWORK_FUSE = frozenset(
    [
        "sshfs",
        "s3fs",
        "glusterfs",
        "gcsfuse",
        "goofys",
        "rclone",
        "juicefs",
        "cephfs",
        "davfs",
        "curlftpfs",
        "mfs",
        "blobfuse",
    ]
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mount:
    """One line of `/proc/self/mountinfo` (proc(5)): where, which type, from what, with which options."""

    point: str
    type: str
    source: str
    read_only: bool


def parse_mounts(text: str) -> tuple[Mount, ...]:
    """Parse the text of `/proc/self/mountinfo`; lines that do not have its shape are passed over."""
    mounts = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields, tail = before.split(" "), after.split(" ")
        if not separator or len(fields) < 6 or len(tail) < 3:
            continue
        options = {*fields[5].split(","), *tail[2].split(",")}
        mounts.append(
            Mount(
                point=unescape(fields[4]), type=tail[0], source=unescape(tail[1]), read_only="ro" in options
            )
        )
    return tuple(mounts)


def read_mounts() -> tuple[Mount, ...]:
    """Read this process's mounts."""
    return parse_mounts(Path("/proc/self/mountinfo").read_text(errors="replace"))


def mount_of(path: Path, mounts: tuple[Mount, ...]) -> Mount | None:
    """Find the mount that holds `path`, which need not exist; of two on one point the later one counts."""
    target = os.path.realpath(path)
    best: Mount | None = None
    for mount in mounts:
        inside = target == mount.point or target.startswith(mount.point.rstrip("/") + "/")
        if inside and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def is_network(mount: Mount) -> bool:
    """Tell whether this mount crosses a network, so that SQLite and flock cannot be trusted there."""
    base, _, helper = mount.type.partition(".")
    if base in NETWORK_TYPES:
        return True
    return base in {"fuse", "fuseblk"} and (
        helper in NETWORK_FUSE or bool(re.match(r"^[\w.@-]+:/", mount.source))
    )


def unescape(text: str) -> str:
    """Undo the octal escapes of mountinfo (`\\040` is a space)."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)
