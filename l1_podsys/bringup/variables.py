"""What each role is told on each node. No compute node is told of any other than the controller; pure."""

import json
from collections.abc import Callable, Mapping

from l1_podsys.bringup.members import Member
from l1_podsys.bringup.scene import BringupScene
from l1_podsys.bringup.slurm_variables import PASSWORD, SLURM_TABLE
from l1_podsys.schemas import Cluster, Storage

__all__ = ["HOST_AUTHORITY", "MUNGE_KEY", "PASSWORD", "variables_of"]

MUNGE_KEY = "munge.key"
HOST_AUTHORITY = "host_authority"
"""Private key that vouches for the nodes' host keys."""

NODE_EXPORTER_PORT = 9100
HOME = "/home"
RUNTIME_ELSEWHERE = "/opt/ogai/runtime"

Values = Mapping[str, object]


def variables_of(role: str, scene: BringupScene, member: Member) -> dict[str, str]:
    """Return a role's variables on a node, each as JSON; a role that is not known here has its defaults."""
    made = TABLE.get(role)
    return {} if made is None else {name: json.dumps(value) for name, value in made(scene, member).items()}


def _member(scene: BringupScene, member: Member) -> Values:
    return {"member_cluster": scene.cluster.name, "member_id": scene.identity}


def _names(scene: BringupScene, member: Member) -> Values:
    serve = member.is_controller
    shared = {
        "names_domain": scene.cluster.name,
        "names_address": scene.address(member.name),
        "names_server": scene.address(scene.controller),
        "names_server_name": scene.controller,
        "names_serve": serve,
        "names_service": "dnsmasq" if serve else "",
        "names_files": ["/etc/ogai/hosts", "/etc/dnsmasq.d/ogai.conf"] if serve else [],
    }
    if not serve:
        return shared
    hosts = [{"name": name, "address": scene.address(name)} for name in scene.members]
    return {**shared, "names_hosts": hosts}


def _users(scene: BringupScene, member: Member) -> Values:
    users = scene.cluster.users
    accounts = [
        {"name": user.name, "uid": user.uid, "public_keys": list(user.public_keys), "sudo": user.sudo}
        for user in users
    ]
    return {
        "users_accounts": accounts,
        "users_names": " ".join(user.name for user in users),
        "users_home": _home(scene.cluster),
        "users_home_shared": bool(scene.cluster.storage),
        "users_lead": member.is_controller,
        "users_domain": scene.cluster.name,
        "users_address": scene.address(member.name),
        "users_host_authority_file": str(scene.secrets / HOST_AUTHORITY),
    }


def _home(cluster: Cluster) -> str:
    """Return where home folders lie: on the first shared storage, unless `/home` itself is shared."""
    shared = [one.mountpoint for one in cluster.storage]
    return f"{shared[0].rstrip('/')}/home" if shared and HOME not in shared else HOME


def _storage(scene: BringupScene, member: Member) -> Values:
    mounts = [_mount(scene, member, one) for one in scene.cluster.storage]
    points = [one.mountpoint for one in scene.cluster.storage]
    return {
        "storage_mounts": mounts,
        "storage_token": scene.cluster.name,
        "storage_lead": member.is_controller,
        "storage_networks": _networks(scene.cluster),
        "storage_marks": [f"{point.rstrip('/')}/.ogai-cluster" for point in points],
        "storage_first": points[0],
    }


def _networks(cluster: Cluster) -> list[str]:
    """Return who may mount what a node serves: the networks that reach it, anybody when none is named."""
    named = [
        one.cidr
        for one in cluster.networks
        if one.cidr is not None and one.purpose in ("management", "storage")
    ]
    return named or ["*"]


def _mount(scene: BringupScene, member: Member, one: Storage) -> Values:
    serve = one.server_node == member.name
    source = one.source or ""
    if one.server_node is not None and not serve:
        source = f"{scene.address(one.server_node)}:{source}"
    return {
        "mountpoint": one.mountpoint,
        "filesystem": one.filesystem,
        "source": source,
        "options": list(one.options),
        "serve": serve,
    }


def _munge(scene: BringupScene, member: Member) -> Values:
    return {"munge_key_file": str(scene.secrets / MUNGE_KEY), "munge_uid": scene.cluster.scheduler.munge_uid}


def _runtime(scene: BringupScene, member: Member) -> Values:
    cluster = scene.cluster
    shared = f"{cluster.storage[0].mountpoint}/ogai/runtime" if cluster.storage else RUNTIME_ELSEWHERE
    return {
        "runtime_path": cluster.runtime.path or shared,
        "runtime_wheel": str(scene.wheel or ""),
        "runtime_requirements": list(cluster.runtime.requirements),
        "runtime_wheelhouse": cluster.packages.wheelhouse or "",
        "runtime_index": cluster.packages.python_index or "",
    }


def _prometheus(scene: BringupScene, member: Member) -> Values:
    targets = [
        {"name": name, "address": f"{scene.address(name)}:{NODE_EXPORTER_PORT}"} for name in scene.members
    ]
    return {
        "prometheus_targets": targets,
        "prometheus_retention_s": scene.cluster.monitoring.retention_s,
    }


TABLE: Mapping[str, Callable[[BringupScene, Member], Values]] = {
    "member": _member,
    "munge": _munge,
    "names": _names,
    "prometheus": _prometheus,
    "runtime": _runtime,
    "storage": _storage,
    "users": _users,
    **SLURM_TABLE,
}
