"""The `cluster` document of a lab: what `ogai cluster up` takes as it is. Pure."""

from l0_infra.core.nodeset import fold
from l1_podsys.lab.documents import SHARED, Lab, LabHost
from l1_podsys.lab.layout import Layout
from l1_podsys.lab.ssh import USER
from l1_podsys.schemas import Cluster, Network, NodeGroup, Scheduler, Ssh, Storage

__all__ = ["describe_cluster"]


def describe_cluster(lab: Lab, layout: Layout) -> Cluster:
    """Write the cluster a lab is meant to become: its first host leads, all compute."""
    first, *others = lab.hosts
    groups = [_group((first,), ("head", "login", "storage", "compute"))]
    if others:
        groups.append(_group(tuple(others), ("compute",)))
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


def _group(hosts: tuple[LabHost, ...], roles: tuple[str, ...]) -> NodeGroup:
    return NodeGroup(
        names=fold(host.name for host in hosts),
        roles=roles,  # type: ignore[arg-type]
        addresses=fold(host.address for host in hosts),
    )
