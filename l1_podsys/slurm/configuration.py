"""The texts of Slurm's configuration files, from the cluster's document alone; pure.

Nodes are dynamic (slurm.conf(5), "Dynamic Nodes", since 22.05): each tells the controller its own hardware when its
slurmd starts, so that no file here lists nodes and a new one changes none of them. Files reach the nodes from the
controller ("configless").
"""

import re
from collections.abc import Iterator

from l1_podsys.schemas import Cluster, NodePartition

__all__ = ["POLICY", "PORT", "feature_of", "render_cgroup_conf", "render_slurm_conf", "render_slurmdbd_conf"]

PORT = 6817
"""Where slurmctld listens."""

POLICY = "policy.conf"
"""File beside slurm.conf that the scheduler's own layer may fill: priorities, limits, more partitions."""

LEAST_NODES = 1024
DAY_S = 86400


def feature_of(node_class: str) -> str:
    """Name the feature by which Slurm knows the nodes of a class."""
    return "class_" + re.sub(r"[^A-Za-z0-9_]", "_", node_class)


def render_slurm_conf(cluster: Cluster, *, controller: str, address: str, confined: bool) -> str:
    """Write slurm.conf; `confined`: nodes have control groups that Slurm may divide.

    What the document sets itself (`scheduler.settings`) stands in place of our line of that key.
    """
    own = cluster.scheduler.settings
    lines = [(key, value) for key, value in _settings(cluster, controller, address, confined)]
    kept = [f"{key}={value}" for key, value in lines if key.lower() not in {name.lower() for name in own}]
    return "\n".join(
        (
            "# Managed by ogai, role slurm_controller.",
            *kept,
            *(f"{key}={value}" for key, value in own.items()),
            f"Include {POLICY}",
            *_node_sets(cluster),
            *_partitions(cluster),
            "",
        )
    )


def render_cgroup_conf(*, confined: bool) -> str:
    """Write cgroup.conf; where nothing is confined version 1, which does not look at the node."""
    held = "yes" if confined else "no"
    lines = [f"Constrain{what}={held}" for what in ("Cores", "RAMSpace", "Devices")]
    plugin = [] if confined else ["CgroupPlugin=cgroup/v1"]
    return "\n".join(("# Managed by ogai, role slurm_controller.", *plugin, *lines, ""))


def render_slurmdbd_conf(cluster: Cluster, *, controller: str) -> str:
    """Write slurmdbd.conf but for the database's password, which the role adds on the node."""
    return "\n".join(
        (
            "# Managed by ogai, role slurm_accounting.",
            "AuthType=auth/munge",
            f"DbdHost={controller}",
            "SlurmUser=slurm",
            "LogFile=/var/log/slurm/slurmdbd.log",
            "PidFile=/run/slurm/slurmdbd.pid",
            "StorageType=accounting_storage/mysql",
            "StorageHost=localhost",
            "StorageUser=slurm",
            "StorageLoc=slurm_acct_db",
            "",
        )
    )


def _settings(cluster: Cluster, controller: str, address: str, confined: bool) -> Iterator[tuple[str, str]]:
    yield "ClusterName", cluster.name
    yield "SlurmctldHost", f"{controller}({address})" if address else controller
    yield "SlurmctldPort", str(PORT)
    yield "SlurmctldParameters", "enable_configless"
    yield "SlurmUser", "slurm"
    yield "AuthType", "auth/munge"
    yield "CredType", "cred/munge"
    yield "StateSaveLocation", "/var/spool/slurmctld"
    yield "SlurmdSpoolDir", "/var/spool/slurmd"
    yield "SlurmctldPidFile", "/run/slurm/slurmctld.pid"
    yield "SlurmdPidFile", "/run/slurm/slurmd.pid"
    yield "SlurmctldLogFile", "/var/log/slurm/slurmctld.log"
    yield "SlurmdLogFile", "/var/log/slurm/slurmd.log"
    yield "ProctrackType", "proctrack/cgroup" if confined else "proctrack/linuxproc"
    yield "TaskPlugin", "task/cgroup,task/affinity" if confined else "task/none"
    yield "JobAcctGatherType", "jobacct_gather/cgroup" if confined else "jobacct_gather/linux"
    yield "SelectType", "select/cons_tres"
    yield "SelectTypeParameters", "CR_Core_Memory"
    yield "GresTypes", "gpu,npu"
    yield "MaxNodeCount", str(_room(cluster))
    # Dynamic nodes know each other's addresses from nobody: the controller speaks to each itself.
    yield "TreeWidth", "65533"
    yield "ReturnToService", "1"
    yield "SlurmctldTimeout", "60"
    yield "SlurmdTimeout", "120"
    yield "KillWait", "30"
    yield "RebootProgram", "/sbin/reboot"
    if cluster.scheduler.accounting:
        yield "AccountingStorageType", "accounting_storage/slurmdbd"
        yield "AccountingStorageHost", controller
        yield "AccountingStorageTRES", "gres/gpu,gres/npu"


def _room(cluster: Cluster) -> int:
    """Return for how many nodes the controller keeps room: twice as many as are listed, as a power of two."""
    count = sum(len(group.listed()) for group in cluster.nodes)
    return max(LEAST_NODES, 1 << (2 * count - 1).bit_length())


def _classes(cluster: Cluster) -> list[str]:
    return list(dict.fromkeys(group.node_class for group in cluster.nodes if "compute" in group.roles))


def _node_sets(cluster: Cluster) -> Iterator[str]:
    for name in _classes(cluster):
        yield f"NodeSet={feature_of(name)} Feature={feature_of(name)}"


def _partitions(cluster: Cluster) -> Iterator[str]:
    wished = cluster.scheduler.partitions or (NodePartition(name="main", default=True),)
    first = next((index for index, one in enumerate(wished) if one.default), 0)
    for index, one in enumerate(wished):
        nodes = ",".join(feature_of(name) for name in one.node_classes) or "ALL"
        default = "YES" if index == first else "NO"
        limit = "INFINITE" if one.time_limit_s is None else _time(one.time_limit_s)
        yield f"PartitionName={one.name} Nodes={nodes} Default={default} MaxTime={limit} State=UP"


def _time(seconds: int) -> str:
    """Write a time as Slurm does, `1-02:03:04`."""
    days, rest = divmod(seconds, DAY_S)
    return f"{days}-{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
