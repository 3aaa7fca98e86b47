"""What this machine has and what each extra would need, for a person who asks why something fails."""

import os
import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from l0_infra.core.documents import Bytes, Part
from l0_infra.core.store import is_network, mount_of, ogai_home, read_mounts
from l1_podsys import ClusterSummary
from ogai.flows.current_cluster import current_cluster
from ogai.flows.memory_limits import MemoryLimits, probe_memory_limits
from ogai.flows.requirements import Extra
from ogai.version import __version__

__all__ = ["Diagnosis", "Home", "Machine", "Tool", "parse_lock_held", "probe"]

TOOLS: Mapping[str, str] = {
    "ssh": "reach other nodes",
    "sshd": "be reached by other nodes",
    "tmux": "keep a terminal open",
    "sbatch": "a Slurm client; ogai does not use it yet",
    "systemctl": "services of this machine",
}

VENDOR_TOOLS: Mapping[str, str] = {
    "nvidia-smi": "NVIDIA",
    "npu-smi": "Ascend",
    "amd-smi": "AMD",
    "rocm-smi": "AMD",
    "xpu-smi": "Intel",
    "hl-smi": "Habana",
    "cnmon": "Cambricon",
}


class Machine(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The machine and the Python that runs ogai."""

    system: str
    kernel: str
    architecture: str
    python: str
    cpus: int
    memory_bytes: Bytes


class Home(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where ogai keeps its state, and whether that place is fit for it."""

    path: str
    filesystem: str
    network: bool
    writable: bool
    free_bytes: Bytes


class Tool(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that is used when it is there; `path` is null when it is not."""

    name: str
    purpose: str
    path: str | None


class Diagnosis(Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it."""

    version: str
    machine: Machine
    home: Home
    agent_alive: bool
    cluster: ClusterSummary | None
    memory_limits: MemoryLimits
    tools: tuple[Tool, ...]
    accelerator_tools: tuple[Tool, ...]
    extras: tuple[Extra, ...]


def probe(environ: Mapping[str, str], extras: tuple[Extra, ...]) -> Diagnosis:
    """Look at this machine; starts no program and changes nothing."""
    home = ogai_home(environ)
    return Diagnosis(
        version=__version__,
        machine=_machine(),
        home=_home(home),
        agent_alive=_agent_alive(home),
        cluster=current_cluster(environ),
        memory_limits=probe_memory_limits(),
        tools=_tools(TOOLS, environ),
        accelerator_tools=_tools(VENDOR_TOOLS, environ),
        extras=extras,
    )


def parse_lock_held(locks: str, inode: int) -> bool:
    """Judge from the text of `/proc/locks` whether a file is locked by `flock`; trying would disturb."""
    held = (line.split() for line in locks.splitlines() if "->" not in line)
    return any(fields[1] == "FLOCK" and fields[5].endswith(f":{inode}") for fields in held)


def _machine() -> Machine:
    try:
        system = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        system = platform.system()
    return Machine(
        system=system,
        kernel=platform.release(),
        architecture=platform.machine(),
        python=f"{platform.python_version()} ({sys.executable})",
        cpus=len(os.sched_getaffinity(0)),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    )


def _home(path: Path) -> Home:
    there = next(parent for parent in (path, *path.parents) if os.access(parent, os.F_OK))
    mount = mount_of(there, read_mounts())
    return Home(
        path=str(path),
        filesystem=mount.type if mount else "unknown",
        network=mount is not None and is_network(mount),
        writable=there.is_dir() and os.access(there, os.W_OK),
        free_bytes=shutil.disk_usage(there).free,
    )


def _agent_alive(home: Path) -> bool:
    lock, locks = home / "scheduler/agent.lock", Path("/proc/locks")
    if not (os.access(lock, os.F_OK) and locks.exists()):
        return False
    return parse_lock_held(locks.read_text(encoding="utf-8"), lock.stat().st_ino)


def _tools(wanted: Mapping[str, str], environ: Mapping[str, str]) -> tuple[Tool, ...]:
    search = os.pathsep.join((environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    return tuple(
        Tool(name=name, purpose=purpose, path=shutil.which(name, path=search))
        for name, purpose in wanted.items()
    )
