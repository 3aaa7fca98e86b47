"""How two nodes differ: hosts, or what their support bundles say."""

from dataclasses import dataclass
from pathlib import Path

from l0_infra import Difference, diff_facts
from l0_infra.core.errors import UsageError
from l0_infra.schemas import NodeFacts
from ogai.flows.node.bundles import facts_in
from ogai.flows.node.facts import facts
from ogai.flows.node.lost import raise_for_lost

__all__ = ["Compared", "diff"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """Two nodes and the fields in which they differ."""

    first: str
    second: str
    differences: tuple[Difference, ...]


def diff(first: str, second: str, *, cluster: Path | None = None, sudo: bool = False) -> Compared:
    """Compare two nodes; each is a host, a node of the cluster document, a bundle `DIR`, or a node in one `DIR:NODE`.

    Raises UsageError for what is none of these, FactsMissingError when one cannot be looked at.
    """
    one, other = (_facts(name, cluster, sudo=sudo) for name in (first, second))
    return Compared(first=first, second=second, differences=diff_facts(one, other))


def _facts(name: str, cluster: Path | None, *, sudo: bool) -> NodeFacts:
    path, _, node = (name, "", "") if Path(name).exists() else name.rpartition(":")
    if path and Path(path).exists():
        return _in_bundle(Path(path), node)
    (found,) = facts(name, cluster=cluster, sudo=sudo) if cluster else facts(hosts=name, sudo=sudo)
    raise_for_lost([found])
    return found


def _in_bundle(bundle: Path, node: str) -> NodeFacts:
    nodes, _ = facts_in(bundle)
    chosen = [one for one in nodes if not node or one.node == node]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(str(one.node) for one in nodes)
    raise UsageError(
        str(bundle),
        found=f"the nodes {names}",
        expected=f"`{node}` among them" if node else "one node",
        hint=f"name one: {bundle}:{nodes[0].node}",
    )
