"""The text of Slurm's lesser files, from the cluster as wished and its nodes as found; pure.

gres.conf names the nodes that have accelerators, topology.conf those below switches. Both are read on the controller,
and by a node when it starts.
"""

from collections.abc import Iterable, Sequence

from l0_infra.core.nodeset import fold
from l1_podsys.schemas import Cluster, Switch
from l1_podsys.slurm.controller import NOTE, Controller, SlurmMember, is_confined
from l1_podsys.slurm.node_shape import Devices
from l1_podsys.slurm.versions import cgroups_can_be_off

__all__ = [
    "render_cgroup_conf",
    "render_database_conf",
    "render_gres_conf",
    "render_slurmdbd_conf",
    "render_topology_conf",
]

MIB = 2**20
ENVIRONMENT = {"nvidia": "nvidia_gpu_env", "amd": "amd_gpu_env", "ascend": "no_gpu_env"}
"""Which variables tell work its accelerators; for Ascend Slurm has none, and SLURM_STEP_GPUS tells them."""


def render_gres_conf(members: Iterable[SlurmMember]) -> str:
    """Write gres.conf: device files and the cores next to them, the same lines for all nodes alike.

    Slurm's own detection (AutoDetect) stays off: it needs NVML or RSMI in Slurm's build, knows no Ascend, and where it
    differs from what is written the node is taken out of work.
    """
    alike: dict[tuple[Devices, ...], list[str]] = {}
    for member in members:
        alike.setdefault(member.shape.devices, []).append(member.name)
    lines = [(fold(names), one) for devices, names in alike.items() for one in devices]
    return NOTE + "".join(f"NodeName={names} {_gres(devices)}\n" for names, devices in lines)


def render_topology_conf(switches: Sequence[Switch]) -> str:
    """Write topology.conf for topology/tree; empty without switches. One switch above all others joins several."""
    if not switches:
        return ""
    below = {name for switch in switches for name in switch.switch_names()}
    tops = [switch.name for switch in switches if switch.name not in below]
    joined = [f"SwitchName=ogai-all Switches={fold(tops)}\n"] if len(tops) > 1 else []
    return "".join((NOTE, *map(_switch, switches), *joined))


def render_cgroup_conf(cluster: Cluster, controller: Controller) -> str:
    """Write cgroup.conf: hold work to what it asked for, or leave control groups alone."""
    if is_confined(cluster, controller):
        held = ("ConstrainCores", "ConstrainDevices", "ConstrainRAMSpace", "ConstrainSwapSpace")
        return NOTE + "".join(f"{name}=yes\n" for name in held)
    # slurmd looks for control groups even when nothing uses them; a plugin named here is not looked for.
    plugin = "disabled" if cgroups_can_be_off(controller.version) else "cgroup/v1"
    return f"{NOTE}CgroupPlugin={plugin}\n"


def render_slurmdbd_conf(controller: Controller) -> str:
    """Write slurmdbd.conf but for its password, which is added where it is known."""
    return (
        f"{NOTE}AuthType=auth/munge\nDbdHost={controller.name}\nDbdAddr={controller.address}\n"
        "SlurmUser=slurm\nLogFile=/var/log/slurm/slurmdbd.log\nPidFile=/run/slurmdbd/slurmdbd.pid\n"
        "StorageType=accounting_storage/mysql\nStorageHost=localhost\nStorageUser=slurm\n"
        "StorageLoc=slurm_acct_db\n"
    )


def render_database_conf(memory_bytes: int) -> str:
    """Write MariaDB's settings for accounting, within a twentieth of the memory (64 MiB to 4 GiB).

    slurmdbd asks for these three (Slurm's accounting guide); the lock is long because it rolls usage up in one go.
    """
    buffer = min(max(memory_bytes // 20, 64 * MIB), 4096 * MIB) // MIB
    return (
        f"{NOTE}[mariadbd]\ninnodb_buffer_pool_size={buffer}M\ninnodb_log_file_size=64M\n"
        "innodb_lock_wait_timeout=900\n"
    )


def _gres(devices: Devices) -> str:
    cores = f" Cores={devices.cores}" if devices.cores else ""
    return (
        f"Name=gpu Type={devices.type} File={fold(devices.files)}{cores} Flags={ENVIRONMENT[devices.vendor]}"
    )


def _switch(switch: Switch) -> str:
    below = [("Nodes", switch.nodes), ("Switches", switch.switches)]
    return " ".join((f"SwitchName={switch.name}", *(f"{key}={text}" for key, text in below if text))) + "\n"
