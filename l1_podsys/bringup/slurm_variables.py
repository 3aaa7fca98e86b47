"""What the roles of Slurm are told on each node; pure."""

from collections.abc import Mapping

from l1_podsys.bringup.members import Member
from l1_podsys.bringup.scene import BringupScene
from l1_podsys.bringup.traits import Trait
from l1_podsys.slurm import (
    Controller,
    SlurmMember,
    node_conf_line,
    nodes_join,
    render_cgroup_conf,
    render_database_conf,
    render_gres_conf,
    render_slurm_conf,
    render_slurmdbd_conf,
    render_topology_conf,
    shape_of,
)

__all__ = ["PASSWORD", "SLURM_TABLE"]

PASSWORD = "accounting.password"
PORT = 6817
"""Where slurmctld listens."""

CLIENT = "slurm-client"
LISTENER = "lldpd"
"""Package and service that hear by LLDP which switch a node hangs on."""

Values = Mapping[str, object]


def _account(scene: BringupScene, member: Member) -> Values:
    return {"slurm_account_uid": scene.cluster.scheduler.slurm_uid}


def _accounting(scene: BringupScene, member: Member) -> Values:
    facts = scene.facts.get(member.name)
    memory = (facts.memory.total_bytes if facts is not None else None) or 0
    return {
        "slurm_accounting_conf": render_slurmdbd_conf(_lead(scene)),
        "slurm_accounting_database_conf": render_database_conf(memory),
        "slurm_accounting_password_file": str(scene.secrets / PASSWORD),
    }


def _controller(scene: BringupScene, member: Member) -> Values:
    cluster, lead, nodes = scene.cluster, _lead(scene), tuple(_nodes(scene))
    return {
        "slurm_controller_conf": render_slurm_conf(cluster, lead, nodes),
        "slurm_controller_cgroup_conf": render_cgroup_conf(cluster, lead),
        "slurm_controller_gres_conf": render_gres_conf(nodes),
        "slurm_controller_topology_conf": render_topology_conf(cluster.scheduler.switches),
        "slurm_controller_cluster": cluster.name if cluster.scheduler.accounting else "",
    }


def _node(scene: BringupScene, member: Member) -> Values:
    server = {"slurm_node_server": f"{scene.address(scene.controller)}:{PORT}"}
    if "compute" not in member.places:
        client = {"slurm_node_packages": [CLIENT], "slurm_node_services": [], "slurm_node_conf": ""}
        return {**server, **client, "slurm_node_client": not member.is_controller}
    listener = [LISTENER] if scene.cluster.scheduler.switches_from == "lldp" else []
    return {
        **server,
        "slurm_node_packages": ["slurmd", CLIENT, *listener],
        "slurm_node_services": ["slurmd", *listener],
        "slurm_node_conf": _conf(scene, member),
        "slurm_node_client": False,
    }


def _conf(scene: BringupScene, member: Member) -> str:
    """Return what the node says of itself; nothing where slurm.conf says it."""
    facts = scene.facts.get(member.name)
    if facts is None or not nodes_join(_lead(scene).version):
        return ""
    return node_conf_line(shape_of(facts, member.node.node_class))


def _lead(scene: BringupScene) -> Controller:
    trait = scene.traits.get(scene.controller) or Trait()
    return Controller(
        name=scene.controller,
        address=scene.address(scene.controller),
        version=trait.slurm,
        contained=bool(trait.container),
    )


def _nodes(scene: BringupScene) -> list[SlurmMember]:
    """List the compute nodes that were ever looked at, in the order of the document."""
    return [
        SlurmMember(name=name, address=scene.address(name), shape=trait.shape)
        for name, member in scene.members.items()
        if "compute" in member.places and (trait := scene.traits.get(name)) and trait.shape
    ]


SLURM_TABLE = {
    "slurm_account": _account,
    "slurm_accounting": _accounting,
    "slurm_controller": _controller,
    "slurm_node": _node,
}
