"""How much of this machine a host may use."""

import contextlib
from pathlib import Path

from l0_infra.core.errors import UnsatisfiableError
from l1_podsys.lab.cgroups import Groups
from l1_podsys.lab.documents import Lab, LabHost

__all__ = ["apply_limits", "cpu_share", "limit_cpu", "render_meminfo"]

PERIOD_US = 100_000
HANDED_ON = ("+cpu", "+memory", "+pids")


def apply_limits(groups: Groups, lab: Lab, host: LabHost) -> None:
    """Make a host's control groups and limit its memory. Raises UnsatisfiableError where that cannot be limited."""
    for root in groups.roots():
        (root / lab.group / host.name).mkdir(parents=True, exist_ok=True)
    if groups.unified is not None:
        for folder in (groups.unified, *_path(groups.unified, lab, host)):
            _hand_on(folder)
    if host.memory_bytes is not None:
        _limit_memory(groups, lab, host, host.memory_bytes)


def limit_cpu(groups: Groups, lab: Lab, host: LabHost, share: float | None) -> None:
    """Let a host use so much of one processor; None is as much as it likes."""
    folder = groups.of("cpu", f"{lab.group}/{host.name}")
    file = None if folder is None else _first(folder, "cpu.max", "cpu.cfs_quota_us")
    if file is None:
        raise _unlimited("processor time")
    quota = None if share is None else int(share * PERIOD_US)
    if file.name == "cpu.max":
        file.write_text(f"{'max' if quota is None else quota} {PERIOD_US}")
    else:
        file.write_text(str(-1 if quota is None else quota))


def cpu_share(groups: Groups, lab: Lab, host: LabHost) -> float | None:
    """Return how much of one processor a host may use; None when it is not limited."""
    folder = groups.of("cpu", f"{lab.group}/{host.name}")
    file = None if folder is None else _first(folder, "cpu.max", "cpu.cfs_quota_us")
    word = "max" if file is None else file.read_text().split()[0]
    return None if word in ("max", "-1") else int(word) / PERIOD_US


def render_meminfo(memory_bytes: int) -> str:
    """Write a `/proc/meminfo` (proc(5)) of a machine with so much memory, nine tenths of it free; it never moves."""
    total = memory_bytes // 1024
    free = total * 9 // 10
    values = {
        "MemTotal": total,
        "MemFree": free,
        "MemAvailable": free,
        "Buffers": 0,
        "Cached": 0,
        "SwapCached": 0,
        "Active": 0,
        "Inactive": 0,
        "SwapTotal": 0,
        "SwapFree": 0,
        "Shmem": 0,
        "SReclaimable": 0,
    }
    return "".join(f"{name + ':':<16}{value:8d} kB\n" for name, value in values.items())


def _hand_on(folder: Path) -> None:
    for controller in HANDED_ON:
        with contextlib.suppress(OSError):  # version 1 has it, or nobody hands it on
            (folder / "cgroup.subtree_control").write_text(controller)


def _limit_memory(groups: Groups, lab: Lab, host: LabHost, memory_bytes: int) -> None:
    folder = groups.of("memory", f"{lab.group}/{host.name}")
    file = None if folder is None else _first(folder, "memory.max", "memory.limit_in_bytes")
    if file is None:
        raise _unlimited("memory")
    file.write_text(str(memory_bytes))


def _path(root: Path, lab: Lab, host: LabHost) -> tuple[Path, Path]:
    return root / lab.group, root / lab.group / host.name


def _first(folder: Path, *names: str) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None)


def _unlimited(what: str) -> UnsatisfiableError:
    return UnsatisfiableError(
        "ogai lab",
        found=f"control groups that cannot limit {what} here",
        expected=f"the controller of {what}",
        hint="where systemd runs this machine: `systemctl set-property ... Delegate=yes`, or leave the limit out",
    )
