"""The text of slurm.conf, from the cluster as wished and its nodes as found; pure.

Where Slurm lets nodes join by registering it lists none of them, and none but a new one hears of a new one. Where it
does not, the controller hands the longer list out.
"""

from collections.abc import Iterator, Mapping, Sequence

from l1_podsys.schemas import Cluster, NodePartition
from l1_podsys.slurm.controller import NOTE, Controller, SlurmMember, is_confined
from l1_podsys.slurm.node_shape import feature_name, node_conf_line
from l1_podsys.slurm.versions import nodes_join

__all__ = ["render_slurm_conf"]

MOST_NODES = 16384


def render_slurm_conf(cluster: Cluster, controller: Controller, members: Sequence[SlurmMember]) -> str:
    """Write slurm.conf. `members` are all compute nodes known so far; they are listed where they cannot join."""
    settings = _settings(cluster, controller, members)
    wishes = {_key(settings, name): value for name, value in cluster.scheduler.settings.items()}
    lines = [f"{name}={value}\n" for name, value in {**settings, **wishes}.items()]
    listed = () if nodes_join(controller.version) else _listed(members)
    return "".join(
        (NOTE, *lines, *listed, *_partitions(cluster.scheduler.partitions), "Include policy.conf\n")
    )


def _settings(cluster: Cluster, controller: Controller, members: Sequence[SlurmMember]) -> dict[str, str]:
    return {
        "ClusterName": cluster.name,
        "SlurmctldHost": f"{controller.name}({controller.address})",
        "SlurmUser": "slurm",
        "AuthType": "auth/munge",
        "CredType": "cred/munge",
        "SlurmctldParameters": "enable_configless",
        **({"MaxNodeCount": str(MOST_NODES)} if nodes_join(controller.version) else {}),
        **PLACES,
        "MailProg": "/bin/true",
        "MpiDefault": "none",
        "ReturnToService": "2",
        "SlurmctldTimeout": "120",
        "SlurmdTimeout": "120",
        "SelectType": "select/cons_tres",
        "SelectTypeParameters": "CR_Core_Memory",
        "GresTypes": "gpu",
        **_memory_of_a_cpu(members),
        **(CONFINED if is_confined(cluster, controller) else FREE),
        **({"TopologyPlugin": "topology/tree"} if cluster.scheduler.switches else {}),
        **(_accounting(controller) if cluster.scheduler.accounting else NOT_KEPT),
    }


PLACES = {
    "StateSaveLocation": "/var/lib/slurm/slurmctld",
    "SlurmdSpoolDir": "/var/lib/slurm/slurmd",
    "SlurmctldPidFile": "/run/slurmctld.pid",
    "SlurmdPidFile": "/run/slurmd.pid",
    "SlurmctldLogFile": "/var/log/slurm/slurmctld.log",
    "SlurmdLogFile": "/var/log/slurm/slurmd.log",
}
CONFINED = {
    "ProctrackType": "proctrack/cgroup",
    "TaskPlugin": "task/cgroup,task/affinity",
    "JobAcctGatherType": "jobacct_gather/cgroup",
}
FREE = {
    "ProctrackType": "proctrack/linuxproc",
    "TaskPlugin": "task/none",
    "JobAcctGatherType": "jobacct_gather/linux",
}
NOT_KEPT = {"AccountingStorageType": "accounting_storage/none", "JobAcctGatherType": "jobacct_gather/none"}


def _memory_of_a_cpu(members: Sequence[SlurmMember]) -> Mapping[str, str]:
    """Give work that asks for no memory its CPUs' share on the smallest node; else it would get the whole node's."""
    shares = [member.shape.memory_mib // member.shape.cpus for member in members]
    if not shares:
        return {}
    step = 128 if min(shares) >= 1024 else 16  # nodes that differ by little leave the text as it is
    return {"DefMemPerCPU": str(max(min(shares) // step * step, step))}


def _accounting(controller: Controller) -> Mapping[str, str]:
    return {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": controller.address,
        "AccountingStorageTRES": "gres/gpu",
    }


def _key(settings: Mapping[str, str], name: str) -> str:
    """Return our spelling of a key; Slurm takes large and small letters alike."""
    return next((known for known in settings if known.lower() == name.lower()), name)


def _listed(members: Sequence[SlurmMember]) -> Iterator[str]:
    for member in members:
        yield f"NodeName={member.name} NodeAddr={member.address} {node_conf_line(member.shape)} State=UNKNOWN\n"


def _partitions(partitions: Sequence[NodePartition]) -> Iterator[str]:
    wished = partitions or (NodePartition(name="main", default=True),)
    classes = dict.fromkeys(one for partition in wished for one in partition.node_classes)
    for one in classes:
        yield f"NodeSet={_node_set(one)} Feature={feature_name(one)}\n"
    default = next((partition for partition in wished if partition.default), wished[0])
    for partition in wished:
        nodes = ",".join(map(_node_set, partition.node_classes)) or "ALL"
        chosen = " Default=YES" if partition is default else ""
        limit = _duration(partition.time_limit_s)
        yield f"PartitionName={partition.name} Nodes={nodes}{chosen} MaxTime={limit} State=UP\n"


def _node_set(node_class: str) -> str:
    """Name the nodes of a class; unlike any node's name, which has no underscore."""
    return f"class_{feature_name(node_class)}"


def _duration(seconds: int | None) -> str:
    """Write a time limit as `D-HH:MM:00`, up to the next minute, for Slurm counts in minutes."""
    if seconds is None:
        return "INFINITE"
    minutes = -(-seconds // 60)
    return f"{minutes // 1440}-{minutes // 60 % 24:02}:{minutes % 60:02}:00"
