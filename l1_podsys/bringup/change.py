"""A cluster's document with nodes added, taken away or moved; pure."""

from collections.abc import Collection, Iterator, Sequence

import msgspec

from l0_infra.core.errors import UsageError
from l0_infra.core.nodeset import expand, fold
from l0_infra.schemas import Node
from l1_podsys.bringup.members import controller_name
from l1_podsys.schemas import Cluster, NodeGroup

__all__ = ["with_address", "with_nodes", "without_nodes"]


def without_nodes(cluster: Cluster, names: Collection[str]) -> Cluster:
    """Take nodes away. Raises UsageError when the cluster cannot be without one of them."""
    controller = controller_name(cluster)
    servers = {one.server_node for one in cluster.storage}
    for name in names:
        if name == controller or name in servers:
            what = "the controller" if name == controller else "the server of shared storage"
            raise UsageError(f"node `{name}`", found=what, expected="a node that the others can be without")
    groups = [
        _group(group, [node for node in group.listed() if node.name not in names]) for group in cluster.nodes
    ]
    return msgspec.structs.replace(cluster, nodes=tuple(group for group in groups if group is not None))


def with_nodes(
    cluster: Cluster, names: Sequence[str], *, addresses: Sequence[str] = (), like: str | None = None
) -> Cluster:
    """Add nodes to be like another (None: like the last group's). Raises UsageError for what cannot be."""
    known = {node.name: group for group in cluster.nodes for node in group.listed()}
    repeated = [name for name in names if name in known]
    if repeated:
        raise UsageError("nodes to add", found=f"`{fold(repeated)}`, already there", expected="new names")
    if addresses and len(addresses) != len(names):
        raise UsageError(
            "--addresses", found=f"{len(addresses)} of them", expected=f"{len(names)}, one for each node"
        )
    if like is not None and like not in known:
        raise UsageError("--like", found=f"`{like}`", expected=f"a node of {fold(known)}")
    model = known[like] if like is not None else cluster.nodes[-1]
    group = msgspec.structs.replace(
        model,
        names=_ordered(names),
        addresses=_ordered(addresses) if addresses else None,
        bmc_addresses=None,
        machines={},
        roles=tuple(role for role in model.roles if role != "head") or ("compute",),
    )
    return msgspec.structs.replace(cluster, nodes=(*cluster.nodes, group))


def with_address(cluster: Cluster, name: str, address: str) -> Cluster:
    """Give a node another address. Raises UsageError for a name that the cluster lacks."""
    if not any(node.name == name for group in cluster.nodes for node in group.listed()):
        raise UsageError("node", found=f"`{name}`, which the cluster lacks", expected="one of its nodes")
    groups = [
        _group(group, [_moved(node, address) if node.name == name else node for node in group.listed()])
        for group in cluster.nodes
    ]
    return msgspec.structs.replace(cluster, nodes=tuple(group for group in groups if group is not None))


def _moved(node: Node, address: str) -> Node:
    return msgspec.structs.replace(node, address=address)


def _group(group: NodeGroup, nodes: Sequence[Node]) -> NodeGroup | None:
    if nodes == list(group.listed()):
        return group
    if not nodes:
        return None
    return msgspec.structs.replace(
        group,
        names=_ordered([node.name for node in nodes]),
        addresses=_column(node.address or node.name for node in nodes) if _any(nodes, "address") else None,
        bmc_addresses=_column(node.bmc_address or "" for node in nodes)
        if _any(nodes, "bmc_address")
        else None,
        machines={name: one for name, one in group.machines.items() if name in {node.name for node in nodes}},
    )


def _any(nodes: Sequence[Node], field: str) -> bool:
    return any(getattr(node, field) is not None for node in nodes)


def _column(texts: Iterator[str]) -> str:
    return _ordered(list(texts))


def _ordered(texts: Sequence[str]) -> str:
    """Write texts as a node set that keeps their order, folded where that does."""
    folded = fold(texts)
    return folded if expand(folded) == tuple(texts) else ",".join(texts)
