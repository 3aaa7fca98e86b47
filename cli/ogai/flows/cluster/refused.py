"""What a bring-up refuses before anything is changed."""

from collections.abc import Iterable, Mapping

from l0_infra import Ledger
from l0_infra.core.errors import FactsMissingError, UnsatisfiableError
from l0_infra.core.nodeset import expand, fold
from l0_infra.schemas import NodeFacts
from l1_podsys import (
    MARK,
    FoundSwitches,
    Trait,
    absent_interfaces,
    cluster_members,
    foreign_members,
    interfaces_of,
)
from l1_podsys.schemas import Cluster

__all__ = ["raise_for_lost", "refuse_absent", "refuse_foreign", "refuse_shorter", "refuse_tangled"]


LISTED = "slurm_node"
"""The role after which the scheduler has a node."""


def raise_for_lost(lost: Mapping[str, str]) -> None:
    """Raise FactsMissingError when a node could not be looked at."""
    if lost:
        raise FactsMissingError(fold(lost), found=next(iter(lost.values())), expected="an answer", retry=True)


def refuse_absent(cluster: Cluster, facts: Mapping[str, NodeFacts]) -> None:
    """Raise UnsatisfiableError for an interface of the document that none of the nodes has that were looked at."""
    absent = list(absent_interfaces(cluster, facts))
    if not absent:
        return
    place = absent[0][0]
    names = ", ".join(f"`{name}`" for where, name in absent if where == place)
    node, has = next((name, held) for name, one in facts.items() if (held := interfaces_of(one)))
    raise UnsatisfiableError(
        f"cluster `{cluster.name}`, {place}",
        found=f"{names}, which {fold(facts)} lack{'s' if len(facts) == 1 else ''}; {node} has {', '.join(has)}",
        expected="interfaces or RDMA devices that nodes have",
    )


def refuse_shorter(
    cluster: Cluster, traits: Mapping[str, Trait], ledger: Ledger, names: Iterable[str], *, adopted: bool
) -> None:
    """Raise FactsMissingError where the scheduler's files, written now, would lack nodes that they have.

    Those are compute nodes that were brought up before, and of which nothing is known here any more; of a cluster that
    was `adopted` it is any that is not known.
    """
    if cluster.scheduler.engine != "slurm":
        return
    compute = [name for name, one in cluster_members(cluster).items() if "compute" in one.places]
    unknown = [name for name in compute if (trait := traits.get(name)) is None or trait.shape is None]
    before = ledger.entries(unknown)
    gone = [name for name in unknown if adopted or f"{name}:{LISTED}" in before]
    if gone:
        out = "of the document, for now" if adopted else "ogai cluster remove NODE --force"
        raise FactsMissingError(
            fold(gone),
            found="no facts kept here, though the scheduler may list it",
            expected="what the scheduler is told of every node that it has",
            hint=f"look at all of them in one run: ogai cluster up --limit {fold(dict.fromkeys((*names, *gone)))}; "
            f"one that does not answer can be left out: {out}",
        )


def refuse_foreign(cluster: Cluster, identity: str, facts: Mapping[str, NodeFacts]) -> None:
    """Raise UnsatisfiableError for nodes that belong to another cluster."""
    others = foreign_members(cluster.name, identity, facts)
    if not others:
        return
    owner, nodes = next(iter(others.items()))
    told = [f"{names} of cluster `{mark.cluster}` (id {mark.id})" for mark, names in others.items()]
    namesake = f", and this one has the id {identity}" if owner.cluster == cluster.name else ""
    raise UnsatisfiableError(
        fold([name for names in others.values() for name in expand(names)]),
        found=f"{', '.join(told)}{namesake}",
        expected=f"nodes of `{cluster.name}`, or of no cluster",
        hint=f"where it was brought up: ogai cluster remove {nodes} --name {owner.cluster}, or ogai cluster down "
        f"--name {owner.cluster}; if nobody has that cluster any more: rm {MARK} on these nodes",
    )


def refuse_tangled(cluster: Cluster, found: FoundSwitches | None) -> None:
    """Raise UnsatisfiableError for switches of which no tree can be made."""
    for conflict in found.conflicts if found is not None else ():
        if conflict.fatal:
            raise UnsatisfiableError(
                f"cluster `{cluster.name}`, switches by {cluster.scheduler.switches_from}",
                found=f"{conflict.where}: {conflict.found}",
                expected="switches that are a tree, or a fat tree",
                hint=conflict.hint,
            )
