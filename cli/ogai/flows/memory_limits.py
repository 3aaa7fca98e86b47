"""Whether this process may limit the memory of what it starts, and by which kind of control group."""

import os
from pathlib import Path
from typing import Literal

from l0_infra.core.documents import Part

__all__ = ["MemoryLimits", "parse_group", "probe_memory_limits"]


class MemoryLimits(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The kernel's control groups as this process sees them."""

    cgroup_version: Literal[1, 2] | None
    settable: bool
    reason: str


def probe_memory_limits(root: Path = Path("/")) -> MemoryLimits:
    """Look at the control group of this process; `root` is where `proc` and `sys` lie."""
    mount = root / "sys/fs/cgroup"
    own = root / "proc/self/cgroup"
    text = own.read_text(encoding="utf-8") if own.exists() else ""
    if (mount / "cgroup.controllers").exists():
        return _judge(2, _inside(mount, parse_group(text, "")))
    if (mount / "memory").is_dir():
        return _judge(1, _inside(mount / "memory", parse_group(text, "memory")))
    return MemoryLimits(cgroup_version=None, settable=False, reason="no control groups here")


def parse_group(text: str, controller: str) -> str:
    """Return this process's group in `/proc/self/cgroup`; the controller of version 2 is the empty one."""
    for line in text.splitlines():
        _, controllers, group = line.split(":", 2)
        if controller in controllers.split(","):
            return group
    return "/"


def _inside(mount: Path, group: str) -> Path:
    """Return the group's folder; in a container its path may lie outside of what is mounted."""
    folder = mount / group.lstrip("/")
    return folder if folder.is_dir() else mount


def _judge(version: Literal[1, 2], folder: Path) -> MemoryLimits:
    controllers = folder / "cgroup.controllers"
    if version == 2 and "memory" not in controllers.read_text(encoding="utf-8").split():
        settable, reason = False, "the memory controller is not handed to our group"
    elif not os.access(folder, os.W_OK):
        settable, reason = False, "our group is not writable for us"
    else:
        settable, reason = True, "our group is writable"
    return MemoryLimits(cgroup_version=version, settable=settable, reason=reason)
