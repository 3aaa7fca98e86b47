"""Two documents of one cluster, node by node: who came, who went, who moved; and what a person has to write. Pure."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from l0_infra.core.nodeset import fold
from l0_infra.schemas import Node
from l1_podsys.schemas import Cluster, NodeGroup

__all__ = ["MemberChange", "compare_members", "describe_edits"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MemberChange:
    """One node that is in one document only, or has another address; an address that is not written is the name."""

    name: str
    kind: Literal["added", "removed", "moved"]
    before: str = ""
    after: str = ""


def compare_members(before: Cluster, after: Cluster) -> tuple[MemberChange, ...]:
    """List the nodes in which the second document differs from the first, in the order of the documents."""
    old, new = _listed(before), _listed(after)
    return tuple(
        MemberChange(
            name=name,
            kind="added" if name not in old else "removed" if name not in new else "moved",
            before=_address(old.get(name)),
            after=_address(new.get(name)),
        )
        for name in dict.fromkeys((*old, *new))
        if name not in old or name not in new or _address(old[name]) != _address(new[name])
    )


def describe_edits(before: Cluster, after: Cluster) -> tuple[str, ...]:
    """Say what to write into the first document so that its nodes are those of the second."""
    return tuple(_edits(compare_members(before, after), after))


def _edits(changes: tuple[MemberChange, ...], after: Cluster) -> Iterator[str]:
    gone = [change for change in changes if change.kind == "removed"]
    if gone:
        written = fold(change.before for change in gone if change.before != change.name)
        also = f", and {written} out of its `addresses`" if written else ""
        yield f"take {fold(change.name for change in gone)} out of `names`{also}"
    added = {change.name for change in changes if change.kind == "added"}
    for group in after.nodes:
        if added.intersection(node.name for node in group.listed()):
            yield f"add to `nodes`: - {_written(group)}"
    for change in changes:
        if change.kind == "moved":
            yield f"write {change.after} for {change.before} in the `addresses` of {change.name}"


def _written(group: NodeGroup) -> str:
    """Write a group on one line of YAML, without what is not said."""
    said = {
        "names": group.names,
        "roles": group.roles,
        **({"node_class": group.node_class} if group.node_class != "default" else {}),
        **({"addresses": group.addresses} if group.addresses is not None else {}),
    }
    return "{" + ", ".join(f"{name}: {json.dumps(value)}" for name, value in said.items()) + "}"


def _listed(cluster: Cluster) -> Mapping[str, Node]:
    return {node.name: node for group in cluster.nodes for node in group.listed()}


def _address(node: Node | None) -> str:
    return "" if node is None else node.address or node.name
