"""The `cluster` document of a lab: what `ogai cluster up` takes as it is. Pure."""

from l0_infra.core.documents import render_brief
from l0_infra.core.nodeset import fold
from l1_podsys.lab.documents import SHARED, Lab, LabHost
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.ssh import USER
from l1_podsys.schemas import Cluster, Network, NodeGroup, Scheduler, Ssh, Storage

__all__ = ["describe_lab_cluster", "render_lab_cluster"]


def describe_lab_cluster(lab: Lab, layout: Layout) -> Cluster:
    """Write the cluster a lab is meant to become: its first host leads, all compute."""
    first, *others = lab.hosts
    kinds: dict[str, list[LabHost]] = {}
    for host in others:
        kinds.setdefault(class_of(host), []).append(host)
    groups = [_group([first], ("head", "login", "storage", "compute"))]
    groups += [_group(alike, ("compute",)) for alike in kinds.values()]
    return Cluster(
        name=lab.name,
        nodes=tuple(groups),
        ssh=Ssh(
            user=USER, identity_file=str(layout.key), known_hosts_file=str(layout.known_hosts), sudo=True
        ),
        networks=(
            Network(purpose="management", cidr=lab.network, interfaces=("eth0",), gateway=lab.gateway),
        ),
        scheduler=Scheduler(controller=first.name),
        storage=(Storage(mountpoint=SHARED, filesystem="existing"),),
    )


def render_lab_cluster(cluster: Cluster) -> str:
    """Write a cluster as a person would: what is left at its default is left out."""
    return render_brief(cluster)


def class_of(host: LabHost) -> str:
    """Name the class of equal hosts: `default`, or what they are made different by."""
    memory = [] if host.memory_bytes is None else [f"{host.memory_bytes // 2**20}mib"]
    return "-".join([*memory, *([f"gpu{host.accelerators}"] if host.accelerators else [])]) or "default"


def _group(hosts: list[LabHost], roles: tuple[str, ...]) -> NodeGroup:
    return NodeGroup(
        names=fold(host.name for host in hosts),
        node_class=class_of(hosts[0]),
        roles=roles,  # type: ignore[arg-type]
        addresses=fold(host.address for host in hosts),
    )
