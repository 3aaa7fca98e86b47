"""Whose a node is: a mark on it names its cluster, so that no second cluster is brought up on the same hosts.

The mark is written by the role `member` before anything else, comes with a node's facts, and goes with the node.
"""

from collections import defaultdict
from collections.abc import Mapping

from l0_infra.core.exec import Command
from l0_infra.core.nodeset import fold
from l0_infra.schemas import Membership, NodeFacts

__all__ = ["MARK", "foreign_members", "identity_among", "unmark_command"]

MARK = "/etc/ogai/cluster"

UNMARK = 'if grep -qsx "id=$2" "$1"; then rm -f -- "$1"; fi'


def identity_among(cluster: str, facts: Mapping[str, NodeFacts]) -> str | None:
    """Return the id under which nodes are marked as this cluster's; None when there is none, or more than one."""
    marks = [one.member_of for one in facts.values() if one.member_of is not None]
    found = {mark.id for mark in marks if mark.cluster == cluster}
    return next(iter(found)) if len(found) == 1 else None


def foreign_members(cluster: str, identity: str, facts: Mapping[str, NodeFacts]) -> Mapping[Membership, str]:
    """Return the other clusters that nodes are marked as parts of, each with its nodes as a node set."""
    others: dict[Membership, list[str]] = defaultdict(list)
    for name, one in facts.items():
        mark = one.member_of
        if mark is not None and (mark.cluster, mark.id) != (cluster, identity):
            others[mark].append(name)
    return {mark: fold(names) for mark, names in others.items()}


def unmark_command(identity: str, *, sudo: bool) -> Command:
    """Return the command that takes the mark of this cluster from a node, and leaves another's."""
    return Command.script(UNMARK, MARK, identity, deadline_s=20.0, sudo=sudo)
