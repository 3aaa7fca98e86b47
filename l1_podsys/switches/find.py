"""The tree that a document asks for, made of what is known of the nodes."""

from collections.abc import Mapping, Sequence

import msgspec

from l0_infra.schemas import FabricMap
from l1_podsys.schemas import Cluster
from l1_podsys.switches.found import FoundSwitches
from l1_podsys.switches.infiniband import find_by_fabric
from l1_podsys.switches.lldp import find_by_lldp
from l1_podsys.switches.rails import Rail

__all__ = ["find_switches", "with_switches"]


def find_switches(
    source: str, rails: Mapping[str, Sequence[Rail]], fabric: FabricMap | None
) -> FoundSwitches | None:
    """Make the tree of these nodes by `lldp` or `ibnetdiscover`; None where a document gives it, or a map is missing.

    Ports of the management network count only where no node has one of the compute network.
    """
    if any(rail.network == "compute" for own in rails.values() for rail in own):
        rails = {node: [rail for rail in own if rail.network == "compute"] for node, own in rails.items()}
    match source:
        case "lldp":
            return find_by_lldp(rails)
        case "ibnetdiscover" if fabric is not None:
            return find_by_fabric(rails, fabric)
    return None


def with_switches(cluster: Cluster, found: FoundSwitches | None) -> Cluster:
    """Return the cluster with the switches found in place of those written; unchanged where none were looked for."""
    if found is None or cluster.scheduler.switches_from == "document":
        return cluster
    scheduler = msgspec.structs.replace(cluster.scheduler, switches=found.switches)
    return msgspec.structs.replace(cluster, scheduler=scheduler)
