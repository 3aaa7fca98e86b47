"""Whether the parts of a cluster's document agree: what only two of them together show."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import TYPE_CHECKING

from l0_infra.core.documents import unknown
from l0_infra.core.errors import Fault, FieldPath
from l1_podsys.schemas.network import Network, parse_address, parse_network
from l1_podsys.schemas.node_group import NodeGroup

if TYPE_CHECKING:
    from l1_podsys.schemas.cluster import Cluster

__all__ = ["disagreements"]

SYSTEM_NAMES = frozenset(["munge", "nobody", "root", "slurm"])


def disagreements(cluster: Cluster) -> Iterator[Fault]:
    """Yield references to nothing, roles that nodes lack, addresses outside their networks, colliding numbers."""
    yield from _leaders(cluster)
    yield from _partitions(cluster)
    yield from _outside(cluster)
    yield from _numbers(cluster)
    yield from _accounts(cluster)


def _leaders(cluster: Cluster) -> Iterator[Fault]:
    """Yield a controller and servers of storage that are no nodes, and a controller that is no head."""
    roles = {node.name: group.roles for group in cluster.nodes for node in group.listed()}
    controller = cluster.scheduler.controller
    servers = [
        (("storage", index, "server_node"), one.server_node) for index, one in enumerate(cluster.storage)
    ]
    for path, name in [(("scheduler", "controller"), controller), *servers]:
        if name is not None:
            yield from unknown(path, name, list(roles), what="a node of this cluster")
    if controller in roles and "head" not in roles[controller]:
        yield Fault(
            path=("scheduler", "controller"),
            found=f"`{controller}`, whose roles are {', '.join(roles[controller])}",
            expected="a node with the role `head`",
            hint="add `head` to the roles of its group, or name another node",
        )


def _partitions(cluster: Cluster) -> Iterator[Fault]:
    """Yield classes that no compute node has."""
    classes = sorted({group.node_class for group in cluster.nodes if "compute" in group.roles})
    for index, partition in enumerate(cluster.scheduler.partitions):
        for place, name in enumerate(partition.node_classes):
            path = ("scheduler", "partitions", index, "node_classes", place)
            yield from unknown(
                path, name, classes, what=f"a class of compute nodes: {', '.join(classes) or 'none'}"
            )


def _outside(cluster: Cluster) -> Iterator[Fault]:
    """Yield addresses of nodes that lie in none of the networks said to carry them."""
    own = [one for one in cluster.networks if one.purpose != "bmc"]
    bmc = [one for one in cluster.networks if one.purpose == "bmc"]
    for index, group in enumerate(cluster.nodes):
        for column, networks in (("addresses", own), ("bmc_addresses", bmc)):
            if fault := _strangers(group, column, networks, ("nodes", index, column)):
                yield fault


def _strangers(group: NodeGroup, column: str, networks: list[Network], path: FieldPath) -> Fault | None:
    """Tell all addresses of a group that lie outside, in one fault; names and networks without a range tell nothing."""
    ranges = [wide for one in networks if one.cidr is not None and (wide := parse_network(one.cidr))]
    field = "address" if column == "addresses" else "bmc_address"
    texts = [text for node in group.listed() if (text := getattr(node, field))]
    addresses = [found for text in texts if (found := parse_address(text))]
    alike = {one.version for one in ranges}
    outside = [
        one for one in addresses if one.version in alike and not any(one in network for network in ranges)
    ]
    if not outside:
        return None
    more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
    return Fault(
        path=path,
        found=f"`{outside[0]}`{more}",
        expected=f"addresses inside {' or '.join(str(one) for one in ranges)}",
        hint=f"its network may be {ip_network((outside[0], 24 if outside[0].version == 4 else 64), strict=False)}",
    )


def _numbers(cluster: Cluster) -> Iterator[Fault]:
    """Yield numbers of accounts that two of them would have."""
    slurm, munge = cluster.scheduler.slurm_uid, cluster.scheduler.munge_uid
    if slurm == munge:
        yield Fault(
            path=("scheduler", "munge_uid"), found=f"`{munge}`, that of slurm", expected="a number of its own"
        )
    owners = {slurm: "slurm", munge: "munge"}
    for index, user in enumerate(cluster.users):
        if user.uid in owners:
            yield Fault(
                path=("users", index, "uid"),
                found=f"`{user.uid}`, that of the account `{owners[user.uid]}`",
                expected="a number that nothing else has",
                hint="give the person another number, or set scheduler.slurm_uid and scheduler.munge_uid",
            )


def _accounts(cluster: Cluster) -> Iterator[Fault]:
    """Yield people with the name of an account that the system has."""
    for index, user in enumerate(cluster.users):
        if user.name in SYSTEM_NAMES:
            yield Fault(
                path=("users", index, "name"),
                found=f"`{user.name}`, an account of the system",
                expected="a person",
            )
