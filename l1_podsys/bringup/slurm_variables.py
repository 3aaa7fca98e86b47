"""What the roles of Slurm are told on each node; pure."""

from collections.abc import Mapping

from l1_podsys.bringup.members import Member
from l1_podsys.bringup.scene import BringupScene
from l1_podsys.slurm.configuration import PORT, render_cgroup_conf, render_slurm_conf, render_slurmdbd_conf
from l1_podsys.slurm.hardware import render_gres_conf, render_node_conf

__all__ = ["PASSWORD", "SLURM_TABLE"]

PASSWORD = "accounting.password"

MIB = 1024 * 1024
LEAST_POOL, LARGEST_POOL, POOL_SHARE = 128 * MIB, 4096 * MIB, 0.125
"""InnoDB's buffer pool: an eighth of the controller's memory within these bounds."""

Values = Mapping[str, object]


def _account(scene: BringupScene, member: Member) -> Values:
    return {"slurm_account_uid": scene.cluster.scheduler.slurm_uid}


def _accounting(scene: BringupScene, member: Member) -> Values:
    facts = scene.facts.get(member.name)
    memory = (facts.memory.total_bytes if facts is not None else None) or 0
    return {
        "slurm_accounting_conf": render_slurmdbd_conf(scene.cluster, controller=scene.controller),
        "slurm_accounting_password_file": str(scene.secrets / PASSWORD),
        "slurm_accounting_pool_mib": int(min(LARGEST_POOL, max(LEAST_POOL, memory * POOL_SHARE))) // MIB,
    }


def _controller(scene: BringupScene, member: Member) -> Values:
    confined = _is_confined(scene)
    return {
        "slurm_controller_conf": render_slurm_conf(
            scene.cluster,
            controller=scene.controller,
            address=scene.address(scene.controller),
            confined=confined,
        ),
        "slurm_controller_cgroup_conf": render_cgroup_conf(confined=confined),
        "slurm_controller_gres_conf": render_gres_conf(
            {name: scene.traits[name].gres for name in scene.members if name in scene.traits}
        ),
        "slurm_controller_cluster": scene.cluster.name if scene.cluster.scheduler.accounting else "",
    }


def _is_confined(scene: BringupScene) -> bool:
    """Whether nodes have control groups for Slurm to divide; in a container they are its host's."""
    wished = scene.cluster.scheduler.confinement
    if wished != "auto":
        return wished == "cgroup"
    trait = scene.traits.get(scene.controller)
    return not (trait is not None and trait.container)


def _node(scene: BringupScene, member: Member) -> Values:
    facts = scene.facts.get(member.name)
    return {
        "slurm_node_server": f"{scene.controller}:{PORT}",
        "slurm_node_conf": "" if facts is None else render_node_conf(facts, member.node.node_class),
    }


SLURM_TABLE = {
    "slurm_account": _account,
    "slurm_accounting": _accounting,
    "slurm_controller": _controller,
    "slurm_node": _node,
}
