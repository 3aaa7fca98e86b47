"""The switches that nodes hang on, as they are found: by what each node hears, or by what one tells of its fabric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from l0_infra import probe_fabric_map
from l0_infra.core.errors import FactsMissingError, OgaiError
from l0_infra.core.exec import Runner
from l0_infra.schemas import FabricMap, NodeFacts, Unread
from l1_podsys import (
    FoundSwitches,
    Misplaced,
    Rail,
    Trait,
    cluster_members,
    compare_switches,
    fabric_ports,
    find_switches,
)
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.place import ClusterPlace

__all__ = ["NOT_LOOKED_FOR", "Sighted", "kept_switches", "misplaced_nodes", "sight_switches"]

ASKED = 3
"""How many nodes are asked for the map of a fabric, one after another, until one tells it."""

LIMIT_S = 60


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighted:
    """The switches found, and the map of the fabric where it was read now; None: not looked for, not read."""

    found: FoundSwitches | None = None
    fabric: FabricMap | None = None


NOT_LOOKED_FOR = Sighted()


def sight_switches(
    cluster: Cluster,
    place: ClusterPlace,
    facts: Mapping[str, NodeFacts],
    traits: Mapping[str, Trait],
    nodes: Nodes,
    *,
    sudo: bool,
) -> Sighted:
    """Look for the switches where the document leaves them to be found.

    A map of the fabric that was read before serves where no node tells one now; FactsMissingError without any.
    """
    source = cluster.scheduler.switches_from
    if cluster.scheduler.engine != "slurm" or source == "document":
        return NOT_LOOKED_FOR
    told = _read_fabric(facts, traits, nodes, sudo=sudo) if source == "ibnetdiscover" else None
    now = told if isinstance(told, FabricMap) else None
    fabric = now or place.load_fabric()
    if source == "ibnetdiscover" and fabric is None and isinstance(told, Unread):
        raise FactsMissingError(
            f"cluster `{cluster.name}`, the InfiniBand fabric",
            found=f"ibnetdiscover: {told.detail}",
            expected="its switches, from one of the nodes looked at",
            hint=told.hint or "run `ibnetdiscover` by hand on a node",
        )
    return Sighted(found=find_switches(source, _rails(cluster, traits), fabric), fabric=now)


def kept_switches(cluster: Cluster, place: ClusterPlace) -> FoundSwitches | None:
    """Return the switches by what is kept of earlier looks; None where the document gives them, or nothing is kept."""
    traits, source = place.load_traits(), cluster.scheduler.switches_from
    return find_switches(source, _rails(cluster, traits), place.load_fabric())


def misplaced_nodes(
    cluster: Cluster,
    place: ClusterPlace,
    sighted: Sighted,
    facts: Mapping[str, NodeFacts],
    traits: Mapping[str, Trait],
    nodes: Nodes,
    *,
    sudo: bool,
) -> tuple[FoundSwitches | None, tuple[Misplaced, ...]]:
    """Return the switches as found, and who hangs elsewhere than was written: by the document, or by the last run."""
    scheduler = cluster.scheduler
    if scheduler.engine != "slurm":
        return None, ()
    if sighted.found is not None:
        before = kept_switches(cluster, place)
        known = before.switches if before is not None else ()
        return sighted.found, compare_switches(known, sighted.found) if known else ()
    if not scheduler.switches:
        return None, ()
    found = _found_anyhow(_rails(cluster, traits), facts, traits, nodes, sudo=sudo)
    return found, () if found is None else compare_switches(scheduler.switches, found)


def _found_anyhow(
    rails: Mapping[str, Sequence[Rail]],
    facts: Mapping[str, NodeFacts],
    traits: Mapping[str, Trait],
    nodes: Nodes,
    *,
    sudo: bool,
) -> FoundSwitches | None:
    """Find switches by whatever tells any: what nodes hear, else their fabric."""
    if any(rail.heard for own in rails.values() for rail in own):
        return find_switches("lldp", rails, None)
    told = _read_fabric(facts, traits, nodes, sudo=sudo)
    return find_switches("ibnetdiscover", rails, told) if isinstance(told, FabricMap) else None


def _rails(cluster: Cluster, traits: Mapping[str, Trait]) -> Mapping[str, Sequence[Rail]]:
    """Return the rails of the nodes that the scheduler gives work to, as far as it knows them."""
    return {
        name: trait.rails
        for name, member in cluster_members(cluster).items()
        if "compute" in member.places and (trait := traits.get(name)) and trait.shape
    }


def _read_fabric(
    facts: Mapping[str, NodeFacts], traits: Mapping[str, Trait], nodes: Nodes, *, sudo: bool
) -> FabricMap | Unread:
    """Ask nodes that are on the fabric, one after another; return the map, or why the last one could not tell it."""
    last = Unread(
        what="ibnetdiscover",
        reason="failed",
        detail="no node that was looked at has an active port of it",
        hint="name nodes that are on the fabric: --limit",
    )
    rails = {name: trait.rails for name, trait in traits.items()}
    for name, device, port in islice(fabric_ports(facts, rails), ASKED):

        def work(_: str, runner: Runner, device: str = device, port: int = port) -> FabricMap | Unread:
            return probe_fabric_map(runner, device, port, limit_s=LIMIT_S, sudo=sudo)

        told = nodes.reach([name], work, limit_s=2 * LIMIT_S)[name]
        if isinstance(told, FabricMap):
            return told
        last = _unreachable(told) if isinstance(told, OgaiError) else told
    return last


def _unreachable(error: OgaiError) -> Unread:
    return Unread(what="ibnetdiscover", reason="unreachable", detail=error.found, hint=error.hint or "")
