"""Files of /proc and /sys as a kernel shows them to one process, laid out below a folder."""

from collections.abc import Mapping
from pathlib import Path

V2 = "29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
)
BOTH = V1 + "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
DOCKER_V1 = "735 730 0:31 /docker/4f0c /sys/fs/cgroup/memory ro,nosuid master:16 - cgroup cgroup rw,memory\n"


def lay_out(root: Path, *, membership: str, mounts: str, files: Mapping[str, str]) -> Path:
    """Write what the kernel shows; `files` lie below /sys/fs/cgroup or, with a slash in front, anywhere."""
    told = {"/proc/self/cgroup": membership, "/proc/self/mountinfo": mounts}
    for name, text in {**told, **files}.items():
        path = root / (name.lstrip("/") if name.startswith("/") else f"sys/fs/cgroup/{name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root
