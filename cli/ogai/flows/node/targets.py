"""Which nodes are meant, and how each is reached: this machine, hosts by name, or nodes of a cluster document."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.documents import read_document
from l0_infra.core.errors import UsageError
from l0_infra.core.exec import LocalRunner, Runner, Secret, SshOptions, SshPool, SshRunner
from l0_infra.core.nodeset import expand, fold
from l1_podsys.schemas import Cluster

__all__ = ["Target", "choose_targets", "runner_of", "targets_of_cluster"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """One node: its name, the address ssh is given (None: this machine), and the class of equal nodes it belongs to."""

    name: str | None
    address: str | None = None
    node_class: str = "default"
    options: SshOptions | None = None
    sudo: bool = False


def choose_targets(
    nodes: str | None = None, *, hosts: str | None = None, cluster: Path | None = None, sudo: bool = False
) -> tuple[Target, ...]:
    """List the targets: `nodes` of a cluster document (None: all), `hosts` that ssh knows, else this machine.

    Raises UsageError for node sets that cannot be read, names the cluster lacks, and both ways at once;
    DocumentError for a bad cluster document.
    """
    if hosts is not None and (nodes is not None or cluster is not None):
        raise UsageError("--hosts", found="nodes of a cluster beside it", expected="either one or the other")
    if hosts is not None:
        return tuple(Target(name=host, address=host, sudo=sudo) for host in _named(hosts, "--hosts"))
    if cluster is not None:
        return targets_of_cluster(read_document(cluster, expect=Cluster), nodes, sudo=sudo)
    if nodes is not None:
        raise UsageError(
            f"node set `{nodes}`",
            found="no cluster that says how its nodes are reached",
            expected="--cluster FILE with a cluster document",
            hint=f"`--hosts '{nodes}'` asks hosts that ssh knows by these names",
        )
    return (Target(name=None, sudo=sudo),)


def runner_of(target: Target, pool: SshPool) -> Runner:
    """Make what reaches a target; connections of one pool share their jump hosts."""
    if target.address is None:
        return LocalRunner()
    return SshRunner(target.address, target.options, pool=pool)


def _named(text: str, where: str) -> tuple[str, ...]:
    names = expand(text)
    if not names:
        raise UsageError(where, found="no name", expected="a node set such as `gpu[01-64]`")
    return names


def targets_of_cluster(
    cluster: Cluster, nodes: str | None = None, *, sudo: bool = False, password: Secret | None = None
) -> tuple[Target, ...]:
    """List nodes of a cluster (None: all); `password` is what sudo asks for on them.

    Raises UsageError for node sets that cannot be read, and names the cluster lacks.
    """
    ssh = cluster.ssh
    options = SshOptions(
        user=ssh.user,
        port=ssh.port,
        proxy_jump=ssh.proxy_jump,
        identity_files=() if ssh.identity_file is None else (ssh.identity_file,),
        known_hosts_file=ssh.known_hosts_file,
        sudo_password=password,
    )
    known = {
        node.name: Target(
            name=node.name,
            address=node.address or node.name,
            node_class=node.node_class,
            options=options,
            sudo=sudo or (ssh.sudo and ssh.user != "root"),
        )
        for group in cluster.nodes
        for node in group.listed()
    }
    wanted = list(known) if nodes is None else _named(nodes, "node set")
    _refuse_strangers(wanted, known, cluster.name)
    return tuple(known[name] for name in wanted)


def _refuse_strangers(wanted: Sequence[str], known: dict[str, Target], cluster: str) -> None:
    strangers = [name for name in wanted if name not in known]
    if strangers:
        raise UsageError(
            f"node set of cluster `{cluster}`",
            found=f"`{fold(strangers)}`, which it lacks",
            expected=f"nodes of {fold(known)}",
        )
